// What the tests of the preflight share: a sound server, and what was found on it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "doctor/doctor.h"
#include "redis_server.h"

namespace nandi::test {

inline const std::vector<std::string> kSound{"--appendonly", "yes"};

inline std::vector<std::string> sound_and(const std::vector<std::string>& more) {
  std::vector<std::string> settings = kSound;
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

inline tools::DoctorRequest request_for(const RedisOptions& redis) {
  tools::DoctorRequest request;
  request.redis = redis;
  request.group.name = "grp";
  request.group.interval = std::chrono::seconds(20);
  return request;
}

/// "error eviction, unknown keys", in the order of the report.
inline std::string found_in(const tools::DoctorReport& report) {
  std::string text;
  for (const tools::Finding& finding : report.findings) {
    text += text.empty() ? "" : ", ";
    text += std::string(tools::to_string(finding.severity)) + " " + finding.code;
  }
  return text;
}

inline std::string found_on(const RedisOptions& redis) {
  return found_in(tools::examine(request_for(redis)));
}

/// Everything the report says about its first finding.
inline std::string first_words(const tools::DoctorReport& report) {
  if (report.findings.empty()) return {};
  const tools::Finding& finding = report.findings.front();
  return finding.what + "\n" + finding.why + "\n" + finding.advice;
}

}  // namespace nandi::test
