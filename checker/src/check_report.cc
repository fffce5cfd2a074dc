#include "check_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nandi::checker {
namespace {

using sim::yaml::Tree;

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

/// The properties that the check looked at.
std::vector<std::string> invariants_of(const LeaseCheck& check) {
  std::vector<std::string> names;
  for (const std::string& name : sim::check_property_names()) {
    if (check.checks(name)) names.push_back(name);
  }
  names.insert(names.end(), check.liveness.begin(), check.liveness.end());
  return names;
}

std::string replay_command(const CheckReport& report) {
  if (report.saved.empty()) {
    return fmt::format("nandi-check --save FILE {} && nandi-sim FILE", report.file);
  }
  if (report.result.loop_steps != 0) {
    return fmt::format("nandi-sim {} (stem and loop; what is for ever it cannot judge)",
                       report.saved);
  }
  return fmt::format(
      "nandi-sim {}{}", report.saved,
      report.is_confirmed ? "" : " (the same run, in which the simulator sees no violation)");
}

std::string counts_line(const Summary& summary) {
  const Counts& counts = summary.counts;
  std::string text = fmt::format("{} states, {} transitions, depth {}", grouped(counts.states),
                                 grouped(counts.transitions), counts.depth);
  if (counts.frontier != 0) {
    text += fmt::format(", {} states not expanded", grouped(counts.frontier));
  }
  return text + fmt::format("; {:.1f} s, {:.0f} MB", summary.seconds, megabytes(counts.bytes));
}

/// Of what runs the liveness properties speak.
constexpr std::string_view kScope =
    "owned-for-ever, comes-back: runs on which starts, crashes, stalls, refusals, losses and "
    "faults "
    "end, time goes on, and timers due, messages under way and the ends of stalls come about "
    "unless "
    "they stop being possible";

std::string loops_line(const LivenessSummary& liveness) {
  return fmt::format("{} states, {} transitions, {} parts with fair loops; {:.1f} s, {:.0f} MB",
                     grouped(liveness.counts.states), grouped(liveness.counts.transitions),
                     grouped(liveness.counts.fair_components), liveness.seconds,
                     megabytes(liveness.counts.bytes));
}

std::string cause_name(const ToldCause& cause) {
  return fmt::format("{} by {}", cause.property,
                     cause.classes.empty() ? std::string("nothing out of the ordinary")
                                           : fmt::format("{}", fmt::join(cause.classes, ", ")));
}

/// The causes but the first, which has been told.
std::string causes_text(const LeaseCheckResult& result) {
  std::string text;
  for (std::size_t c = 1; c < result.causes.size(); ++c) {
    text += fmt::format("  another: {} after:\n{}", cause_name(result.causes[c]),
                        to_text(result.causes[c].story));
  }
  return text;
}

Tree story_tree(const std::vector<StoryLine>& lines) {
  Tree story = Tree::sequence();
  for (const StoryLine& line : lines) {
    Tree entry = Tree::mapping();
    entry.add("interval", Tree::integer(line.interval));
    entry.add("tick", Tree::integer(line.tick));
    entry.add("text", Tree::string(line.text));
    entry.add("in_loop", Tree::boolean(line.in_loop));
    story.append(std::move(entry));
  }
  return story;
}

Tree causes_tree(const std::vector<ToldCause>& causes) {
  Tree tree = Tree::sequence();
  for (const ToldCause& cause : causes) {
    Tree entry = Tree::mapping();
    entry.add("property", Tree::string(cause.property));
    Tree classes = Tree::sequence();
    for (const std::string& name : cause.classes) classes.append(Tree::string(name));
    entry.add("by", std::move(classes));
    entry.add("states", Tree::literal(std::to_string(cause.states)));
    entry.add("steps", Tree::integer(static_cast<std::int64_t>(cause.steps)));
    entry.add("story", story_tree(cause.story));
    tree.append(std::move(entry));
  }
  return tree;
}

Tree counts_tree(const Counts& counts) {
  Tree tree = Tree::mapping();
  tree.add("states", Tree::literal(std::to_string(counts.states)));
  tree.add("transitions", Tree::literal(std::to_string(counts.transitions)));
  tree.add("depth", Tree::literal(std::to_string(counts.depth)));
  tree.add("frontier", Tree::literal(std::to_string(counts.frontier)));
  tree.add("terminal", Tree::literal(std::to_string(counts.terminal)));
  tree.add("bytes", Tree::literal(std::to_string(counts.bytes)));
  return tree;
}

Tree coverage_tree(const std::vector<CoverageEntry>& entries) {
  Tree tree = Tree::mapping();
  for (const CoverageEntry& entry : entries) {
    tree.add(entry.name, Tree::literal(std::to_string(entry.count)));
  }
  return tree;
}

Tree texts(const std::vector<std::string>& list) {
  Tree tree = Tree::sequence();
  for (const std::string& text : list) tree.append(Tree::string(text));
  return tree;
}

Tree counterexample_tree(const CheckReport& report) {
  Tree tree = Tree::mapping();
  tree.add("steps", Tree::integer(static_cast<std::int64_t>(report.result.steps)));
  tree.add("loop_steps", Tree::integer(static_cast<std::int64_t>(report.result.loop_steps)));
  tree.add("story", story_tree(report.result.story));
  tree.add("saved", Tree::string(report.saved));
  tree.add("confirmed_by_simulator", Tree::boolean(!report.saved.empty() && report.is_confirmed));
  return tree;
}

}  // namespace

