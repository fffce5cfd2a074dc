// The statements of the protocol in scenarios/ablations: each file is in the table of
// scenarios/README.md under its verdict, and indices shift as it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "nandi/sim/scenario.h"
#include "nandi/sim/simulator.h"

namespace nandi::sim {
namespace {

const std::filesystem::path kScenarios = NANDI_SCENARIOS_DIR;

/// The names of files in a cell of the table.
std::set<std::string> files_in(const std::string& cell) {
  const std::regex file("`([^`]+\\.yaml)`");
  std::set<std::string> found;
  for (std::sregex_iterator at(cell.begin(), cell.end(), file), end; at != end; ++at) {
    found.insert((*at)[1]);
  }
  return found;
}

TEST(Ablations, EachStandsInTheTableUnderItsVerdict) {
  std::ifstream page(kScenarios / "README.md");
  std::map<std::string, Verdict> table;
  std::size_t rows = 0;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "| statement | violated | holds |") {
      inside = true;
      continue;
    }
    if (!line.starts_with("| ")) inside = inside && line.starts_with("|");
    if (!inside || line.starts_with("| ---")) continue;
    ++rows;
    const std::size_t second = line.find('|', 1);
    const std::size_t third = line.find('|', second + 1);
    for (const std::string& name : files_in(line.substr(second, third - second))) {
      table[name] = Verdict::violated;
    }
    for (const std::string& name : files_in(line.substr(third))) table[name] = Verdict::holds;
  }
  EXPECT_EQ(rows, 12U) << "the statements of the protocol";
  std::map<std::string, Verdict> files;
  for (const auto& entry : std::filesystem::directory_iterator(kScenarios / "ablations")) {
    files[entry.path().filename()] = load_scenario(entry.path()).expect.verdict;
  }
  EXPECT_EQ(table, files);
}

using Indices = std::map<WorkerId, std::uint32_t>;

/// Who got which index in each interval.
std::map<IntervalNumber, Indices> registrations(const Simulator& simulator, std::uint64_t seed) {
  RecordingSink sink;
  RunOptions options;
  options.trace = &sink;
  static_cast<void>(simulator.run(seed, options));
  std::map<IntervalNumber, Indices> found;
  for (const TraceRecord& record : sink.records()) {
    if (record.kind != RecordKind::action || !record.tick) continue;
    if (record.step.action.kind != ActionKind::execute) continue;
    found[record.tick->interval][record.step.action.worker] = record.tick->index;
  }
  return found;
}

/// What became of the indices of those who registered before and after a change.
struct Shifts {
  int kept = 0;
  int moved = 0;
  int wrong = 0;  ///< not as the protocol says
};

/// From one interval to the next, where `by` is added to the indices from `first` on.
void count_shifts(const Indices& before, const Indices& after, std::uint32_t first, int by,
                  WorkerId changed, Shifts& shifts) {
  for (const auto& [worker, index] : before) {
    if (worker == changed) continue;
    const bool moves = index >= first;
    const std::int64_t expected = std::int64_t{index} + (moves ? by : 0);
    const auto found = after.find(worker);
    if (found == after.end() || found->second != expected) {
      ++shifts.wrong;
    } else {
      ++(moves ? shifts.moved : shifts.kept);
    }
  }
}

/// The interval of the first registration of `worker`.
IntervalNumber first_of(const std::map<IntervalNumber, Indices>& all, WorkerId worker) {
  return std::find_if(all.begin(), all.end(),
                      [&](const auto& i) { return i.second.count(worker) > 0; })
      ->first;
}

constexpr WorkerId kNewcomer = 6;

Shifts shifts_of_join(const Scenario& scenario) {
  const Simulator simulator(scenario);
  Shifts shifts;
  for (std::uint64_t seed = scenario.seeds.first; seed <= scenario.seeds.last; ++seed) {
    const auto all = registrations(simulator, seed);
    const IntervalNumber joined = first_of(all, kNewcomer);
    const Indices& after = all.at(joined);
    count_shifts(all.at(joined - 1), after, after.at(kNewcomer), 1, kNewcomer, shifts);
  }
  return shifts;
}

Shifts shifts_of_departure(const Scenario& scenario) {
  const Simulator simulator(scenario);
  Shifts shifts;
  for (std::uint64_t seed = scenario.seeds.first; seed <= scenario.seeds.last; ++seed) {
    const auto all = registrations(simulator, seed);
    const Indices& end = std::prev(all.end(), 2)->second;
    WorkerId dead = 0;
    while (end.count(dead) > 0) ++dead;
    IntervalNumber last = 0;
    for (const auto& [interval, indices] : all) {
      if (indices.count(dead) > 0) last = interval;
    }
    const Indices& before = all.at(last);
    count_shifts(before, all.at(last + 1), before.at(dead) + 1, -1, dead, shifts);
  }
  return shifts;
}

/// From the interval before the newcomer's first to the one after its last.
Shifts shifts_of_visit(const Scenario& scenario) {
  const Simulator simulator(scenario);
  Shifts shifts;
  for (std::uint64_t seed = scenario.seeds.first; seed <= scenario.seeds.last; ++seed) {
    const auto all = registrations(simulator, seed);
    const IntervalNumber joined = first_of(all, kNewcomer);
    IntervalNumber left = joined;
    while (all.at(left).count(kNewcomer) > 0) ++left;
    EXPECT_GT(left, joined + 2) << "the group took the newcomer in";
    count_shifts(all.at(joined - 1), all.at(left), 0, 0, kNewcomer, shifts);
  }
  return shifts;
}

Scenario ablation(const char* name) {
  return load_scenario(kScenarios / "ablations" / (std::string(name) + ".yaml"));
}

/// The same with everybody in one slot: the network decides the order anew in each interval.
Scenario without_spread(Scenario scenario) {
  scenario.rules.spread = false;
  return scenario;
}

TEST(Ablations, AJoinShiftsTheIndicesBehindItAndNoOther) {
  const Scenario scenario = ablation("join-shifts");
  const Shifts shifts = shifts_of_join(scenario);
  EXPECT_EQ(shifts.wrong, 0);
  EXPECT_GT(shifts.kept, 0);
  EXPECT_GT(shifts.moved, 0);
  EXPECT_EQ(shifts.kept + shifts.moved, 6 * 200);
  EXPECT_GT(shifts_of_join(without_spread(scenario)).wrong, 0);
}

TEST(Ablations, ADepartureShiftsTheIndicesBehindTheGapAndNoOther) {
  const Scenario scenario = ablation("departure-shifts");
  const Shifts shifts = shifts_of_departure(scenario);
  EXPECT_EQ(shifts.wrong, 0);
  EXPECT_GT(shifts.kept, 0);
  EXPECT_GT(shifts.moved, 0);
  EXPECT_EQ(shifts.kept + shifts.moved, 5 * 200);
  EXPECT_GT(shifts_of_departure(without_spread(scenario)).wrong, 0);
}

TEST(Ablations, WhoeverJoinsAndLeavesAgainLeavesEverybodyTheIndexTheyHad) {
  const Scenario scenario = ablation("join-and-leave");
  const Shifts shifts = shifts_of_visit(scenario);
  EXPECT_EQ(shifts.wrong, 0);
  EXPECT_EQ(shifts.moved, 6 * 200) << "counted as moved by nothing";
  EXPECT_GT(shifts_of_visit(without_spread(scenario)).wrong, 0);
}

}  // namespace
}  // namespace nandi::sim
