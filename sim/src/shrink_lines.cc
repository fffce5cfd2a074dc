#include <algorithm>
#include <limits>
#include <utility>

#include "nandi/sim/yaml/scalar.h"
#include "shrink_run.h"
#include "simulation.h"

namespace nandi::sim {
namespace {

using Lines = std::vector<ScheduleLine>;

/// Characters that a person reads: fewer lines first, then shorter numbers.
std::pair<std::size_t, std::size_t> cost_of(const Lines& lines) {
  std::size_t digits = 0;
  for (const ScheduleLine& line : lines) {
    digits += yaml::format_duration(line.at - TrueTime()).size();
    for (const std::int64_t number : {line.action.value, line.action.extra}) {
      if (number != 0) digits += yaml::format_duration(Duration(number)).size();
    }
  }
  return {lines.size(), digits};
}

class LineShrinker {
 public:
  LineShrinker(const RunPlan& plan, std::size_t property, FailingLines failing,
               ShrinkBudget& budget)
      : plan_(plan),
        property_(property),
        best_(std::move(failing)),
        cost_(cost_of(best_.lines)),
        budget_(budget) {}

  /// Whether anything got smaller.
  bool pass() {
    const auto before = cost_;
    load_script();
    drop_workers();
    drop_chunks();
    join_registrations();
    drop_chunks();
    drop_pairs();
    round_times();
    round_numbers();
    return cost_ < before;
  }
  [[nodiscard]] const FailingLines& best() const { return best_; }

 private:
  bool attempt(const Lines& lines) {
    if (!budget_.take()) return false;
    std::optional<FailingLines> found = fails(plan_, property_, lines);
    if (!found) return false;
    const auto cost = cost_of(found->lines);
    if (cost >= cost_) return false;
    best_ = std::move(*found);
    cost_ = cost;
    return true;
  }

  /// One line instead of the registrations that find the store without the script.
  void load_script() {
    Action load;
    load.kind = ActionKind::script_load;
    Lines lines = {{TrueTime(0), load, false}};
    lines.insert(lines.end(), best_.lines.begin(), best_.lines.end());
    attempt(lines);
  }

  void drop_workers() {
    WorkerId most = 0;
    for (const ScheduleLine& line : best_.lines) most = std::max(most, line.action.worker);
    for (WorkerId w = 0; w <= most; ++w) {
      Lines rest;
      std::copy_if(best_.lines.begin(), best_.lines.end(), std::back_inserter(rest),
                   [w](const ScheduleLine& line) {
                     return !concerns_worker(line.action.kind) || line.action.worker != w;
                   });
      if (rest.size() < best_.lines.size()) attempt(rest);
    }
  }

