// TuneSearch: the grid of one request on its way to a result (tune.h says how).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nandi/sim/tune/tune.h"
#include "tune_measure.h"

namespace nandi::sim {

class TuneSearch {
 public:
  TuneSearch(const TuneRequest& request, const TuneOptions& options);
  TuneResult run();

 private:
  struct Piece {
    std::size_t cell = 0;
    std::uint64_t seed = 0;
  };

  void choose_intervals();
  void make_cells();
  void simulate_grid();
  /// Whether a cell may have as many seeds again as `have` in order to be told from others as good:
  /// up to what the validation's ten times as many leave of its budget.
  [[nodiscard]] bool may_contend(std::size_t cell, std::uint64_t have) const;
  /// Registrations that pieces will take; nothing for a cell's first.
  [[nodiscard]] std::uint64_t cost_of(const std::vector<Piece>& pieces) const;
  /// Runs pieces, adds them up by cell. False when it was interrupted.
  bool simulate(const std::vector<Piece>& pieces);
  void judge(std::size_t cell);
  [[nodiscard]] std::string failure(const TuneMeasures& measures) const;
  /// What keeps it from being shown to pass, where it does not fail; empty where nothing does.
  [[nodiscard]] std::string doubt(const TuneMeasures& measures) const;
  [[nodiscard]] Estimate merit(const TuneMeasures& measures) const;
  [[nodiscard]] bool is_eligible(std::size_t cell) const;
  /// Those that may be the best, as far as is known.
  [[nodiscard]] std::vector<std::size_t> contenders() const;
  [[nodiscard]] bool is_beaten(std::size_t cell) const;
  [[nodiscard]] std::optional<std::size_t> best() const;
  void mark_front();
  void choose_and_validate();
  /// Empty: stopped before there was a seed, or its first round does not fit into the budget.
  [[nodiscard]] std::optional<TuneMeasures> validate(std::size_t cell);
  void explain();
  /// Why the recommended setting is not confirmed.
  [[nodiscard]] std::string reason_for_doubt(const TuneMeasures& measures) const;
  [[nodiscard]] TuneEdge edge(TuneDirection direction) const;
  void draw_curves();
  void warn();
  [[nodiscard]] bool is_stopped() const {
    return options_.stop != nullptr && options_.stop->load();
  }
  void report(const char* phase, std::uint64_t done, std::uint64_t total) const {
    if (options_.progress) options_.progress({phase, done, total});
  }

  const TuneOptions& options_;
  TuneResult result_;
  TuneDelays delays_;
  std::vector<std::unique_ptr<SettingRuns>> runs_;  ///< by cell; null where a bound fails
  std::vector<SettingTally> tallies_;               ///< by cell
  std::uint64_t validated_ = 0;                     ///< registrations
  bool is_grid_cut_ = false;                        ///< by the budget
  bool is_validation_cut_ = false;                  ///< the same
};

/// Intervals between two changes on the curve over changes, falling by halves to 1: from where the
/// changes are as rare as the request's, if that is known, but from 64 at least and 512 at most.
[[nodiscard]] std::vector<std::int64_t> curve_spacings(const TuneRequest& request,
                                                       Duration interval);

/// Of the members: from the request's to its most, rising, both included, at most six.
[[nodiscard]] std::vector<std::uint32_t> curve_members(const TuneRequest& request);

}  // namespace nandi::sim
