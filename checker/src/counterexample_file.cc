#include "counterexample_file.h"

#include <ostream>
#include <sstream>
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

/// One paragraph of a comment, in lines of at most 100 columns; those after the first are indented.
void write_comment(std::ostream& out, std::size_t indent, const std::string& text) {
  constexpr std::size_t kColumns = 100;
  std::string line = "#" + std::string(indent, ' ');
  const std::size_t empty = line.size();
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() > empty && line.size() + 1 + word.size() > kColumns) {
      out << line << '\n';
      line = "#" + std::string(indent + 2, ' ');
    }
    line += " " + word;
  }
  out << line << '\n';
}

}  // namespace

SavedCounterexample save_counterexample(const std::string& path, const std::string& name,
                                        const std::string& command, const LeaseCheck& check,
                                        const LeaseCheckResult& result,
                                        const LeaseCheckOptions& options) {
  const Replayable found = find_replayable(name, check, result, options);
  const bool is_confirmed = found.scenario.is_confirmed;
  write_file(path, [&](std::ostream& out) {
    write_comment(out, 0,
                  fmt::format("A counterexample to {}: {}.", result.summary.violated,
                              result.summary.evidence));
    write_comment(out, 0, fmt::format("Found by: {}", command));
    write_comment(out, 0,
                  fmt::format("An interval of {} ticks takes {} ns here.{} Its story:",
                              check.members.front().timing.interval.count(),
                              found.scenario.scenario.group.interval.count(),
                              result.loop_steps != 0
                                  ? " The loop is run three times; that it goes on is not judged."
                              : is_confirmed ? ""
                                             : " The simulator sees no violation in it."));
    bool in_loop = false;
    for (const StoryLine& line : found.story) {
      if (line.in_loop && !in_loop) write_comment(out, 0, "and from here on again and again:");
      in_loop = line.in_loop;
      write_comment(out, 2,
                    fmt::format("interval {}, tick {}: {}", line.interval, line.tick, line.text));
    }
    sim::write_scenario(found.scenario.scenario, out);
  });
  return {is_confirmed};
}

}  // namespace nandi::checker
