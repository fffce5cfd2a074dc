// Campaigns over MPI: what `nandi-sim --mpi` does before and after its usual work.
#pragma once

#include <atomic>
#include <functional>

#include "cli/run_files.h"

namespace nandi::sim::cli {

/// Calls `lead` on rank 0, which runs campaigns on all ranks with what it is given, and returns its
/// status; the other ranks follow, silently, and return 0. Without MPI in the program: one message
/// and kUsage.
int run_over_mpi(int argc, char** argv, const std::atomic<bool>& stop,
                 const std::function<int(CampaignRunner)>& lead);

}  // namespace nandi::sim::cli
