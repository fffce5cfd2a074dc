#include "nandi/engine/discover.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace nandi {
namespace {

/// An eventfd: what another thread writes to end a poll.
class WakeUp {
 public:
  WakeUp() : descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (descriptor_ < 0) {
      throw std::system_error(errno, std::generic_category(), "creating an eventfd");
    }
  }
  ~WakeUp() { close(descriptor_); }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  void signal() const {
    const std::uint64_t one = 1;
    // Fails only when the counter is full, and then it is readable already.
    [[maybe_unused]] const auto written = write(descriptor_, &one, sizeof one);
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

class Discovery::Driver {
 public:
  Driver(std::unique_ptr<PeerFeed> feed, std::stop_token stop)
      : feed_(std::move(feed)),
        token_(std::move(stop)),
        on_stop_(token_, Waker{&stop_}),
        thread_([this] { drive(); }) {}

  ~Driver() {
    stop_.signal();
    thread_.join();
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  std::optional<Peer> next() {
    std::unique_lock lock(mutex_);
    while (true) {
      if (failure_) std::rethrow_exception(failure_);
      if (std::optional<Peer> peer = feed_->take()) return peer;
      if (finished_) return std::nullopt;
      changed_.wait(lock);
    }
  }

 private:
  struct Waker {
    const WakeUp* wake_up;
    void operator()() const { wake_up->signal(); }
  };

  void drive() {
    try {
      while (wait()) {
        const std::scoped_lock lock(mutex_);
        feed_->step();
        if (feed_->has_next()) changed_.notify_one();
      }
      const std::scoped_lock lock(mutex_);
      feed_->stop(token_.stop_requested() ? StopReason::requested : StopReason::closed);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      failure_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    finished_ = true;
    changed_.notify_one();
  }

  /// True when the feed has something to do, false when a stop was requested.
  [[nodiscard]] bool wait() const {
    std::array<pollfd, 2> entries{pollfd{feed_->descriptor(), POLLIN, 0},
                                  pollfd{stop_.descriptor(), POLLIN, 0}};
    while (poll(entries.data(), entries.size(), -1) < 0) {
      if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "polling");
    }
    return entries[1].revents == 0;
  }

  std::mutex mutex_;  // guards feed_, failure_, finished_
  std::condition_variable changed_;
  std::unique_ptr<PeerFeed> feed_;
  std::exception_ptr failure_;
  bool finished_ = false;
  WakeUp stop_;
  std::stop_token token_;
  std::stop_callback<Waker> on_stop_;
  std::thread thread_;  // last: it uses all of the above
};

Discovery::Discovery(std::unique_ptr<PeerFeed> feed, std::stop_token stop)
    : driver_(std::make_unique<Driver>(std::move(feed), std::move(stop))) {}
Discovery::~Discovery() = default;
Discovery::Discovery(Discovery&&) noexcept = default;
Discovery& Discovery::operator=(Discovery&&) noexcept = default;

std::optional<Peer> Discovery::next() { return driver_->next(); }

}  // namespace nandi
