// From what a command throws to its exit status.
#pragma once

#include <exception>
#include <new>
#include <ostream>
#include <stdexcept>

#include "nandi/checker/check_command.h"
#include "nandi/checker/exploration.h"

namespace nandi::checker {

/// Runs `action`; 0, or the exit status that its failure stands for.
template <class Action>
int guarded(std::ostream& err, const Action& action) {
  try {
    action();
    return 0;
  } catch (const UsageError& error) {
    err << "nandi-check: " << error.what() << '\n';
    return kUsage;
  } catch (const ExplorationError& error) {
    err << "internal error: " << error.what() << '\n';
    return kOwnBug;
  } catch (const std::logic_error& error) {  // WitnessError among them
    err << "internal error: " << error.what() << '\n';
    return kOwnBug;
  } catch (const std::bad_alloc&) {
    err << "not enough memory; give a smaller --max-memory\n";
    return kOwnBug;
  } catch (const std::exception& error) {
    err << error.what() << '\n';
    return kBadFile;
  }
}

}  // namespace nandi::checker
