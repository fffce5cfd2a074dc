// A path of the lease model as a story for people and as a schedule for the simulator.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "nandi/checker/lease_model.h"
#include "nandi/checker/lease_story.h"
#include "nandi/checker/path.h"

namespace nandi::checker {

/// What the steps of one worker within one tick amount to, gathered into one line.
struct StoryBeat {
  std::int64_t tick = 0;  ///< on the store's clock
  sim::WorkerId worker = 0;
  bool in_loop = false;
  std::vector<std::string> parts;
};

template <class Rules, std::size_t W>
std::string beat_text(const LeaseModel<Rules, W>& model, const LeaseAction& action,
                      const LeaseModelState<Rules, W>& before,
                      const LeaseModelState<Rules, W>& after) {
  const sim::WorkerId id = action.action.worker;
  const std::int64_t slot = action.action.value > 0 ? action.action.value : action.action.extra;
  const auto pair = [&](const LeaseModelState<Rules, W>& state) {
    const Pair lease = state.world.worker(id).engine.state().lease;
    return fmt::format("{} of {}", lease.index, lease.count);
  };
  const auto next_slot = slot > 0 ? fmt::format(", next slot at tick {}", slot) : std::string();
  switch (action.step) {
    case LeaseStep::join: return "starts";
    case LeaseStep::send: return "sends a registration";
    case LeaseStep::execute: {
      const Tick& reply = after.world.worker(id).reply;
      return fmt::format("its registration executes: index {}, {}", reply.index,
                         reply.previous_count
                             ? fmt::format("previous count {}", *reply.previous_count)
                             : std::string("no previous count"));
    }
    case LeaseStep::execute_abandoned: return "an abandoned registration executes (a ghost)";
    case LeaseStep::grant: return "the reply arrives: takes up " + pair(after) + next_slot;
    case LeaseStep::renew: return "the reply arrives: renews " + pair(after) + next_slot;
    case LeaseStep::release: return "the reply arrives: gives up " + pair(before) + next_slot;
    case LeaseStep::learn: return "the reply arrives: owns nothing" + next_slot;
    case LeaseStep::expire:
      return "its lease of " + pair(before) + " ends" +
             (after.world.worker(id).engine.state().in_flight ? "; sends a registration" : "");
    case LeaseStep::give_up: return "gives up waiting";
    case LeaseStep::crash: return "crashes";
    case LeaseStep::refuse: return "its registration is refused";
    case LeaseStep::lose: return "its registration is lost";
    case LeaseStep::pause: return "stalls";
    case LeaseStep::resume: return "runs again";
    case LeaseStep::clock_lead: return "its clock gains a tick";
    default: return model.describe_action(action);
  }
}

[[nodiscard]] inline bool concerns_nobody(LeaseStep step) {
  switch (step) {
    case LeaseStep::flush_all:
    case LeaseStep::erase_open:
    case LeaseStep::erase_closed:
    case LeaseStep::store_step:
    case LeaseStep::lose_writes:
    case LeaseStep::fork: return true;
    default: return false;
  }
}

/// Number of the step with which the loop of a lasso begins: there is none.
inline constexpr std::size_t kNoLoop = ~std::size_t{0};

template <class Rules, std::size_t W>
std::vector<StoryLine> tell(const LeaseModel<Rules, W>& model,
                            const Path<LeaseModel<Rules, W>>& path,
                            std::size_t loop_from = kNoLoop) {
  constexpr sim::WorkerId kNobody = W;
  std::vector<StoryBeat> beats;
  const LeaseModelState<Rules, W>* before = &path.initial;
  bool in_loop = false;
  const auto add = [&](sim::WorkerId worker, std::string text) {
    const std::int64_t tick = before->world.store_clock().at(before->world.now()).count();
    const bool goes_on = !beats.empty() && beats.back().tick == tick &&
                         beats.back().worker == worker && worker != kNobody &&
                         beats.back().in_loop == in_loop;
    if (!goes_on) beats.push_back({tick, worker, in_loop, {}});
    std::vector<std::string>& parts = beats.back().parts;
    constexpr std::string_view kExecutes = "its registration executes: ";
    if (!parts.empty() && parts.back() == "sends a registration" && text.starts_with(kExecutes)) {
      parts.back() = "registers: " + text.substr(kExecutes.size());
    } else {
      parts.push_back(std::move(text));
    }
  };
  for (std::size_t s = 0; s < path.steps.size(); ++s) {
    const auto& step = path.steps[s];
    const LeaseAction& action = step.action;
    in_loop = s >= loop_from;
    if (action.step == LeaseStep::time_passes) {
      for (sim::WorkerId id = 0; id < W; ++id) {
        if ((action.lagging >> id & 1) != 0) add(id, "its clock stands still for a tick");
      }
    } else {
      add(concerns_nobody(action.step) ? kNobody : action.action.worker,
          beat_text(model, action, *before, step.state));
    }
    before = &step.state;
  }
  const std::int64_t interval = model.check().members[0].timing.interval.count();
  const std::int64_t start = path.initial.world.store_clock().at(path.initial.world.now()).count();
  std::vector<StoryLine> story;
  for (const StoryBeat& beat : beats) {
    StoryLine line;
    // Store times of the model are far from zero, so that division rounds down.
    line.interval = beat.tick / interval - start / interval;
    line.tick = beat.tick % interval;
    line.in_loop = beat.in_loop;
    if (beat.worker != kNobody)
      line.text = fmt::format("{}: ", static_cast<char>('A' + beat.worker));
    for (std::size_t i = 0; i < beat.parts.size(); ++i) {
      line.text += (i == 0 ? "" : "; ") + beat.parts[i];
    }
    story.push_back(std::move(line));
  }
  return story;
}

}  // namespace nandi::checker
