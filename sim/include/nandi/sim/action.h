// Action: one thing that happens in a World.
#pragma once

#include <cstdint>
#include <string_view>

#include "nandi/engine/tick.h"
#include "nandi/sim/clock_model.h"

namespace nandi::sim {

/// Number of a worker in its world, from 0 in the order of joining. A restarted process is another
/// worker.
using WorkerId = std::uint32_t;

enum class ActionKind : std::uint8_t {
  // A worker's process.
  wake,     ///< its timer fires: expiry, deadline, or the next registration
  take,     ///< its consumer asks for the next change of ownership
  drained,  ///< its consumer has stopped working on what it held
  join,     ///< it starts; value: delay of the first registration, extra: kept offset
  leave,    ///< a stop is requested; it drains and goes
  crash,    ///< it is gone, at once and without a trace
  pause,    ///< it stalls: it does nothing until resume, its clock runs on
  resume,
  fork,  ///< its memory is duplicated into the absent worker `value`, which runs on from there
  // Its messages.
  execute,  ///< the store runs the attempt's script (for an abandoned attempt: a ghost; value 1:
            ///< one whose request carries the script's source)
  deliver,  ///< the reply reaches the worker; value > 0: the slot chosen in place of the
            ///< schedule's (AblatedRules); extra > 0: a kept offset drawn anew
  lose,     ///< the request or its reply is lost; value as of execute
  refuse,   ///< the store answers the request with `error` without running the script
  // Clocks. value: units or parts per billion.
  step_worker_clock,
  set_worker_clock_rate,
  step_store_clock,
  set_store_clock_rate,
  // The store's data.
  script_load,
  script_flush,
  flush_all,
  erase_counter,  ///< value: age of the interval, 0 the open one; config: the member's group;
                  ///< extra: the count that it falls back to, 0: it is gone
};
inline constexpr int kActionKinds = static_cast<int>(ActionKind::erase_counter) + 1;

[[nodiscard]] constexpr std::string_view to_string(ActionKind kind) {
  constexpr std::string_view kNames[] = {"wake",
                                         "take",
                                         "drained",
                                         "join",
                                         "leave",
                                         "crash",
                                         "pause",
                                         "resume",
                                         "fork",
                                         "execute",
                                         "deliver",
                                         "lose",
                                         "refuse",
                                         "step-worker-clock",
                                         "set-worker-clock-rate",
                                         "step-store-clock",
                                         "set-store-clock-rate",
                                         "script-load",
                                         "script-flush",
                                         "flush-all",
                                         "erase-counter"};
  static_assert(std::size(kNames) == kActionKinds);
  return kNames[static_cast<std::size_t>(kind)];
}

struct Action {
  ActionKind kind = ActionKind::wake;
  ErrorClass error = ErrorClass::none;
  std::uint16_t config = 0;  ///< join: which member configuration; erase_counter: whose group
  WorkerId worker = 0;
  AttemptId attempt = 0;  ///< execute, deliver, lose, refuse
  std::int64_t value = 0;
  std::int64_t extra = 0;
  friend constexpr bool operator==(const Action&, const Action&) = default;
};

/// An action and when it happens. A run is a list of these, in order; applied to the same initial
/// world it gives the same run again.
struct TimedAction {
  TrueTime at;
  Action action;
  friend constexpr bool operator==(const TimedAction&, const TimedAction&) = default;
};

}  // namespace nandi::sim
