// What a worker has done, in the Prometheus text format, in a file or on a loopback port.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "nandi/engine/diagnostics.h"
#include "nandi/engine/reporter.h"

namespace nandi::tools {

/// Counts diagnostics. Any thread.
class Metrics {
 public:
  explicit Metrics(std::string group) : group_(std::move(group)) {}

  void count(const Diagnostic& diagnostic, const ReportContext& context);
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::size_t kBuckets = 10;
  /// Upper bounds of the round trip's histogram, in microseconds.
  static constexpr std::array<std::int64_t, kBuckets> kBounds{
      100, 250, 500, 1000, 2500, 5000, 10'000, 50'000, 250'000, 1'000'000};

  mutable std::mutex mutex_;
  std::string group_;
  std::uint64_t registrations_ = 0;
  std::map<ErrorClass, std::uint64_t> failures_;
  std::map<LossCause, std::uint64_t> losses_;
  std::uint64_t ghosts_ = 0;
  std::uint64_t granted_ = 0;
  std::uint64_t renewed_ = 0;
  std::uint64_t scripts_ = 0;
  std::uint64_t server_changes_ = 0;
  std::uint64_t overruns_ = 0;
  std::array<std::uint64_t, kBuckets + 1> round_trips_{};
  std::int64_t round_trip_sum_us_ = 0;
  std::int64_t worst_lag_us_ = 0;
  std::int64_t last_lag_us_ = 0;
  bool owns_ = false;
  Pair pair_;
};

/// A file that cannot be written.
class MetricsFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Publishes metrics from a thread of its own until it is destroyed.
class MetricsPublisher {
 public:
  /// `target`: a port number, served on 127.0.0.1 by plain HTTP; or a file name, written anew every
  /// second (by way of a second file, so that nobody reads half of it) and once more at the end.
  /// Errors, saying what to change: MetricsFileError for a file that cannot be written,
  /// std::runtime_error for a port that is wrong or taken.
  MetricsPublisher(const Metrics& metrics, const std::string& target);
  ~MetricsPublisher();
  MetricsPublisher(const MetricsPublisher&) = delete;
  MetricsPublisher& operator=(const MetricsPublisher&) = delete;

 private:
  void open_port(const std::string& text);
  void serve();
  void answer(int connection) const;
  void write_file() const;
  void write_files();

  const Metrics& metrics_;
  std::string file_;
  int listener_ = -1;
  int closing_ = -1;
  std::thread thread_;
};

}  // namespace nandi::tools
