#include "nandi/checker/assumption_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "nandi/checker/check_command.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/yaml/names.h"

namespace nandi::checker {
namespace {

constexpr DeadlineGroup kGroups[] = {DeadlineGroup::send, DeadlineGroup::reply,
                                     DeadlineGroup::mixed};

/// Of either drop of a pair: their graphs grow with the product.
constexpr std::uint8_t kMostInPairs = 2;

bool is_plain(const LeaseCheck& base) {
  return base.faults == FaultBudgets{} && base.drift == 0 && !base.pauses_stop_clocks &&
         std::all_of(base.members.begin(), base.members.end(), [](const CheckedMember& member) {
           return member.rules == sim::AblatedRules{} && !member.interval_from_worker_clock;
         });
}

/// The rows that there are, nothing explored yet.
std::vector<AssumptionRow> planned_rows() {
  std::vector<AssumptionRow> rows;
  const auto drops = assumption_drops();
  for (const DeadlineGroup group : kGroups) {
    const auto add = [&](const AssumptionDrop* first, const AssumptionDrop* second) {
      AssumptionRow row;
      row.group = group;
      row.first = first;
      row.second = second;
      rows.push_back(std::move(row));
    };
    add(nullptr, nullptr);
    for (const AssumptionDrop& drop : drops) add(&drop, nullptr);
    for (std::size_t a = 0; a < drops.size(); ++a) {
      for (std::size_t b = a + 1; b < drops.size(); ++b) add(&drops[a], &drops[b]);
    }
  }
  return rows;
}

class AssumptionExplorer {
 public:
  AssumptionExplorer(const LeaseCheck& base, const AssumptionOptions& options)
      : base_(base), options_(options), rows_(planned_rows()) {}

  std::vector<AssumptionRow> run() {
    mark_wanted();
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (!is_wanted_[r] || is_interrupted()) continue;
      done_ = r;
      explore(rows_[r]);
      if (is_shown_[r] && options_.finished) options_.finished(rows_[r]);
    }
    std::vector<AssumptionRow> shown;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (is_shown_[r]) shown.push_back(std::move(rows_[r]));
    }
    return shown;
  }

 private:
  [[nodiscard]] bool is_interrupted() const {
    const std::atomic<bool>* interrupt = options_.check.explore.interrupt;
    return interrupt != nullptr && interrupt->load(std::memory_order_relaxed);
  }

  /// All rows, or the one asked for and, for a pair, those of its two drops: they say how far it
  /// has to be looked at.
  void mark_wanted() {
    is_shown_.assign(rows_.size(), options_.row.empty());
    is_wanted_ = is_shown_;
    if (options_.row.empty()) return;
    std::vector<std::string> names;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      names.push_back(row_name(rows_[r]));
      if (names.back() != options_.row) continue;
      is_shown_[r] = is_wanted_[r] = true;
      for (std::size_t single = 0; single < r; ++single) {
        const AssumptionRow& other = rows_[single];
        if (rows_[r].second == nullptr || other.second != nullptr || other.first == nullptr)
          continue;
        is_wanted_[single] = is_wanted_[single] ||
                             (other.group == rows_[r].group &&
                              (other.first == rows_[r].first || other.first == rows_[r].second));
      }
      return;
    }
    const std::string near = sim::yaml::nearest_name(options_.row, names);
    throw UsageError(fmt::format("--row: there is no row `{}`{}", options_.row,
                                 near.empty() ? "; leave it out to see them all"
                                              : fmt::format("; did you mean `{}`?", near)));
  }

  void explore(AssumptionRow& row) {
    row.is_begun = true;
    limit(row);
    if (!row.left_out.empty()) return;
    const std::uint8_t most = std::max(row.first_most, row.second_most);
    std::size_t largest = base_.members.size();
    for (std::uint8_t budget = row.first == nullptr ? 0 : 1; budget <= most; ++budget) {
      for (std::size_t workers = 2; workers <= largest; ++workers) {
        if (!prepare(row, budget, workers)) {
          if (row.trials.empty()) row.left_out = "no group like this can have it";
          return;
        }
        if (options_.progress) options_.progress(row, done_, rows_.size());
        const LeaseCheckResult result = run_lease_check(row.check, options_.check);
        const sim::Verdict verdict = result.summary.verdict;
        row.trials.push_back(
            {workers, budget, verdict, result.summary.counts.states, result.summary.seconds,
             verdict == sim::Verdict::unknown ? result.summary.evidence : std::string()});
        if (verdict == sim::Verdict::violated) row.violation = result;
        if (row.violation || is_interrupted()) return;
        // Larger budgets and groups have larger graphs.
        if (verdict == sim::Verdict::unknown) largest = workers - 1;
      }
    }
  }

  /// How far a row goes. A pair goes as far as either drop alone was held; where one of them alone
  /// was not, nowhere.
  void limit(AssumptionRow& row) const {
    if (row.first == nullptr) return;
    row.first_most = row.first->most;
    if (row.second == nullptr) return;
    row.first_most = held_alone(row, row.first);
    row.second_most = held_alone(row, row.second);
  }

  std::uint8_t held_alone(AssumptionRow& row, const AssumptionDrop* drop) const {
    const AssumptionRow& alone = single(row.group, drop);
    const std::vector<std::uint8_t> held = held_budgets(alone);
    if (!held.empty() && held.front() != 0) return std::min(held.front(), kMostInPairs);
    row.left_out =
        !alone.left_out.empty()
            ? alone.left_out
            : fmt::format("{} alone {}", drop->name, alone.violation ? "decides it" : "is unknown");
    return 0;
  }

  [[nodiscard]] const AssumptionRow& single(DeadlineGroup group, const AssumptionDrop* drop) const {
    return *std::find_if(rows_.begin(), rows_.end(), [&](const AssumptionRow& row) {
      return row.group == group && row.first == drop && row.second == nullptr;
    });
  }

  bool prepare(AssumptionRow& row, std::uint8_t budget, std::size_t workers) const {
    row.check = base_;
    row.check.members.resize(workers);
    row.check = group_check(row.check, row.group);
    const bool is_first =
        row.first == nullptr || row.first->apply(row.check, std::min(budget, row.first_most));
    const bool is_second =
        row.second == nullptr || row.second->apply(row.check, std::min(budget, row.second_most));
    if (!is_first || !is_second) return false;
    return !find_error(row.check);
  }

  LeaseCheck base_;
  const AssumptionOptions& options_;
  std::vector<AssumptionRow> rows_;
  std::vector<bool> is_wanted_;
  std::vector<bool> is_shown_;
  std::size_t done_ = 0;
};

}  // namespace

