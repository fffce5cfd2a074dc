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
  /// Empty: stopped before there was a seed.
  [[nodiscard]] std::optional<TuneMeasures> validate(std::size_t cell);
  void explain();
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
};

/// Of the members: from the request's to its most, rising, both included, at most six.
[[nodiscard]] std::vector<std::uint32_t> curve_members(const TuneRequest& request);

}  // namespace nandi::sim
