// What a preflight of a Redis brings to light.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/engine/store.h"

namespace nandi::tools {

enum class Severity : std::uint8_t {
  error,    ///< breaks the lease: never granted, or exclusive no more
  warning,  ///< does so once something else happens
  unknown,  ///< could not be checked
};

[[nodiscard]] std::string_view to_string(Severity severity);

struct Finding {
  Severity severity = Severity::error;
  std::string code;    ///< stable lower-case name, engine/doctor.md lists them
  std::string what;    ///< with the numbers
  std::string why;     ///< why it matters
  std::string advice;  ///< what to do
};

/// Something worth knowing that is no problem.
struct Fact {
  std::string name;
  std::string value;
};

struct DoctorReport {
  std::string server;  ///< "Redis 7.0.15 at 127.0.0.1:6379"
  std::vector<Fact> facts;
  std::vector<Finding> findings;
  std::optional<Failure> unreachable;  ///< nothing could be asked

  void error(std::string code, std::string what, std::string why, std::string advice);
  void warning(std::string code, std::string what, std::string why, std::string advice);
  void unknown(std::string code, std::string what, std::string why, std::string advice);
  void fact(std::string name, std::string value);
  [[nodiscard]] bool has(std::string_view code) const;
};

/// 0 nothing found, 1 an error, 2 warnings or what could not be checked, 69 not reached.
[[nodiscard]] int exit_status(const DoctorReport& report);

/// For people; ends with a newline.
[[nodiscard]] std::string report_text(const DoctorReport& report);
/// The same as one JSON object, version 1 (engine/doctor.md); ends with a newline.
[[nodiscard]] std::string report_json(const DoctorReport& report);

}  // namespace nandi::tools
