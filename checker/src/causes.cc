#include "nandi/checker/causes.h"

namespace nandi::checker {

std::string describe_causes(std::size_t found, std::optional<StopReason> stop) {
  if (!stop) return fmt::format("{} found, no more", found);
  if (*stop == StopReason::violation) return fmt::format("{} found, as many as asked for", found);
  return fmt::format("{} found until the search ended: {}", found, stop_reason_text(*stop));
}

}  // namespace nandi::checker
