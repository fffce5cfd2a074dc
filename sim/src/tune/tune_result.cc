#include "nandi/sim/tune/tune_result.h"

#include <algorithm>
#include <limits>

namespace nandi::sim {

std::string_view objective_name(TuneObjective objective) {
  switch (objective) {
    case TuneObjective::handover: return "handover";
    case TuneObjective::idle: return "idle";
    case TuneObjective::load: return "load";
  }
  return "";
}

std::string_view status_name(TuneStatus status) {
  switch (status) {
    case TuneStatus::fails_bound: return "fails-bound";
    case TuneStatus::fails: return "fails";
    case TuneStatus::undecided: return "undecided";
    case TuneStatus::passes: return "passes";
  }
  return "";
}

std::string_view direction_name(TuneDirection direction) {
  switch (direction) {
    case TuneDirection::shorter_interval: return "shorter interval";
    case TuneDirection::longer_interval: return "longer interval";
    case TuneDirection::smaller_gap: return "smaller gap";
    case TuneDirection::larger_gap: return "larger gap";
  }
  return "";
}

double room(const TuneCell& cell) {
  double least = 1;
  for (const TuneBound& bound : cell.bounds) {
    if (bound.have > 0) {
      least = std::min(least, bound.left());
    } else if (!bound.holds()) {
      return std::numeric_limits<double>::lowest();
    }
  }
  return least;
}

Verdict tune_verdict(const TuneResult& result) {
  if (result.interrupted) return Verdict::unknown;
  if (result.recommendation) {
    return result.recommendation->confirmed ? Verdict::holds : Verdict::unknown;
  }
  const bool is_open =
      std::any_of(result.cells.begin(), result.cells.end(), [](const TuneCell& cell) {
        return cell.status == TuneStatus::undecided || cell.status == TuneStatus::passes;
      });
  return is_open ? Verdict::unknown : Verdict::violated;
}

std::vector<TuneFrontRow> front_rows(const TuneResult& result) {
  std::vector<TuneFrontRow> rows;
  const auto is_chosen = [&](std::size_t c) {
    return result.recommendation && result.recommendation->cell == c;
  };
  const auto is_before = [&](std::size_t a, std::size_t b) {
    if (is_chosen(a) || is_chosen(b)) return is_chosen(a);
    return room(result.cells[a]) > room(result.cells[b]);
  };
  for (std::size_t c = 0; c < result.cells.size(); ++c) {
    if (!result.cells[c].on_front && !is_chosen(c)) continue;
    if (!result.cells[c].measures) continue;
    const Duration interval = result.cells[c].setting.interval;
    if (rows.empty() || result.cells[rows.back().cell].setting.interval != interval) {
      rows.push_back({c, {}});
    } else if (is_before(c, rows.back().cell)) {
      rows.back().others.push_back(rows.back().cell);
      rows.back().cell = c;
    } else {
      rows.back().others.push_back(c);
    }
    std::sort(rows.back().others.begin(), rows.back().others.end());
  }
  return rows;
}

}  // namespace nandi::sim