std::string verdict_line(const CheckReport& report) {
  const Summary& summary = report.result.summary;
  const LeaseTiming& timing = report.check.members.front().timing;
  const std::string setting = fmt::format(
      "{} worker{}, interval {} ticks, gap {}, {} slots", report.check.members.size(),
      report.check.members.size() == 1 ? "" : "s", timing.interval.count(), to_string(timing.gap),
      report.check.slots == Slots::free ? "free" : "the engine's");
  const std::string verdict(sim::verdict_name(summary.verdict));
  if (summary.verdict == sim::Verdict::holds) {
    if (report.by_fingerprints) {
      return fmt::format("holds (fingerprints, collision probability at most {}; {})",
                         probability_text(summary.collision_probability), setting);
    }
    return fmt::format("holds (exhaustive, {})", setting);
  }
  return fmt::format("{} ({}; {})", verdict, summary.evidence, setting);
}

std::string report_text(const CheckReport& report, bool show_path) {
  const Summary& summary = report.result.summary;
  std::string text = fmt::format("{}: {}\n", report.scenario.name, verdict_line(report));
  const auto line = [&](std::string_view name, const std::string& what) {
    text += fmt::format("  {:<9} {}\n", name, what);
  };
  line("checked", fmt::format("{}", fmt::join(invariants_of(report.check), ", ")));
  line("bounds", report.result.bounds);
  line("assumed", describe_assumptions(report.check));
  if (!report.check.liveness.empty()) line("scope", std::string(kScope));
  line("explored", counts_line(summary));
  if (report.result.liveness) line("loops", loops_line(*report.result.liveness));
  const std::vector<std::string> never = summary.coverage.never_fired();
  if (!never.empty()) line("never", fmt::format("{}", fmt::join(never, ", ")));
  if (summary.verdict != sim::Verdict::violated) return text;
  text += fmt::format("  {} after:\n{}", summary.violated, to_text(report.result.story));
  if (report.result.causes.size() > 1) text += causes_text(report.result);
  if (!report.result.causes_found.empty()) line("causes", report.result.causes_found);
  if (show_path) text += "  every step:\n" + report.result.path;
  line("replay", replay_command(report));
  return text;
}

Tree report_tree(const CheckReport& report) {
  const Summary& summary = report.result.summary;
  Tree tree = Tree::mapping();
  tree.add("file", Tree::string(report.file));
  tree.add("name", Tree::string(report.scenario.name));
  tree.add("verdict", Tree::string(std::string(sim::verdict_name(summary.verdict))));
  tree.add("violated", Tree::string(summary.violated));
  tree.add("as_expected", Tree::boolean(report.as_expected));
  tree.add("reason", Tree::string(std::string(stop_reason_text(summary.reason))));
  tree.add("evidence", Tree::string(summary.evidence));
  tree.add("vacuous", texts(summary.vacuous));
  tree.add("properties", texts(invariants_of(report.check)));
  tree.add("bounds", Tree::string(report.result.bounds));
  tree.add("assumptions", Tree::string(describe_assumptions(report.check)));
  tree.add("counts", counts_tree(summary.counts));
  if (report.result.liveness) {
    const LivenessCounts& loops = report.result.liveness->counts;
    Tree liveness = Tree::mapping();
    liveness.add("states", Tree::literal(std::to_string(loops.states)));
    liveness.add("transitions", Tree::literal(std::to_string(loops.transitions)));
    liveness.add("frontier", Tree::literal(std::to_string(loops.frontier)));
    liveness.add("fair_parts", Tree::literal(std::to_string(loops.fair_components)));
    tree.add("liveness", std::move(liveness));
  }
  tree.add("seconds", Tree::literal(fmt::format("{:.3f}", summary.seconds)));
  Tree coverage = Tree::mapping();
  coverage.add("actions", coverage_tree(summary.coverage.action_classes));
  coverage.add("properties", coverage_tree(summary.coverage.properties));
  tree.add("coverage", std::move(coverage));
  if (summary.verdict == sim::Verdict::violated) {
    tree.add("counterexample", counterexample_tree(report));
    if (!report.result.causes_found.empty()) {
      tree.add("causes", causes_tree(report.result.causes));
      tree.add("causes_found", Tree::string(report.result.causes_found));
    }
  }
  return tree;
}

std::string progress_text(const Progress& progress) {
  if (progress.distinct != 0) {
    return fmt::format(
        "{} steps, {:.2f} M/s, about {} different states, {}, {:.0f} s", grouped(progress.states),
        progress.states_per_second / 1e6, grouped(progress.distinct),
        progress.shortest == 0 ? std::string("no violation")
                               : fmt::format("a violation after {} steps", progress.shortest),
        progress.seconds);
  }
  return fmt::format("{} states, {:.2f} M/s, frontier {}, depth {}, {:.0f} MB, {:.0f} s",
                     grouped(progress.states), progress.states_per_second / 1e6,
                     grouped(progress.frontier), progress.depth, megabytes(progress.bytes),
                     progress.seconds);
}

}  // namespace nandi::checker
