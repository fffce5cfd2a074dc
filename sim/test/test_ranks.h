// Ranks that are threads of one process: what goes between them is kept, and can be tampered with.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ranks/following_rank.h"
#include "ranks/rank_link.h"

namespace nandi::sim {

/// Where texts wait. Any thread.
class TestPost {
 public:
  explicit TestPost(int ranks) : boxes_(static_cast<std::size_t>(ranks)) {}

  /// Sees what is sent, and may change it; empty: it is lost. Called by one thread at a time.
  std::function<std::string(int from, int to, std::string text)> tamper;

  void put(int from, int to, std::string text) {
    const std::lock_guard lock(mutex_);
    if (tamper) text = tamper(from, to, std::move(text));
    if (!text.empty()) boxes_[static_cast<std::size_t>(to)].push_back({from, std::move(text)});
  }
  std::optional<Incoming> take(int rank) {
    const std::lock_guard lock(mutex_);
    std::deque<Incoming>& box = boxes_[static_cast<std::size_t>(rank)];
    if (box.empty()) return std::nullopt;
    Incoming incoming = std::move(box.front());
    box.pop_front();
    return incoming;
  }
  [[nodiscard]] int ranks() const { return static_cast<int>(boxes_.size()); }

 private:
  std::mutex mutex_;
  std::vector<std::deque<Incoming>> boxes_;
};

class TestLink final : public RankLink {
 public:
  TestLink(TestPost& post, int rank) : post_(post), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int ranks() const override { return post_.ranks(); }
  void send(int to, std::string text) override { post_.put(rank_, to, std::move(text)); }
  [[nodiscard]] std::optional<Incoming> receive() override { return post_.take(rank_); }

 private:
  TestPost& post_;
  int rank_;
};

/// All ranks but 0, each in a thread, until rank 0 has ended them.
class TestFollowers {
 public:
  explicit TestFollowers(TestPost& post) {
    for (int rank = 1; rank < post.ranks(); ++rank) {
      threads_.emplace_back([this, &post, rank] {
        TestLink link(post, rank);
        FollowingRank(link, stop).serve();
      });
    }
  }
  TestFollowers(const TestFollowers&) = delete;
  TestFollowers& operator=(const TestFollowers&) = delete;
  ~TestFollowers() {
    for (std::thread& thread : threads_) thread.join();
  }

  std::atomic<bool> stop{false};  ///< as a signal to each of them

 private:
  std::vector<std::thread> threads_;
};

}  // namespace nandi::sim
