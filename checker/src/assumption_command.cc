#include "nandi/checker/assumption_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "check_report.h"
#include "counterexample_file.h"
#include "guarded.h"
#include "loaded_check.h"
#include "nandi/checker/assumption_report.h"
#include "nandi/checker/assumption_table.h"
#include "nandi/sim/judgement.h"

namespace nandi::checker {
namespace {

using sim::yaml::Tree;

/// What stands below a row that was asked for by name.
std::string details(const AssumptionRow& row) {
  if (!row.violation) return {};
  return fmt::format("  bounds    {}\n  {} after:\n{}", row.violation->bounds,
                     row.violation->summary.violated, to_text(row.violation->story));
}

class AssumptionRun {
 public:
  AssumptionRun(const AssumptionRequest& request, std::ostream& out, std::ostream& err)
      : request_(request), out_(out), err_(err) {}

  void run() {
    const CheckRequest& check = request_.check;
    const bool is_plain = check.order == Exploring::breadth_first && !check.liveness &&
                          check.counterexamples == 1 && !check.fingerprints.value_or(false) &&
                          !check.reduction.value_or(false) && check.checkpoint.empty() &&
                          check.resume.empty();
    if (!is_plain) {
      refuse(
          "--order, --liveness, --counterexamples, --fingerprints, --reduction, --checkpoint and "
          "--resume");
    }
    const LoadedCheck file = load_check(check.files.front(), check);
    if (!file.check.liveness.empty() || file.scenario.check->fingerprints || file.check.reduction) {
      refuse("the file's `liveness`, `fingerprints` and `reduction`");
    }
    name_ = file.scenario.name;
    base_ = file.check;
    AssumptionOptions options;
    options.check = options_of(check, *file.scenario.check, err_);
    options.row = request_.row;
    if (check.draw_progress) follow(options);
    options.finished = [&](const AssumptionRow& row) { show(row, options.check); };
    rows_ = explore(file.check, options);
    for (const AssumptionRow& row : rows_) {
      if (!row.is_begun) text() << row_text(row);
    }
    write();
  }

  [[nodiscard]] int status() const {
    if (!request_.row.empty()) return sim::exit_status(rows_.front().verdict());
    return sim::exit_status(table_verdict(rows_));
  }

 private:
  [[noreturn]] static void refuse(std::string_view what) {
    throw UsageError(fmt::format(
        "--assumptions explores every trial exactly and breadth-first, for exclusivity alone; "
        "leave out {}",
        what));
  }

  [[nodiscard]] std::ostream& text() const { return request_.check.json == "-" ? err_ : out_; }

  [[nodiscard]] std::vector<AssumptionRow> explore(const LeaseCheck& base,
                                                   const AssumptionOptions& options) const {
    try {
      return explore_assumptions(base, options);
    } catch (const UsageError&) {
      throw;
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(
          fmt::format("{}: {}", request_.check.files.front().string(), error.what()));
    }
  }

  void follow(AssumptionOptions& options) {
    options.progress = [this](const AssumptionRow& row, std::size_t done, std::size_t all) {
      progress_ = fmt::format("row {} of {}, {}", done + 1, all, row_name(row));
      err_ << "\r\033[K" << progress_ << std::flush;
    };
    options.check.explore.progress = [this](const Progress& progress) {
      err_ << "\r\033[K" << progress_ << ": " << progress_text(progress) << std::flush;
    };
  }

  void show(const AssumptionRow& row, const LeaseCheckOptions& options) {
    if (request_.check.draw_progress) err_ << "\r\033[K" << std::flush;
    if (!is_any_shown_ || shown_ != row.group) text() << group_text(row.group) << ":\n";
    is_any_shown_ = true;
    shown_ = row.group;
    text() << row_text(row);
    if (!request_.row.empty()) text() << details(row);
    text() << std::flush;
    if (!row.violation || request_.save_rows.empty()) return;
    const std::string file =
        (std::filesystem::path(request_.save_rows) / scenario_file(row)).string();
    LeaseCheckOptions again = options;
    again.explore.progress = {};
    const SavedCounterexample saved = save_counterexample(
        file, "assumption-" + scenario_file(row).substr(0, scenario_file(row).size() - 5),
        fmt::format("nandi-check --assumptions {} --row {}", request_.check.files.front().string(),
                    row_name(row)),
        row.check, *row.violation, again);
    if (!saved.is_confirmed) {
      text() << fmt::format("    {}: the simulator does not see this violation\n", file);
    }
  }

  void write() const {
    if (!request_.markdown.empty()) {
      // Rows lead to the scenarios beside FILE, where --save-rows is to write them.
      const auto here = std::filesystem::absolute(request_.markdown).parent_path();
      const auto there = std::filesystem::absolute(request_.check.files.front()).parent_path();
      write_file(request_.markdown, [&](std::ostream& file) {
        file << table_markdown(rows_, std::filesystem::relative(there, here).string());
      });
    }
    if (request_.check.json.empty() && !request_.finished) return;
    const Tree tree = table_tree();
    if (request_.check.json == "-") {
      sim::yaml::write_json(tree, out_);
    } else if (!request_.check.json.empty()) {
      write_file(request_.check.json,
                 [&](std::ostream& file) { sim::yaml::write_json(tree, file); });
    }
    if (request_.finished) {
      request_.finished({request_.check.files.front().string(), name_, base_, rows_, tree});
    }
  }

  [[nodiscard]] Tree table_tree() const {
    Tree tree = Tree::mapping();
    tree.add("format", Tree::string("nandi-assumptions"));
    tree.add("version", Tree::integer(1));
    tree.add("file", Tree::string(request_.check.files.front().string()));
    tree.add("name", Tree::string(name_));
    Tree rows = Tree::sequence();
    for (const AssumptionRow& row : rows_) rows.append(row_tree(row));
    tree.add("rows", std::move(rows));
    return tree;
  }

  const AssumptionRequest& request_;
  std::ostream& out_;
  std::ostream& err_;
  std::string name_;
  LeaseCheck base_;
  std::string progress_;
  std::vector<AssumptionRow> rows_;
  bool is_any_shown_ = false;
  DeadlineGroup shown_ = DeadlineGroup::send;
};

}  // namespace

int run_assumptions(const AssumptionRequest& request, std::ostream& out, std::ostream& err) {
  AssumptionRun run(request, out, err);
  const int failure = guarded(err, [&] { run.run(); });
  return failure != 0 ? failure : run.status();
}

}  // namespace nandi::checker
