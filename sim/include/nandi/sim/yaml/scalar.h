// Readers for single values, and the texts that write them back.
//
// Every quantity carries its unit, every fraction is exact, and nothing is rounded: a value that
// cannot be represented is refused with what to write instead. All readers throw LoadError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nandi/engine/fraction.h"
#include "nandi/engine/time.h"
#include "nandi/sim/yaml/document.h"

namespace nandi::sim::yaml {

/// In nanoseconds. Written as an integer or decimal and one unit: `5s`, `1.5ms`, `20ns`, `-3h`;
/// units ns, us, ms, s, m (minutes), h. Refused: no unit, parts of a nanosecond, overflow of 64
/// bits.
Duration read_duration(const Value& value);
/// The largest unit in which the duration is an integer: 1500000000 is `1500ms`.
std::string format_duration(Duration duration);

/// `0.15`, `3/20`, `15%`, `50ppm`, with an optional leading minus. Written back by
/// nandi::to_string.
Fraction read_fraction(const Value& value);
/// A non-negative integer within [least, most], plain decimal digits.
std::uint64_t read_count(const Value& value, std::uint64_t least, std::uint64_t most);

/// A whole number of either sign that fits 64 bits.
std::int64_t read_integer(const Value& value);

/// `true` or `false`.
bool read_boolean(const Value& value);

/// Text that is not empty; refused when it is unquoted and YAML takes it for a number or a boolean.
std::string read_string(const Value& value);

/// One of `names`; returns its index.
std::size_t read_name(const Value& value, const std::vector<std::string>& names);

/// `7` or `1..1000`, ends included, first <= last.
std::pair<std::uint64_t, std::uint64_t> read_count_range(const Value& value, std::uint64_t most);

/// Bytes: `512MB`, `8GB`; units B, KB, MB, GB, KiB, MiB, GiB.
std::uint64_t read_size(const Value& value);
std::string format_size(std::uint64_t bytes);

/// Regular expressions (JSON Schema's dialect) of the texts that read_* accept.
extern const char* const kDurationPattern;
extern const char* const kFractionPattern;
extern const char* const kRangePattern;
extern const char* const kSizePattern;

}  // namespace nandi::sim::yaml
