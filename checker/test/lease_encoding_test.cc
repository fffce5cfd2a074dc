// The lease model's packed form leaves out nothing that matters, and each of its fields matters.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lease_checks.h"
#include "nandi/checker/encoding_audit.h"
#include "nandi/checker/lease_model.h"
#include "nandi/checker/random_walk.h"

namespace nandi::checker {
namespace {

using Model1 = LeaseModel<sim::AblatedRules, 1>;
using State1 = Model1::State;
using Forget = std::function<void(Model1::State&)>;
using Key = std::vector<std::uint64_t>;

/// What can be seen of a state when `forget` has wiped a field out of every packed form.
class ForgetfulView {
 public:
  ForgetfulView(const LeaseCheck& check, Forget forget)
      : model_(check), codec_(check), forget_(std::move(forget)) {}

  const Model1& model() const { return model_; }

  Key key(const Model1::State& state) const {
    Model1::State wiped;
    codec_.unpack(state.packed.data(), wiped);
    forget_(wiped);
    codec_.pack(wiped);
    return {wiped.packed.begin(), wiped.packed.begin() + static_cast<long>(codec_.words())};
  }

  /// The properties that it decides, and where its actions lead.
  std::vector<std::pair<std::size_t, Key>> behaviour(const Model1::State& state) const {
    std::vector<std::pair<std::size_t, Key>> all{{model_.decided(state), {}}};
    model_.for_each_successor(state, [&](const LeaseAction& action, const Model1::State& next) {
      all.emplace_back(100 + model_.action_class(action), key(next));
    });
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  Model1 model_;
  LeaseCodec<sim::AblatedRules, 1> codec_;
  Forget forget_;
};

void change_engine(State1& state, const std::function<void(LeaseState&)>& change) {
  auto& worker = state.world.workers()[0];
  LeaseState engine = worker.engine.state();
  change(engine);
  worker.engine = BasicLeaseEngine<sim::AblatedRules>(engine);
}

void forget_counter(State1& state, std::int64_t age) {
  const IntervalNumber open = state.world.store_clock().at(state.world.now()).count() / 5;
  state.world.store().erase(0, open - age);
}

/// One worker, everything that the packed form has a field for switched on.
LeaseCheck busy_check() {
  LeaseCheck check = small_check(1);
  check.members.front().timing.attempt_timeout = Duration(2);
  check.pauses = 1;
  check.abandoned = 1;
  check.crashes = true;
  check.joins_in_all = false;
  check.joins = 1;
  check.drift = 1;
  check.faults.refuse = 1;
  check.settled = true;
  return check;
}

/// So that there is an index above 0, and a count above 1.
LeaseCheck rejoining_check() {
  LeaseCheck check = small_check(1);
  check.crashes = true;
  check.abandoned = 1;
  check.joins_in_all = false;
  return check;
}

LeaseCheck with_faults() {
  LeaseCheck check = small_check(1);
  check.faults = {1, 1, 1, 1, 1, 1, 0, 1};
  check.step_forward = 2;
  check.step_back = 2;
  return check;
}

struct Field {
  std::string name;
  Forget forget;
};

std::vector<Field> engine_fields() {
  const auto engine = [](std::string name, void (*change)(LeaseState&)) {
    return Field{std::move(name), [change](State1& s) { change_engine(s, change); }};
  };
  return {
      engine("held", [](LeaseState& e) { e.has_held = false; }),
      engine("interval", [](LeaseState& e) { e.interval = 1000; }),
      engine("index", [](LeaseState& e) { e.index = 0; }),
      engine("remembered", [](LeaseState& e) { e.has_remembered = false; }),
      engine("remembered index", [](LeaseState& e) { e.remembered.index = 0; }),
      engine("remembered count", [](LeaseState& e) { e.remembered.count = 1; }),
      engine("lease", [](LeaseState& e) { e.has_lease = false; }),
      engine("expires", [](LeaseState& e) { e.expires = LocalTime(5003); }),
      engine("failures", [](LeaseState& e) { e.failures = 0; }),
      engine("sent", [](LeaseState& e) { e.sent = LocalTime(5000); }),
      engine("due", [](LeaseState& e) { e.due = LocalTime(5000); }),
  };
}

std::vector<Field> other_fields() {
  const auto reply = [](std::string name, void (*change)(Tick&)) {
    return Field{std::move(name), [change](State1& s) { change(s.world.workers()[0].reply); }};
  };
  return {
      {"joins", [](State1& s) { s.joins[0] = 0; }},
      {"abandoned requests", [](State1& s) { s.world.workers()[0].ghosts = 0; }},
      {"presence", [](State1& s) { s.world.workers()[0].process = sim::Process::absent; }},
      {"pause",
       [](State1& s) {
         auto& process = s.world.workers()[0].process;
         if (process == sim::Process::paused) process = sim::Process::running;
       }},
      {"drift", [](State1& s) { s.drift[0] = 0; }},
      {"what is under way", [](State1& s) { s.world.workers()[0].wire = sim::Wire::none; }},
      reply("reply's interval", [](Tick& r) { r.interval = 1000; }),
      reply("reply's time", [](Tick& r) { r.at = StoreTime(5 * r.interval); }),
      reply("reply's index", [](Tick& r) { r.index = 0; }),
      reply("reply's previous count", [](Tick& r) { r.previous_count.reset(); }),
      {"phase", [](State1& s) { s.world.store_clock().shown = StoreTime(5000); }},
      {"open counter", [](State1& s) { forget_counter(s, 0); }},
      {"closed counter", [](State1& s) { forget_counter(s, 1); }},
      {"refusals left", [](State1& s) { s.used.refuse = 0; }},
  };
}

std::vector<Field> budget_fields() {
  return {
      {"flush-all", [](State1& s) { s.used.flush_all = 0; }},
      {"erase open", [](State1& s) { s.used.erase_open = 0; }},
      {"erase closed", [](State1& s) { s.used.erase_closed = 0; }},
      {"clock steps", [](State1& s) { s.used.store_step = 0; }},
      {"refusals", [](State1& s) { s.used.refuse = 0; }},
      {"losses", [](State1& s) { s.used.lose = 0; }},
      {"lost writes", [](State1& s) { s.used.lost_writes = 0; }},
  };
}

/// Leaving the field out is noticed: two states of the whole graph that look alike without it do
/// not go on alike (or one cannot be packed any more). Looks at so many states at most.
bool is_caught(const LeaseCheck& check, const Field& field) {
  constexpr std::size_t kStates = 200'000;
  const ForgetfulView view(check, field.forget);
  std::map<Key, std::vector<std::pair<std::size_t, Key>>> seen;
  std::set<Key> found;
  std::deque<Key> waiting;
  const auto meet = [&](const Model1::State& state) {
    Key key = pack(view.model(), state);
    if (found.insert(key).second) waiting.push_back(std::move(key));
  };
  try {
    view.model().for_each_initial(meet);
    while (!waiting.empty() && found.size() < kStates) {
      Model1::State state;
      view.model().decode(waiting.front().data(), state);
      waiting.pop_front();
      auto behaviour = view.behaviour(state);
      const auto [known, is_new] = seen.emplace(view.key(state), behaviour);
      if (!is_new && known->second != behaviour) return true;
      view.model().for_each_successor(
          state, [&](const LeaseAction&, const Model1::State& next) { meet(next); });
    }
  } catch (const std::logic_error&) {  // of the packing
    return true;
  }
  return false;
}

TEST(LeaseEncoding, leaving_out_any_field_is_caught) {
  for (const std::vector<Field>& fields : {engine_fields(), other_fields()}) {
    for (const Field& field : fields) {
      EXPECT_TRUE(is_caught(small_check(1), field) || is_caught(rejoining_check(), field) ||
                  is_caught(busy_check(), field))
          << field.name;
    }
  }
  for (const Field& field : budget_fields()) {
    EXPECT_TRUE(is_caught(with_faults(), field)) << field.name;
  }
}

TEST(LeaseEncoding, leaving_out_that_a_group_was_settled_is_caught) {
  LeaseCheck check = small_check(1);
  check.settled = true;
  EXPECT_TRUE(is_caught(check, {"was settled", [](State1& s) { s.was_settled = false; }}));
}

TEST(LeaseEncoding, leaving_out_nothing_is_not_caught) {
  EXPECT_FALSE(is_caught(small_check(1), {"nothing", [](State1&) {}}));
}

TEST(LeaseEncoding, a_deadline_follows_from_the_time_of_sending_and_the_end_of_the_lease) {
  const auto forget = [](State1& s) {
    change_engine(s, [](LeaseState& e) { e.deadline = LocalTime(5000); });
  };
  EXPECT_FALSE(is_caught(small_check(1), {"deadline", forget}));
}

template <std::size_t W>
std::string difference(const LeaseCheck& check) {
  return audit_encoding(LeaseModel<sim::AblatedRules, W>(check)).value_or("none");
}

/// Walks through working states that are never packed and decoded on the way, so that they keep all
/// their history, and looks whether each goes on as its decoded form does.
template <std::size_t W>
std::string difference_on_walks(const LeaseCheck& check, std::uint64_t walks, std::uint64_t steps) {
  using M = LeaseModel<sim::AblatedRules, W>;
  const M model(check);
  const auto behaviour = [&](const typename M::State& state) {
    std::vector<std::pair<std::size_t, Key>> all{{model.decided(state), {}}};
    model.for_each_successor(state, [&](const LeaseAction& action, const typename M::State& next) {
      all.emplace_back(100 + model.action_class(action), pack(model, next));
    });
    std::sort(all.begin(), all.end());
    return all;
  };
  for (std::uint64_t walk = 0; walk < walks; ++walk) {
    typename M::State state;
    model.for_each_initial([&](const typename M::State& initial) { state = initial; });
    for (std::uint64_t step = 0; step < steps; ++step) {
      typename M::State decoded;
      model.decode(pack(model, state).data(), decoded);
      if (behaviour(decoded) != behaviour(state)) return model.describe_state(state);
      std::vector<typename M::State> next;
      model.for_each_successor(
          state, [&](const LeaseAction&, const typename M::State& to) { next.push_back(to); });
      if (next.empty()) break;
      state = next[walk_draw(1, walk, step, 0) % next.size()];
    }
  }
  return "none";
}

// With free slots the last one is one gap before the end of its interval N + 1, so a lease issued
// in N ends with N + 1 by its worker's clock, less the tick of resolution. A clock that lags by two
// ticks after the request (from +1 to -1) shows that end only when N + 2 is open.
TEST(LeaseEncoding, a_lagging_clock_lets_a_reply_of_two_intervals_ago_grant) {
  LeaseCheck check = small_check(1);
  check.members.front().timing.attempt_timeout = Duration(3);
  check.pauses = 1;
  check.drift = 1;
  const Model1 model(check);
  std::set<Key> found;
  std::deque<Key> waiting;
  const auto meet = [&](const Model1::State& state) {
    Key key = pack(model, state);
    if (found.insert(key).second) waiting.push_back(std::move(key));
  };
  std::size_t late_grants = 0;
  model.for_each_initial(meet);
  while (!waiting.empty()) {
    Model1::State state;
    model.decode(waiting.front().data(), state);
    waiting.pop_front();
    const IntervalNumber open = state.world.store_clock().at(state.world.now()).count() / 5;
    const bool is_late = open - state.world.worker(0).reply.interval >= 2;
    model.for_each_successor(state, [&](const LeaseAction& action, const Model1::State& next) {
      const bool grants = action.step == LeaseStep::grant || action.step == LeaseStep::renew;
      if (grants && is_late) ++late_grants;
      meet(next);
    });
  }
  EXPECT_GT(late_grants, 0U);
}

TEST(LeaseEncoding, it_leaves_out_nothing_of_a_long_history) {
  LeaseCheck check = small_check(2);
  check.pauses = 1;
  check.abandoned = 1;
  check.crashes = true;
  check.joins_in_all = false;
  check.settled = true;
  check.drift = 1;
  EXPECT_EQ(difference_on_walks<2>(check, 200, 400), "none");
  check.drift = 0;
  check.faults = {1, 1, 1, 1, 1, 1, 0, 1};
  check.step_forward = 7;
  check.step_back = 5;
  EXPECT_EQ(difference_on_walks<2>(check, 200, 400), "none");
  check.faults = {};
  for (CheckedMember& member : check.members) {
    member.rules.deadline_from = sim::DeadlineFrom::reply;
    member.rules.extra_margin = Duration(3);
  }
  EXPECT_EQ(difference_on_walks<2>(check, 200, 400), "none");
}

TEST(LeaseEncoding, it_leaves_out_nothing_of_a_stall_with_a_stopped_clock) {
  LeaseCheck check = small_check(2);
  check.pauses = 1;
  check.pauses_stop_clocks = true;
  check.abandoned = 1;
  check.crashes = true;
  check.joins_in_all = false;
  EXPECT_EQ(difference_on_walks<2>(check, 200, 400), "none");
}

TEST(LeaseEncoding, it_leaves_out_nothing_that_matters_to_one_worker) {
  LeaseCheck check = small_check(1);
  check.pauses = 1;
  check.abandoned = 1;
  check.crashes = true;
  check.joins_in_all = false;
  EXPECT_EQ(difference<1>(check), "none");
}

TEST(LeaseEncoding, it_leaves_out_nothing_that_matters_to_two_workers) {
  LeaseCheck check = small_check(2);
  check.request_delay = 0;
  check.reply_delay = 1;
  check.registrations = 2;
  EXPECT_EQ(difference<2>(check), "none");
  check.symmetry = true;
  EXPECT_EQ(difference<2>(check), "none");
}

TEST(LeaseEncoding, it_leaves_out_nothing_that_matters_under_faults) {
  LeaseCheck check = small_check(1);
  check.faults.store_step = 1;
  check.step_forward = 6;
  check.step_back = 5;
  check.request_delay = 1;
  check.reply_delay = 1;
  EXPECT_EQ(difference<1>(check), "none");
  check = small_check(1);
  check.faults = {1, 1, 1, 0, 0, 0, 0, 1};
  check.request_delay = 1;
  check.reply_delay = 1;
  EXPECT_EQ(difference<1>(check), "none");
}

TEST(LeaseEncoding, it_leaves_out_nothing_under_steps_longer_than_an_interval) {
  LeaseCheck check = small_check(1);
  check.faults.store_step = 1;
  check.step_forward = 7;
  check.step_back = 2;
  check.pauses = 1;
  check.members.front().timing.attempt_timeout = Duration(3);
  EXPECT_EQ(difference<1>(check), "none");
}

TEST(LeaseEncoding, it_leaves_out_nothing_that_matters_under_drift_and_with_own_clocks) {
  LeaseCheck check = small_check(1);
  check.drift = 1;
  check.reply_delay = 1;
  check.request_delay = 1;
  EXPECT_EQ(difference<1>(check), "none");
  check = small_check(2);
  for (CheckedMember& member : check.members) member.interval_from_worker_clock = true;
  check.members.back().clock_offset = 3;
  check.request_delay = 0;
  check.reply_delay = 1;
  EXPECT_EQ(difference<2>(check), "none");
}

}  // namespace
}  // namespace nandi::checker
