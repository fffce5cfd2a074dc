// The command line of nandi-worker doctor.
#pragma once

namespace nandi::tools {

/// argv[0] is "doctor". Returns the exit status.
int run_doctor(int argc, char** argv);

}  // namespace nandi::tools
