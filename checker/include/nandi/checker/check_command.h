// The command `nandi-check FILE...`: checks scenario files and says what came of it. The room's
// README documents what it prints and writes.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "nandi/checker/lease_check.h"
#include "nandi/checker/run_lease_check.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/yaml/tree.h"

namespace nandi::checker {

/// Exit statuses besides those of a verdict (sim/verdict.h).
inline constexpr int kUsage = 64;
inline constexpr int kBadFile = 65;
inline constexpr int kOwnBug = 70;

/// A file that was checked; valid during the call.
struct CheckedFile {
  std::string file;  ///< as the user named it
  const sim::Scenario& scenario;
  const LeaseCheck& check;
  const LeaseCheckResult& result;
  const sim::yaml::Tree& tree;  ///< the same as JSON has it
  bool as_expected = true;
};

/// Hears what came of each file: for reports, which the library knows nothing of. What it throws
/// counts as a failure of the file.
class CheckObserver {
 public:
  CheckObserver() = default;
  CheckObserver(const CheckObserver&) = delete;
  CheckObserver& operator=(const CheckObserver&) = delete;
  virtual ~CheckObserver() = default;
  virtual void on_check(const CheckedFile& checked) = 0;
};

/// Flags that do not go together, or not with what a file asks for. Exit status 64.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct CheckRequest {
  std::vector<std::filesystem::path> files;
  Exploring order = Exploring::breadth_first;
  std::uint64_t seed = 1;                   ///< random walks
  std::optional<std::uint64_t> max_states;  ///< instead of the file's; random walks: steps
  std::optional<std::uint64_t> max_memory;  ///< bytes, instead of the file's
  std::optional<double> max_seconds;        ///< for each file
  std::optional<std::uint32_t> threads;     ///< instead of the file's, as the next three
  std::optional<bool> symmetry;
  std::optional<bool> reduction;     ///< leave out steps that commute
  std::optional<bool> fingerprints;  ///< breadth-first only, as threads
  bool keep_searching = false;       ///< random walks: until a bound or an interrupt
  std::string checkpoint;            ///< where to save the search; empty: nowhere
  double checkpoint_seconds = 300;   ///< between two checkpoints
  std::string resume;                ///< where to go on from; empty: from the beginning
  std::string json;                  ///< where to write; "-": standard output; empty: nowhere
  std::string save;     ///< where to write the counterexample as a scenario; empty: nowhere
  std::string dot;      ///< where to draw the graph; empty: nowhere
  std::string graphml;  ///< the same as GraphML
  std::size_t counterexamples = 1;  ///< of how many causes, at most
  bool liveness = false;            ///< check all liveness properties, whatever the file asks for
  bool show_path = false;
  bool as_expected = false;
  bool quiet = false;
  bool draw_progress = false;  ///< on the error stream
  const std::atomic<bool>* interrupt = nullptr;
  CheckObserver* observer = nullptr;
};

/// Memory as the command line and scenario files write it, "4GB". Throws std::invalid_argument.
[[nodiscard]] std::uint64_t memory_of(const std::string& text);

/// Empty, or which flags cannot be combined and what to do; a request to run_checks has none such.
[[nodiscard]] std::string find_conflict(const CheckRequest& request);

/// Checks each file and writes what came of it; the result is the exit status: 0 holds, 1 violated,
/// 2 unknown, the worst of several (violated, then unknown, then holds); 65 a file that is bad or
/// cannot be written, 70 a defect of the checker, before all verdicts. With as_expected: 0 when
/// each verdict is what its file declares, else 1, or 2 where the worst verdict is unknown.
[[nodiscard]] int run_checks(const CheckRequest& request, std::ostream& out, std::ostream& err);

}  // namespace nandi::checker
