#include "line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "nandi/engine/clock.h"

namespace nandi::tools {
namespace {

constexpr int kFarewellMs = 500;
constexpr std::size_t kPipeBuf = 4096;

}  // namespace

WriteResult write_all(int descriptor, std::string_view text, int patience_ms) {
  const LocalTime end = BootClock{}.now() + Duration(patience_ms * kNanosecondsPerMillisecond);
  while (!text.empty()) {
    int wait_ms = -1;
    if (patience_ms >= 0) {
      const std::int64_t left = (end - BootClock{}.now()).count() / kNanosecondsPerMillisecond;
      wait_ms = static_cast<int>(std::max<std::int64_t>(left, 0));
    }
    pollfd entry{descriptor, POLLOUT, 0};
    const int ready = poll(&entry, 1, wait_ms);
    if (ready == 0) return WriteResult::timed_out;
    if (ready < 0 && errno != EINTR) return WriteResult::reader_gone;
    if (ready < 0) continue;
    // POLLOUT promises that a pipe takes PIPE_BUF bytes without blocking.
    const std::size_t size = std::min(text.size(), kPipeBuf);
    const ssize_t written = ::write(descriptor, text.data(), size);
    if (written < 0 && errno != EINTR && errno != EAGAIN) return WriteResult::reader_gone;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return WriteResult::written;
}

LineWriter::LineWriter(int descriptor) : descriptor_(descriptor), thread_([this] { run(); }) {}

LineWriter::~LineWriter() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LineWriter::write(std::string line) {
  {
    const std::scoped_lock lock(mutex_);
    if (lines_.size() >= kCapacity) {
      ++dropped_;
      return;
    }
    lines_.push_back(std::move(line));
  }
  changed_.notify_one();
}

std::uint64_t LineWriter::dropped() const {
  const std::scoped_lock lock(mutex_);
  return dropped_;
}

void LineWriter::run() {
  constexpr int kPatienceMs = 100;  // how often a stuck writer looks whether it is closing
  std::unique_lock lock(mutex_);
  int farewell_ms = kFarewellMs;
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !lines_.empty(); });
    if (lines_.empty()) return;
    std::string batch;
    while (!lines_.empty() && (batch.empty() || batch.size() + lines_.front().size() < kPipeBuf)) {
      batch += lines_.front() + '\n';
      lines_.pop_front();
    }
    lock.unlock();
    while (write_all(descriptor_, batch, kPatienceMs) == WriteResult::timed_out) {
      const std::scoped_lock relock(mutex_);
      if (closing_) farewell_ms -= kPatienceMs;
      if (closing_ && farewell_ms <= 0) return;
    }
    lock.lock();
  }
}

}  // namespace nandi::tools
