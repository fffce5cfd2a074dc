#include "counterexample_file.h"

#include <ostream>
#include <vector>

namespace nandi::checker {
namespace {

struct Replayable {
  ReplayableScenario scenario;
  std::vector<StoryLine> story;
};

Replayable find_replayable(const std::string& name, const LeaseCheck& check,
                           const LeaseCheckResult& result, const LeaseCheckOptions& options) {
  const std::string& property = result.summary.violated;
  Replayable found{replayable_scenario(check, name + "-counterexample", property, result.schedules),
                   result.story};
  if (found.scenario.is_confirmed || check.checks_liveness(property)) return found;
  LeaseCheck open_ends = check;
  open_ends.open_ends = true;
  open_ends.properties = {property};
  LeaseCheckOptions another_search = options;
  another_search.explore.checkpoint = {};
  const LeaseCheckResult longer = run_lease_check(open_ends, another_search);
  if (longer.summary.verdict != sim::Verdict::violated) return found;
  return {replayable_scenario(check, name + "-counterexample", property, longer.schedules),
          longer.story};
}

}  // namespace

SavedCounterexample save_counterexample(const std::string& path, const std::string& name,
                                        const std::string& command, const LeaseCheck& check,
                                        const LeaseCheckResult& result,
                                        const LeaseCheckOptions& options) {
  const Replayable found = find_replayable(name, check, result, options);
  const bool is_confirmed = found.scenario.is_confirmed;
  write_file(path, [&](std::ostream& out) {
    out << fmt::format(
        "# A counterexample to {}: {}.\n"
        "# Found by: {}\n"
        "# An interval of {} ticks takes {} ns here.{} Its story:\n",
        result.summary.violated, result.summary.evidence, command,
        check.members.front().timing.interval.count(),
        found.scenario.scenario.group.interval.count(),
        result.loop_steps != 0 ? " The loop is run three times; that it goes on is not judged."
        : is_confirmed         ? ""
                               : " The simulator sees no violation in it.");
    bool in_loop = false;
    for (const StoryLine& line : found.story) {
      if (line.in_loop && !in_loop) out << "# and from here on again and again:\n";
      in_loop = line.in_loop;
      out << fmt::format("#   interval {}, tick {}: {}\n", line.interval, line.tick, line.text);
    }
    sim::write_scenario(found.scenario.scenario, out);
  });
  return {is_confirmed};
}

}  // namespace nandi::checker
