// What --mpi is where the program was built without MPI.
#include <iostream>

#include "mpi_ranks.h"

namespace nandi::sim::cli {

int run_over_mpi(int /*argc*/, char** /*argv*/, const std::atomic<bool>& /*stop*/,
                 const std::function<int(CampaignRunner)>& /*lead*/) {
  std::cerr << "--mpi: this nandi-sim was built without MPI; install libopenmpi-dev and openmpi-bin"
               " and build it again, or leave --mpi out\n";
  return kUsage;
}

}  // namespace nandi::sim::cli
