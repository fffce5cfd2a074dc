// EventQueue: what is going to happen, in order of (time, class, sequence).
//
// A four-ary heap of small events. Two events at the same time are ordered by their class, as
// EventClass lists them, and within a class by the order in which they were pushed; so the order is
// total and the same everywhere. An event is never removed from the middle: a timer that is no
// longer wanted is recognised by its generation when it comes up.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nandi/sim/action.h"
#include "nandi/sim/clock_model.h"
#include "nandi/sim/draw.h"

namespace nandi::sim {

/// In the order in which they happen at equal times. The numbers are part of the trace format.
enum class EventClass : std::uint8_t {
  agenda = 0,   ///< the scenario's timeline: faults begin and end, workers come and go
  execute = 1,  ///< a request reaches the store
  lose = 2,     ///< a message turns out to be lost
  deliver = 3,  ///< a reply reaches its worker
  drained = 4,  ///< a consumer has stopped
  wake = 5,     ///< a worker's timer
};

struct QueuedEvent {
  TrueTime at;
  std::uint64_t order = 0;  ///< class in the top 8 bits, sequence below
  WorkerId worker = 0;
  std::uint32_t data = 0;  ///< attempt, generation, or number on the agenda

  [[nodiscard]] EventClass event_class() const { return static_cast<EventClass>(order >> 56); }
};

class EventQueue {
 public:
  /// Forgets everything, keeps the memory.
  void clear() {
    heap_.clear();
    has_hole_ = false;
    least_child_ = 0;
    sequence_ = 0;
  }
  void reserve(std::size_t events) { heap_.reserve(events); }

  [[nodiscard]] bool empty() const { return heap_.size() == (has_hole_ ? 1U : 0U); }
  [[nodiscard]] std::size_t size() const { return heap_.size() - (has_hole_ ? 1U : 0U); }

  void push(TrueTime at, EventClass event_class, WorkerId worker, std::uint32_t data) {
    const QueuedEvent event{at, static_cast<std::uint64_t>(event_class) << 56 | sequence_++, worker,
                            data};
    if (has_hole_) {  // most events push their successor: one way down instead of up and down
      has_hole_ = false;
      sift_down(event);
      return;
    }
    heap_.push_back(event);
    least_child_ = 0;
    sift_up(event);
  }

  /// Removes and returns the first event. Precondition: not empty.
  QueuedEvent pop() {
    if (has_hole_) close_hole();
    assert(!heap_.empty());
    has_hole_ = true;
    return heap_.front();
  }

  /// The event that comes after the one just popped, unless one pushed since comes before it;
  /// nullptr when there is none.
  [[nodiscard]] const QueuedEvent* likely_next() {
    if (!has_hole_ || heap_.size() < 2) return heap_.empty() ? nullptr : heap_.data();
    if (least_child_ == 0) least_child_ = least_of(1);
    return &heap_[least_child_];
  }

  /// Time of the first event; TrueTime::max() when there is none.
  [[nodiscard]] TrueTime next_time() {
    if (has_hole_) close_hole();
    return heap_.empty() ? TrueTime::max() : heap_.front().at;
  }

 private:
  static constexpr std::size_t kArity = 4;

  [[nodiscard]] static bool is_before(const QueuedEvent& a, const QueuedEvent& b) {
    // One comparison of 128 bits, without a branch on the time; true time is never negative.
    const UInt128 left = UInt128{static_cast<std::uint64_t>(a.at.count())} << 64 | a.order;
    const UInt128 right = UInt128{static_cast<std::uint64_t>(b.at.count())} << 64 | b.order;
    return left < right;
  }

  void close_hole() {
    has_hole_ = false;
    const QueuedEvent last = heap_.back();
    heap_.pop_back();
    least_child_ = 0;  // it may have been the last
    if (!heap_.empty()) sift_down(last);
  }

  /// The first of the events that have one parent. Precondition: there is one at `first`.
  [[nodiscard]] std::size_t least_of(std::size_t first) const {
    const QueuedEvent* const heap = heap_.data();
    if (first + kArity <= heap_.size()) [[likely]] {
      // Two pairs, then their winners: no branch that a processor could guess wrong.
      const std::size_t left = first + (is_before(heap[first + 1], heap[first]) ? 1 : 0);
      const std::size_t right = first + 2 + (is_before(heap[first + 3], heap[first + 2]) ? 1 : 0);
      return left + (right - left) * (is_before(heap[right], heap[left]) ? 1 : 0);
    }
    std::size_t least = first;
    for (std::size_t child = first + 1; child < heap_.size(); ++child) {
      if (is_before(heap[child], heap[least])) least = child;
    }
    return least;
  }

  /// Puts `event` where it belongs, starting from a hole at the root.
  void sift_down(const QueuedEvent& event) {
    QueuedEvent* const heap = heap_.data();
    if (heap_.size() > 1) {
      if (least_child_ == 0) least_child_ = least_of(1);
      // Most events are messages, which come before everything else: they stay at the root, and
      // what is below is as it was.
      if (is_before(heap[least_child_], event)) {
        sift_down_from(std::exchange(least_child_, 0), event);
        return;
      }
    }
    heap[0] = event;
  }

  /// The same, when it belongs below the root and `hole` is its least child.
  void sift_down_from(std::size_t hole, const QueuedEvent& event) {
    QueuedEvent* const heap = heap_.data();
    heap[0] = heap[hole];
    for (;;) {
      const std::size_t first = hole * kArity + 1;
      if (first >= heap_.size()) break;
      const std::size_t least = least_of(first);
      if (!is_before(heap[least], event)) break;
      heap[hole] = heap[least];
      hole = least;
    }
    heap[hole] = event;
  }

  /// Puts `event` where it belongs, starting from a hole at the end.
  void sift_up(const QueuedEvent& event) {
    std::size_t hole = heap_.size() - 1;
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kArity;
      if (!is_before(event, heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  std::vector<QueuedEvent> heap_;
  std::uint64_t sequence_ = 0;
  std::size_t least_child_ = 0;  ///< the least of the root's children; 0: not known
  bool has_hole_ = false;        ///< the root was popped and not yet replaced
};

}  // namespace nandi::sim
