// One lane per worker over virtual time, drawn with characters.
#pragma once

#include <string>
#include <vector>

#include "nandi/sim/scenario.h"
#include "nandi/sim/trace.h"

namespace nandi::sim::cli {

/// Collects what the lanes show: a few bytes per change of a worker's state.
class LaneView final : public TraceSink {
 public:
  void record(const TraceRecord& record) override;

  /// At most `width` columns; a group of more than `most` workers shows the first ones and says so.
  [[nodiscard]] std::string draw(const Scenario& scenario, TrueTime end, int width,
                                 std::size_t most) const;

 private:
  /// What a worker is from then on: ' ' absent, '.' without a lease, '~' stalled, otherwise the
  /// last digit of its index in base 36.
  struct Turn {
    TrueTime at;
    char state = ' ';
  };
  struct Lane {
    std::vector<Turn> turns;
    char lease = '.';
    TrueTime lease_ends = TrueTime::max();
    bool stalled = false;
    bool present = false;
  };
  struct Band {
    std::string name;
    std::uint32_t number = 0;
    TrueTime from;
    TrueTime to;
    bool ended = false;
  };

  void note(const TraceRecord& record);
  static void turn(Lane& lane, TrueTime at, char state);
  static std::string cells(const Lane& lane, TrueTime end, std::size_t columns);

  std::vector<Lane> lanes_;
  std::vector<Band> bands_;
};

}  // namespace nandi::sim::cli
