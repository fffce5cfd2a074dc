// Reads a trace as TraceWriter writes it: NDJSON, version 1 (sim/README.md, "Trace").
//
// Keys that are not known are passed over, so that a later version of the same number can add some;
// everything known is checked.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string>

#include "nandi/sim/trace.h"

namespace nandi::reports {

/// `file:line: what; what to do`.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct TraceHeader {
  std::string scenario;
  std::uint64_t seed = 0;
  Duration interval{1};
};

struct TraceEnd {
  sim::TrueTime at;
  std::string hash;
};

class TraceReader {
 public:
  /// Reads the first line. `name`: for messages. `in` outlives the reader. Throws TraceError.
  TraceReader(std::istream& in, std::string name);
  [[nodiscard]] const TraceHeader& header() const { return header_; }
  /// Hands every record to `sink`, in order; the result is the last line. Throws TraceError.
  TraceEnd read(sim::TraceSink& sink);

 private:
  [[noreturn]] void fail(const std::string& what) const;
  bool next_line(std::string& line);

  std::istream& in_;
  std::string name_;
  std::size_t number_ = 0;
  TraceHeader header_;
};

}  // namespace nandi::reports
