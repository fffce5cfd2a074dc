// A group of nandi-worker processes of a test, and what `nandi-sim audit` finds in their logs.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "worker_process.h"

namespace nandi::test {

struct ProcessTiming {
  std::chrono::milliseconds interval{1000};
  std::int64_t gap_permille = 150;

  [[nodiscard]] std::int64_t interval_us() const { return interval.count() * 1000; }
  [[nodiscard]] std::int64_t gap_us() const { return interval.count() * gap_permille; }
};

class ProcessGroup {
 public:
  /// The workers' files are in `directory`, which outlives the group. `more`: further arguments.
  ProcessGroup(std::string directory, const std::string& redis_url, ProcessTiming timing,
               std::vector<std::string> more = {});

  WorkerProcess& add();
  void add(int count);

  WorkerProcess& operator[](std::size_t worker) { return *workers_[worker]; }
  [[nodiscard]] std::size_t size() const { return workers_.size(); }

  /// Whether these workers own exactly (0, n) .. (n - 1, n), n their number.
  [[nodiscard]] bool partitioned(const std::vector<std::size_t>& which) const;
  /// The same of all.
  [[nodiscard]] bool partitioned() const;
  [[nodiscard]] bool all_idle() const;
  [[nodiscard]] bool none_ended() const;
  [[nodiscard]] long count(std::string_view message) const;

  /// What `nandi-sim audit --json` makes of all logs. Call it when a holding that matters has been
  /// renewed once, as a log that ends knows of no moment after its last line.
  [[nodiscard]] nlohmann::json audit();

  /// Every expiry of every log is within slot plus gap of the interval after the lease's tick: at
  /// the latest (1 - g) + g of it, so before that interval's end.
  void expect_expiries_on_time() const;

  /// The first thing since `since_us` (wall clock) that a machine with time to spare would not have
  /// done: a registration that failed, or one whose lateness can make neighbours swap. Empty: none.
  /// Lateness of more than an interval is a worker that the test itself had stopped.
  [[nodiscard]] std::string disturbance(std::int64_t since_us) const;

  /// Waits for a whole interval and a bit: every worker has registered once more.
  void let_everybody_renew() const;

 private:
  std::string directory_;
  std::vector<std::string> arguments_;
  ProcessTiming timing_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  int audits_ = 0;
};

/// The first moment from `since_us` on at which (0, n) .. (n - 1, n) are all held for certain, on
/// the server's clock in microseconds.
[[nodiscard]] std::optional<std::int64_t> covered_from(const nlohmann::json& audit, int n,
                                                       std::int64_t since_us);

/// When the first worker let go of its lease after `since_us`, by the server's clock.
[[nodiscard]] std::optional<std::int64_t> first_stand_down(const nlohmann::json& audit,
                                                           std::int64_t since_us);

/// A server's clock in microseconds since 1970, from its reply to TIME.
[[nodiscard]] std::int64_t store_time_us(const std::string& time_reply);

}  // namespace nandi::test
