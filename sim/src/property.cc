#include "nandi/sim/property.h"

#include <fmt/format.h>

namespace nandi::sim {

std::string worker_name(WorkerId worker) { return fmt::format("w{}", worker); }

std::string pair_text(Pair pair) { return fmt::format("{}/{}", pair.index, pair.count); }

}  // namespace nandi::sim