std::string_view to_string(DeadlineGroup group) {
  switch (group) {
    case DeadlineGroup::send: return "send";
    case DeadlineGroup::reply: return "reply";
    case DeadlineGroup::mixed: break;
  }
  return "mixed";
}

sim::Verdict AssumptionRow::verdict() const {
  if (trials.empty()) return sim::Verdict::unknown;
  if (violation) return sim::Verdict::violated;
  const bool all_held = std::all_of(trials.begin(), trials.end(), [](const AssumptionTrial& trial) {
    return trial.verdict == sim::Verdict::holds;
  });
  return all_held ? sim::Verdict::holds : sim::Verdict::unknown;
}

std::string row_name(const AssumptionRow& row) {
  std::string name;
  if (row.group != DeadlineGroup::send) name = fmt::format("{}/", to_string(row.group));
  name += row.first == nullptr ? std::string_view("nothing") : row.first->name;
  if (row.second != nullptr) name += fmt::format("+{}", row.second->name);
  return name;
}

sim::Verdict table_verdict(std::span<const AssumptionRow> rows) {
  sim::Verdict worst = sim::Verdict::holds;
  for (const AssumptionRow& row : rows) {
    if (row.first == nullptr && row.group == DeadlineGroup::send) {
      worst = sim::worse(worst, row.verdict());
    } else if (row.verdict() == sim::Verdict::unknown && row.left_out.empty()) {
      worst = sim::worse(worst, sim::Verdict::unknown);
    }
  }
  return worst;
}

std::vector<std::uint8_t> held_budgets(const AssumptionRow& row) {
  std::vector<std::uint8_t> held;
  for (const AssumptionTrial& trial : row.trials) {
    if (held.size() < trial.workers - 1) held.resize(trial.workers - 1, 0);
    if (trial.verdict == sim::Verdict::holds) held[trial.workers - 2] = trial.budget;
  }
  return held;
}

LeaseCheck group_check(const LeaseCheck& base, DeadlineGroup group) {
  LeaseCheck check = base;
  if (group == DeadlineGroup::send) return check;
  for (std::size_t m = 0; m < check.members.size(); ++m) {
    const bool counts_from_reply = group == DeadlineGroup::reply || m == 0;
    if (counts_from_reply) check.members[m].rules.deadline_from = sim::DeadlineFrom::reply;
  }
  if (group == DeadlineGroup::mixed) check.symmetry = false;
  // One interval, plus the first slot, less the last one, the resolution and the margin.
  const LeaseTiming& timing = check.members.front().timing;
  const Duration most = timing.interval + band_begin(timing) - band_end(timing) -
                        timing.resolution - gap_margin(timing);
  check.reply_delay = std::max<std::int64_t>(0, most.count());
  return check;
}

std::vector<AssumptionRow> explore_assumptions(const LeaseCheck& base,
                                               const AssumptionOptions& options) {
  if (!is_plain(base)) {
    throw std::invalid_argument(
        "check: a table of assumptions starts from a group that keeps them all; take out `faults`, "
        "`drift`, `stopped_clocks` and everything under `rules`");
  }
  return AssumptionExplorer(base, options).run();
}

}  // namespace nandi::checker
