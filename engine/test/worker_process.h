// A nandi-worker process of a test, and what can be read from its two outputs.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "redis_server.h"

namespace nandi::test {

/// Waits until `condition()` is true, at most `patience`; whether it became true.
template <class Condition>
bool eventually(std::chrono::milliseconds patience, Condition condition) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

[[nodiscard]] std::string read_file(const std::string& path);

class WorkerProcess {
 public:
  /// Runs the program under test with these arguments, its outputs in files of `directory` that
  /// begin with `name`. `environment`: "NAME=value" assignments put before the command.
  WorkerProcess(const std::vector<std::string>& arguments, const std::string& directory,
                const std::string& name, const std::string& environment = {});

  [[nodiscard]] std::string output() const { return read_file(output_); }
  [[nodiscard]] std::vector<std::string> output_lines() const;
  [[nodiscard]] std::string errors() const { return read_file(errors_); }
  /// The log, line by line; a last line that is not finished yet is left out.
  [[nodiscard]] std::vector<nlohmann::json> log() const;
  /// The pair handed last; nullopt when idle or nothing was handed.
  [[nodiscard]] std::optional<std::pair<int, int>> pair() const;
  [[nodiscard]] long count(std::string_view message) const;

  ChildProcess& process() { return *process_; }

 private:
  std::string output_;
  std::string errors_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace nandi::test
