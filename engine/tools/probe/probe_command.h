// The command line of nandi-worker probe.
#pragma once

namespace nandi::tools {

/// argv[0] is "probe". Returns the exit status.
int run_probe(int argc, char** argv);

}  // namespace nandi::tools