  void drop_chunks() {
    for (std::size_t size = std::max<std::size_t>(best_.lines.size() / 2, 1); size > 0; size /= 2) {
      for (std::size_t from = 0; from < best_.lines.size();) {
        Lines rest = best_.lines;
        const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(from);
        rest.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, rest.size() - from)));
        if (!attempt(rest)) from += size;
      }
    }
  }

  /// Two lines that are needed only for each other, wherever they stand.
  void drop_pairs() {
    for (std::size_t i = 0; i + 1 < best_.lines.size(); ++i) {
      for (std::size_t j = i + 1; j < best_.lines.size(); ++j) {
        Lines rest = best_.lines;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(j));
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        if (attempt(rest)) j = i;
      }
    }
  }

  /// Where an attempt's wake, execution and delivery lie apart: all three at one of these moments.
  void join_registrations() {
    for (std::size_t i = 0; i < best_.lines.size(); ++i) {
      const ScheduleLine wake = best_.lines[i];
      if (wake.registers || wake.action.kind != ActionKind::wake) continue;
      const auto part_after = [&](std::size_t from, ActionKind kind) {
        while (from < best_.lines.size() &&
               !(best_.lines[from].action.kind == kind && !best_.lines[from].registers &&
                 best_.lines[from].action.worker == wake.action.worker)) {
          ++from;
        }
        return from;
      };
      const std::size_t execute = part_after(i, ActionKind::execute);
      const std::size_t deliver = part_after(execute, ActionKind::deliver);
      if (deliver >= best_.lines.size()) continue;
      for (const std::size_t moment : {execute, i, deliver}) {
        Lines lines = best_.lines;
        ScheduleLine whole = lines[deliver];
        whole.at = lines[moment].at;
        whole.registers = true;
        lines[moment] = whole;
        std::size_t parts[] = {i, execute, deliver};
        for (std::size_t p = std::size(parts); p-- > 0;) {
          if (parts[p] == moment) continue;
          lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(parts[p]));
        }
        if (attempt(lines)) break;
      }
    }
  }

  /// The coarsest first: an interval, its simple parts, then decimal units.
  [[nodiscard]] std::vector<std::int64_t> units() const {
    const std::int64_t interval = plan_.scenario.group.interval.count();
    std::vector<std::int64_t> all;
    for (const std::int64_t part : {1, 2, 4, 10, 20, 100}) {
      if (interval % part == 0) all.push_back(interval / part);
    }
    for (std::int64_t unit = interval; unit > 1; unit /= 10) {
      std::int64_t power = 1;
      while (power <= unit / 10) power *= 10;
      all.push_back(power);
    }
    std::sort(all.rbegin(), all.rend());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  static std::int64_t floored(std::int64_t value, std::int64_t unit) {
    return static_cast<std::int64_t>(floor_div(value, unit)) * unit;
  }

  void round_times() {
    for (const std::int64_t unit : units()) {
      for (std::size_t i = 0; i < best_.lines.size(); ++i) {
        const std::int64_t at = best_.lines[i].at.count();
        if (at % unit == 0) continue;
        for (const std::int64_t to : {floored(at, unit), floored(at, unit) + unit}) {
          Lines lines = best_.lines;
          lines[i].at = TrueTime(to);
          std::stable_sort(lines.begin(), lines.end(),
                           [](const auto& a, const auto& b) { return a.at < b.at; });
          if (attempt(lines)) break;
        }
        if (i >= best_.lines.size()) break;
      }
    }
  }

  void round_numbers() {
    for (std::size_t i = 0; i < best_.lines.size(); ++i) {
      for (auto number : {&Action::value, &Action::extra}) {
        round_number(i, number);
        if (i >= best_.lines.size()) return;
      }
    }
  }

  void round_number(std::size_t line, std::int64_t Action::*number) {
    const std::int64_t value = best_.lines[line].action.*number;
    std::vector<std::int64_t> candidates = {0};
    for (const std::int64_t unit : units()) {
      candidates.push_back(floored(value, unit));
      candidates.push_back(floored(value, unit) + unit);
    }
    for (const std::int64_t candidate : candidates) {
      if (candidate == value) continue;
      Lines lines = best_.lines;
      lines[line].action.*number = candidate;
      if (attempt(lines)) return;
    }
  }

  const RunPlan& plan_;
  std::size_t property_;
  FailingLines best_;
  std::pair<std::size_t, std::size_t> cost_;
  ShrinkBudget& budget_;
};

template <class Rules>
std::optional<FailingLines> fails_under(const RunPlan& plan, std::size_t property,
                                        const Lines& lines) {
  const RunOptions options;
  Simulation<Rules> simulation(plan, 0, options);
  FailingLines failing;
  const RunResult run = simulation.replay_what_can(lines, failing.lines);
  const PropertyOutcome& outcome = run.properties[property];
  if (outcome.violated == 0) return std::nullopt;
  failing.at = outcome.first->at;
  const auto after = std::find_if(failing.lines.begin(), failing.lines.end(),
                                  [&](const ScheduleLine& line) { return line.at > failing.at; });
  failing.lines.erase(after, failing.lines.end());
  return failing;
}

}  // namespace

std::optional<FailingLines> fails(const RunPlan& plan, std::size_t property, const Lines& lines) {
  return plan.is_ablated ? fails_under<AblatedRules>(plan, property, lines)
                         : fails_under<ProtocolRules>(plan, property, lines);
}

FailingLines shrink_lines(const RunPlan& plan, std::size_t property, FailingLines failing,
                          ShrinkBudget& budget,
                          const std::function<void(const FailingLines&)>& better) {
  LineShrinker shrinker(plan, property, std::move(failing), budget);
  while (shrinker.pass()) better(shrinker.best());
  return shrinker.best();
}

}  // namespace nandi::sim
