#include "nandi/sim/tune/tune_result.h"

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

}  // namespace nandi::sim
