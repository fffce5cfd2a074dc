// What nandi-sim does with the files that it is given.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "nandi/sim/campaign.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/keyspace/keyspace_study.h"
#include "nandi/sim/partition/partition_study.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/settling/settling_study.h"
#include "nandi/sim/simulator.h"

namespace nandi::sim::cli {

/// Exit statuses besides those of a verdict (verdict.h).
inline constexpr int kUsage = 64;
inline constexpr int kBadFile = 65;
inline constexpr int kOwnBug = 70;

/// A lease scenario that was run and judged; valid during the call.
struct FinishedLease {
  const Simulator& simulator;
  const CampaignResult& result;
  const Judgement& judgement;
  std::string file;                      ///< as the user named it
  std::string command;                   ///< shows the same again
  std::uint64_t seed = 1;                ///< the run to show
  const Violation* violation = nullptr;  ///< that it shows
  std::string property;                  ///< that it violates
};

/// Hears what came of each file: for reports, which the library knows nothing of. What it throws
/// counts as a failure of the file.
class RunObserver {
 public:
  RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;
  virtual ~RunObserver() = default;
  virtual void on_lease(const FinishedLease& finished) = 0;
  virtual void on_partition(const std::string& file, const std::string& command,
                            const PartitionResult& result) = 0;
  virtual void on_keyspace(const std::string& file, const std::string& command,
                           const KeyspaceResult& result) = 0;
  virtual void on_settling(const std::string& file, const std::string& command,
                           const SettlingResult& result) = 0;
};

/// run_campaign(), or what stands for it.
using CampaignRunner = std::function<CampaignResult(const Simulator&, const CampaignOptions&)>;

struct RunRequest {
  std::vector<std::filesystem::path> files;
  std::optional<SeedRange> seeds;  ///< instead of the file's
  unsigned jobs = 1;
  std::optional<Duration> length;     ///< instead of the file's
  std::string json;                   ///< where to write; "-": standard output; empty: nowhere
  std::string trace;                  ///< the same for the trace of one seed
  std::string resume;                 ///< state file of a campaign; empty: none
  std::filesystem::path regressions;  ///< directory for failing seeds; empty: none is written
  std::optional<std::uint64_t> fault_seed;  ///< SwarmSettings::fault_seed
  bool as_expected = false;
  bool check_determinism = false;
  bool quiet = false;
  bool table = false;  ///< of each file one row of a table, in Markdown, in place of the summary
  std::function<std::int64_t()> lookup_clock;  ///< times the lookups of partition schemes
  bool draw_progress = false;                  ///< on the error stream
  bool use_colour = false;
  int width = 80;  ///< of the terminal, in columns
  std::string program = "nandi-sim";
  const std::atomic<bool>* stop = nullptr;
  RunObserver* observer = nullptr;
  CampaignRunner over_ranks;  ///< runs campaigns on several machines (--mpi); empty: on this one
};

/// Where output goes.
struct Streams {
  std::ostream& text;  ///< for people
  std::ostream& data;  ///< JSON and traces that were asked for on the standard output
  std::ostream& err;
};

/// Runs each file and writes what came of it; the result is the exit status. Several files: the
/// worst verdict counts (violated, then unknown, then holds), a file that cannot be read before
/// all.
int run_files(const RunRequest& request, std::ostream& out, std::ostream& err);

}  // namespace nandi::sim::cli
