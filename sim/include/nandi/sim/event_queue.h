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
  [[nodiscard]] const QueuedEvent* likely_next() const {
    if (!has_hole_ || heap_.size() < 2) return heap_.empty() ? nullptr : heap_.data();
    const std::size_t end = std::min(kArity + 1, heap_.size());
    std::size_t least = 1;
    for (std::size_t child = 2; child < end; ++child) {
      if (is_before(heap_[child], heap_[least])) least = child;
    }
    return &heap_[least];
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
    if (!heap_.empty()) sift_down(last);
  }

  /// Puts `event` where it belongs, starting from a hole at the root.
  void sift_down(const QueuedEvent& event) {
    QueuedEvent* const heap = heap_.data();
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = hole * kArity + 1;
      if (first >= size) break;
      std::size_t least = first;
      if (first + kArity <= size) [[likely]] {
        // Two pairs, then their winners: no branch that a processor could guess wrong.
        const std::size_t left = first + (is_before(heap[first + 1], heap[first]) ? 1 : 0);
        const std::size_t right = first + 2 + (is_before(heap[first + 3], heap[first + 2]) ? 1 : 0);
        least = left + (right - left) * (is_before(heap[right], heap[left]) ? 1 : 0);
      } else {
        for (std::size_t child = first + 1; child < size; ++child) {
          if (is_before(heap[child], heap[least])) least = child;
        }
      }
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
  bool has_hole_ = false;  ///< the root was popped and not yet replaced
};

}  // namespace nandi::sim
