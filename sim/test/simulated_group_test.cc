#include "nandi/sim/simulated_group.h"

#include <gtest/gtest.h>

#include <vector>

namespace nandi::sim {
namespace {

using namespace std::chrono_literals;

GroupOptions quick(std::uint64_t seed) {
  GroupOptions options;
  options.engine.interval = 5s;
  options.network.request = UniformDelay{Duration(200'000), Duration(2'000'000)};
  options.network.reply = UniformDelay{Duration(200'000), Duration(2'000'000)};
  options.seed = seed;
  return options;
}

/// Drains for so long after it was told to stand down.
Consumer drains_for(std::chrono::nanoseconds length) {
  return [length](const Peer& peer, ConsumerContext& context) {
    if (peer.idle()) return context.after(length, [&context] { context.done(); });
    context.done();
  };
}

TEST(SimulatedGroup, three_workers_own_three_different_thirds) {
  SimulatedGroup group(quick(1));
  std::vector<WorkerId> workers;
  for (int w = 0; w < 3; ++w) workers.push_back(group.join(drains_for(100ms)));
  group.run_for(40s);
  std::vector<bool> owned(3);
  for (const WorkerId w : workers) {
    const std::optional<Pair> pair = group.held(w);
    ASSERT_TRUE(pair);
    EXPECT_EQ(pair->count, 3U);
    EXPECT_FALSE(owned.at(pair->index));
    owned.at(pair->index) = true;
  }
  EXPECT_EQ(group.verdict().verdict, Verdict::holds) << group.verdict().story;
}

void trouble(SimulatedGroup& group, std::chrono::nanoseconds drain) {
  const WorkerId first = group.join(drains_for(drain));
  const WorkerId second = group.join(drains_for(drain));
  group.join(drains_for(drain));
  group.run_for(40s);
  group.crash(first);
  group.join(drains_for(drain));
  group.run_for(33s);
  group.leave(second);
  group.run_for(40s);
  group.hang_store(2s);
  group.run_for(40s);
}

TEST(SimulatedGroup, same_seed_gives_the_same_trace_and_another_seed_another) {
  const auto hash = [](std::uint64_t seed) {
    SimulatedGroup group(quick(seed));
    trouble(group, 100ms);
    return group.trace_hash();
  };
  EXPECT_EQ(hash(7), hash(7));
  EXPECT_NE(hash(7), hash(8));
}

TEST(SimulatedGroup, a_drain_shorter_than_the_gap_holds_through_trouble_under_many_seeds) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SimulatedGroup group(quick(seed));
    trouble(group, 100ms);
    const GroupVerdict verdict = group.verdict();
    ASSERT_EQ(verdict.verdict, Verdict::holds) << seed << "\n" << verdict.story;
    EXPECT_EQ(verdict.line("drained-in-time").verdict, Verdict::holds);
  }
}

// The gap is 0.15 of 5 s, 750 ms.
TEST(SimulatedGroup, a_drain_longer_than_the_gap_is_caught_with_a_story) {
  SimulatedGroup group(quick(1));
  trouble(group, 900ms);
  const GroupVerdict verdict = group.verdict();
  EXPECT_EQ(verdict.verdict, Verdict::violated);
  EXPECT_EQ(verdict.line("drained-in-time").verdict, Verdict::violated);
  EXPECT_NE(verdict.story.find("900 ms after its lease had ended"), std::string::npos)
      << verdict.story;
}

TEST(SimulatedGroup, two_consumers_that_act_on_one_task_are_caught) {
  SimulatedGroup group(quick(1));
  trouble(group, 15s);
  EXPECT_EQ(group.verdict().line("work-exclusive").verdict, Verdict::violated);
  EXPECT_EQ(group.verdict().line("lease-exclusive").verdict, Verdict::holds);
}

/// Touches a task of its share every 100 ms until it is told to stop.
class Toucher {
 public:
  explicit Toucher(bool looks) : looks_(looks) {}
  void operator()(const Peer& peer, ConsumerContext& context) {
    peer_ = peer;
    if (!peer.idle()) work(context);
    context.done();
  }

 private:
  void work(ConsumerContext& context) {
    if (peer_.idle() || (looks_ && !peer_.still_valid())) return;
    context.touch(peer_.index());
    context.after(100ms, [this, &context, token = peer_.token()] {
      if (peer_.token() == token) work(context);
    });
  }
  bool looks_;
  Peer peer_;
};

Verdict paused_toucher(bool looks) {
  SimulatedGroup group(quick(3));
  Toucher consumer(looks);
  const WorkerId worker = group.join(
      Consumer([&](const Peer& peer, ConsumerContext& context) { consumer(peer, context); }));
  group.run_for(30s);
  group.pause(worker, 12s);
  group.run_for(40s);
  EXPECT_GT(group.verdict().line("touched-under-lease").tested, 100U);
  return group.verdict().verdict;
}

TEST(SimulatedGroup, a_stalled_consumer_that_looks_at_its_lease_before_it_acts_holds) {
  EXPECT_EQ(paused_toucher(true), Verdict::holds);
}

TEST(SimulatedGroup, a_stalled_consumer_that_acts_without_looking_is_caught) {
  EXPECT_EQ(paused_toucher(false), Verdict::violated);
}

TEST(SimulatedGroup, a_worker_that_leaves_is_handed_idle_last_and_has_gone) {
  SimulatedGroup group(quick(1));
  std::vector<bool> idle;
  const WorkerId worker = group.join([&](const Peer& peer) { idle.push_back(peer.idle()); });
  group.run_for(30s);
  group.leave(worker);
  EXPECT_FALSE(group.present(worker));
  EXPECT_EQ(idle.back(), true);
  EXPECT_EQ(idle[idle.size() - 2], false);
}

TEST(SimulatedGroup, lost_messages_leave_the_lease_exclusive) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    GroupOptions options = quick(seed);
    options.network.loss = {Fraction(1, 20), Fraction(1, 20)};
    SimulatedGroup group(options);
    trouble(group, 10ms);
    EXPECT_EQ(group.verdict().line("lease-exclusive").verdict, Verdict::holds)
        << group.verdict().story;
  }
}

// A worker alone: whichever of its counters a flush takes away, one registration comes to find no
// closed count, which is no renewal; two closed intervals later the pair is agreed on again.
TEST(SimulatedGroup, a_flushed_store_costs_the_lease_and_the_worker_comes_back) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulatedGroup group(quick(seed));
    std::vector<bool> idle;
    const WorkerId worker = group.join([&](const Peer& peer) { idle.push_back(peer.idle()); });
    group.run_for(40s);
    ASSERT_TRUE(group.held(worker));
    idle.clear();
    group.flush_store();
    group.run_for(30s);
    EXPECT_EQ(idle, (std::vector<bool>{true, false})) << "seed " << seed;
    EXPECT_TRUE(group.held(worker));
  }
}

TEST(SimulatedGroup, nothing_handed_over_is_unknown) {
  SimulatedGroup group(quick(1));
  group.join(drains_for(0s));
  group.run_for(1s);
  EXPECT_EQ(group.verdict().verdict, Verdict::unknown);
}

TEST(SimulatedGroup, misuse_is_refused) {
  GroupOptions one = quick(1);
  one.capacity = 1;
  SimulatedGroup group(one);
  EXPECT_THROW(group.crash(0), std::invalid_argument);
  group.join([](const Peer&, ConsumerContext& context) {
    context.done();
    context.done();
  });
  EXPECT_THROW(group.join(drains_for(0s)), std::length_error);
  EXPECT_THROW(group.run_for(-1s), std::invalid_argument);
  EXPECT_THROW(group.run_for(30s), std::logic_error);
  EXPECT_THROW(static_cast<void>(group.verdict().line("exclusive")), std::invalid_argument);
  GroupOptions none;
  EXPECT_THROW(SimulatedGroup{none}, InvalidOptions);
}

}  // namespace
}  // namespace nandi::sim
