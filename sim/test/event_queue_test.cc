#include "nandi/sim/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace nandi::sim {
namespace {

TEST(EventQueue, OrdersByTimeThenClassThenSequence) {
  EventQueue queue;
  queue.push(TrueTime(5), EventClass::wake, 0, 0);
  queue.push(TrueTime(5), EventClass::deliver, 1, 0);
  queue.push(TrueTime(5), EventClass::execute, 2, 0);
  queue.push(TrueTime(5), EventClass::agenda, 3, 0);
  queue.push(TrueTime(4), EventClass::wake, 4, 0);
  queue.push(TrueTime(5), EventClass::execute, 5, 0);
  queue.push(TrueTime(5), EventClass::lose, 6, 0);
  queue.push(TrueTime(5), EventClass::drained, 7, 0);
  std::vector<WorkerId> order;
  while (!queue.empty()) order.push_back(queue.pop().worker);
  EXPECT_EQ(order, (std::vector<WorkerId>{4, 3, 2, 5, 6, 1, 7, 0}));
}

TEST(EventQueue, AgreesWithSortingWhateverTheInterleavingOfPushesAndPops) {
  const Draws draws(9);
  EventQueue queue;
  struct Known {
    std::int64_t at;
    std::uint64_t event_class;
    std::uint64_t sequence;
    auto operator<=>(const Known&) const = default;
  };
  std::vector<Known> known;
  std::uint64_t sequence = 0;
  std::int64_t now = 0;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const std::uint64_t u = draws(Stream::swarm, 0, step);
    if (known.empty() || u % 5 < 3) {
      const std::int64_t at = now + static_cast<std::int64_t>(u / 5 % 50);
      const auto event_class = u / 1000 % 6;
      queue.push(TrueTime(at), static_cast<EventClass>(event_class),
                 static_cast<WorkerId>(sequence), 0);
      known.push_back({at, event_class, sequence++});
    } else {
      const auto first = std::min_element(known.begin(), known.end());
      ASSERT_EQ(queue.next_time(), TrueTime(first->at));
      const QueuedEvent event = queue.pop();
      ASSERT_EQ(event.worker, first->sequence) << step;
      now = event.at.count();
      known.erase(first);
    }
    ASSERT_EQ(queue.size(), known.size());
    ASSERT_EQ(queue.empty(), known.empty());
  }
}

}  // namespace
}  // namespace nandi::sim
