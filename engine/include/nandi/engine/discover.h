// discover: a range of the pairs that a worker owns, one after the other.
//
//   for (const Peer& peer : discover(redis_url, options, stop_token)) {
//     drain();                       // let go of what was handed before
//     if (peer.idle()) continue;
//     run([peer](std::int64_t id) { return peer.owns(id) && peer.still_valid(); });
//   }
//
// The loop is handed changes of ownership only, idle first, and ends after a requested stop, idle
// last. Registration goes on in a thread of its own while the body drains or works: it never waits
// for the consumer.
#pragma once

#include <concepts>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "nandi/engine/options.h"
#include "nandi/engine/peer.h"
#include "nandi/engine/peer_feed.h"
#include "nandi/engine/reporter.h"

namespace nandi {

/// Drives a feed in the background and hands over what it brings. next() and iteration are for one
/// thread at a time; the peers they return are values that any thread may keep.
class Discovery {
 public:
  /// Starts registering. `stop` ends it from any thread; so does the destructor, which waits for no
  /// server. The feed's reporter is called by the background thread and, inside next(), by the
  /// caller's, one call at a time. Errors: std::system_error without descriptors or threads.
  explicit Discovery(std::unique_ptr<PeerFeed> feed, std::stop_token stop = {});
  ~Discovery();
  Discovery(Discovery&&) noexcept;
  Discovery& operator=(Discovery&&) noexcept;

  /// Waits for the next change of ownership; nullopt after a stop, once idle was handed. Rethrows
  /// what the background thread died of (no memory, no descriptors; never a remote failure).
  [[nodiscard]] std::optional<Peer> next();

  class Iterator {
   public:
    using value_type = Peer;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    explicit Iterator(Discovery& discovery) : discovery_(&discovery) { ++*this; }
    /// Valid until the next increment.
    const Peer& operator*() const { return *peer_; }
    Iterator& operator++() {
      peer_ = discovery_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) { return !it.peer_; }

   private:
    Discovery* discovery_;
    std::optional<Peer> peer_;
  };

  [[nodiscard]] Iterator begin() { return Iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const { return std::default_sentinel; }

 private:
  class Driver;
  std::unique_ptr<Driver> driver_;
};

/// The range form on a Redis. The URL is redis://, rediss://, redis+unix://, redis+sentinel:// or
/// redis+cluster:// (redis/redis_url.h).
/// A server that cannot be reached is no error: the worker is idle until it can. Errors:
/// InvalidOptions; std::invalid_argument for a URL that cannot be read, without quoting it.
[[nodiscard]] Discovery discover(const std::string& redis_url, const Options& options,
                                 std::stop_token stop = {}, Reporter reporter = {});

/// The range form over any feed.
[[nodiscard]] inline Discovery discover(std::unique_ptr<PeerFeed> feed, std::stop_token stop = {}) {
  return Discovery(std::move(feed), std::move(stop));
}

/// The callback form: calls `adopt(const Peer&)` on this thread for every change of ownership, and
/// returns after a stop. The next change is taken only once `adopt` has returned.
template <std::invocable<const Peer&> Adopt>
void discover(std::unique_ptr<PeerFeed> feed, std::stop_token stop, Adopt&& adopt) {
  for (const Peer& peer : discover(std::move(feed), std::move(stop))) adopt(peer);
}

}  // namespace nandi
