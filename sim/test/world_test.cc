// What the world does with what a worker has given up.
#include <gtest/gtest.h>

#include <optional>

#include "scripted_run.h"

namespace nandi::sim {
namespace {

/// A request that was given up by a worker alone in its group: an EVALSHA, or the source that
/// follows NOSCRIPT.
class AbandonedRequest : public testing::Test {
 protected:
  [[nodiscard]] std::int64_t now() const { return run.world().now().count(); }

  void flush_scripts() {
    Action flush;
    flush.kind = ActionKind::script_flush;
    run.act(now(), flush);
  }

  void send(bool with_source) {
    run.act(1000, ActionKind::join, 0, 500);
    if (with_source) flush_scripts();
    run.act(1500, ActionKind::wake, 0);
    if (with_source) {
      EXPECT_FALSE(run.act(1501, ActionKind::execute, 0).executed) << "NOSCRIPT";
      EXPECT_TRUE(run.act(1502, ActionKind::deliver, 0).request_sent);
    }
    run.act(run.wakeup(0), ActionKind::wake, 0);  // the deadline has passed
  }

  Action abandoned(ActionKind kind, bool with_source) {
    Action action;
    action.kind = kind;
    action.value = with_source ? 1 : 0;
    return action;
  }

  std::optional<std::uint32_t> count() {
    const LeaseTiming& timing = run.configs()[0].lease.timing;
    const IntervalNumber open = now() / timing.interval.count();
    const auto counter = run.world().store().find(0, open, timing, StoreTime(now()));
    return counter ? std::optional(counter->value) : std::nullopt;
  }

  ScriptedRun<> run{1};
};

TEST_F(AbandonedRequest, by_name_counts_nowhere_once_the_script_was_flushed) {
  send(false);
  flush_scripts();
  const Applied applied = run.act(now(), abandoned(ActionKind::execute, false));
  EXPECT_TRUE(applied.ghost);
  EXPECT_FALSE(applied.executed);
  EXPECT_EQ(count(), std::nullopt);
}

TEST_F(AbandonedRequest, by_name_counts_where_the_script_is_known) {
  send(false);
  EXPECT_TRUE(run.act(now(), abandoned(ActionKind::execute, false)).executed);
  EXPECT_EQ(count(), 1U);
}

// EVAL needs no cache, and fills it again.
TEST_F(AbandonedRequest, with_the_source_counts_although_the_script_was_flushed) {
  send(true);
  flush_scripts();
  const Applied applied = run.act(now(), abandoned(ActionKind::execute, true));
  EXPECT_TRUE(applied.ghost);
  EXPECT_TRUE(applied.executed);
  EXPECT_EQ(count(), 1U);
  EXPECT_TRUE(run.world().store().script_cached());
}

TEST_F(AbandonedRequest, is_executed_or_lost_as_what_it_is) {
  send(true);
  const auto enabled = [&](ActionKind kind, bool with_source) {
    return run.world().enabled(run.configs(), abandoned(kind, with_source));
  };
  EXPECT_TRUE(enabled(ActionKind::execute, true));
  EXPECT_TRUE(enabled(ActionKind::lose, true));
  EXPECT_FALSE(enabled(ActionKind::execute, false));
  EXPECT_FALSE(enabled(ActionKind::lose, false));
  run.act(now(), ActionKind::crash, 0);
  run.act(now(), abandoned(ActionKind::lose, true));
  EXPECT_FALSE(enabled(ActionKind::execute, true));
  EXPECT_EQ(count(), std::nullopt);
}

}  // namespace
}  // namespace nandi::sim
