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

/// From when to when a worker held a pair, on the store's clock in microseconds, as its log bounds
/// it: at the earliest from, at the latest until.
struct Holding {
  std::string worker;
  std::int64_t index = 0;
  std::int64_t count = 0;
  std::int64_t from = 0;
  std::int64_t until = 0;
};

/// Reads the holdings of a log as README.md, "The log", says.
[[nodiscard]] std::vector<Holding> holdings_of(const std::vector<nlohmann::json>& log);

/// The first two holdings of different workers that share a task at a time, in words; empty when
/// there are none.
[[nodiscard]] std::string first_overlap(const std::vector<Holding>& holdings);

}  // namespace nandi::test
