// Writes lines to a descriptor from a thread of its own, so that a reader that has stopped reading
// costs log lines and not a lease.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace nandi::tools {

class LineWriter {
 public:
  explicit LineWriter(int descriptor);
  /// Writes what is queued, for as long as the reader takes it and half a second at most.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  /// Never blocks on the reader. Beyond kCapacity lines waiting, the line is dropped and counted.
  void write(std::string line);
  [[nodiscard]] std::uint64_t dropped() const;

  static constexpr std::size_t kCapacity = 10'000;

 private:
  void run();

  int descriptor_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::uint64_t dropped_ = 0;
  bool closing_ = false;
  std::thread thread_;
};

enum class WriteResult : std::uint8_t { written, timed_out, reader_gone };

/// Writes all of text, waiting while nobody reads, `patience_ms` in all (-1: for ever). Of a text
/// of up to 4096 bytes a pipe takes all or, when it timed out, nothing.
WriteResult write_all(int descriptor, std::string_view text, int patience_ms);

}  // namespace nandi::tools
