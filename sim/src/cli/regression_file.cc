#include "regression_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "nandi/sim/shrink.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/whole_file.h"

namespace nandi::sim::cli {
namespace {

std::string file_text(const Regression& regression, const Scenario& scenario, std::uint64_t seed,
                      const std::string& property) {
  std::ostringstream text;
  text << fmt::format(
      "# {} fails: seed {} of {}, {}.\n", property, seed, scenario.name,
      regression.is_schedule ? "as an explicit schedule" : "as a timeline under its seed");
  write_scenario(regression.scenario, text);
  return text.str();
}

/// A file of more lines than a person follows is worth another seed: so many of them.
constexpr std::size_t kMostFollowed = 12;
constexpr std::size_t kMostFailing = 8;
/// Seeds that are looked at after the first failing one.
constexpr std::uint64_t kMostSeeds = 5'000;

/// The shortest of what the first failing seeds become; the file is that one's at all times.
class RegressionSearch {
 public:
  RegressionSearch(const Scenario& scenario, const std::string& property, const RunRequest& request,
                   std::filesystem::path path)
      : scenario_(scenario), property_(property), request_(request), path_(std::move(path)) {}

  Regression shortest(std::size_t place, std::uint64_t first, std::uint64_t last) {
    shrink_seed(first);
    const Simulator simulator(scenario_);
    std::size_t failing = 1;
    last = std::min(last, first + std::min(kMostSeeds, UINT64_MAX - first));
    for (std::uint64_t seed = first; seed < last && !is_enough(failing);) {
      RunOptions options;
      options.length = request_.length;
      if (simulator.run(++seed, options).properties[place].violated == 0) continue;
      ++failing;
      shrink_seed(seed);
    }
    return std::move(*best_);
  }

 private:
  /// A timeline stays as it is: another seed of the same claim is no easier to follow.
  [[nodiscard]] bool is_enough(std::size_t failing) const {
    return !best_->is_schedule || best_->lines <= kMostFollowed || failing >= kMostFailing ||
           (request_.stop != nullptr && request_.stop->load());
  }

  void shrink_seed(std::uint64_t seed) {
    ShrinkOptions options;
    options.length = request_.length;
    options.stop = request_.stop;
    options.improved = [&](const Regression& regression) {
      if (best_ && best_seed_ != seed && regression.lines >= best_->lines) return;
      replace_file(path_, file_text(regression, scenario_, seed, property_));
      best_ = regression;
      best_seed_ = seed;
    };
    static_cast<void>(shrink(scenario_, seed, property_, options));
  }

  const Scenario& scenario_;
  const std::string& property_;
  const RunRequest& request_;
  std::filesystem::path path_;
  std::optional<Regression> best_;
  std::uint64_t best_seed_ = 0;
};

}  // namespace

void write_regressions(const Scenario& scenario, const CampaignResult& result,
                       const Judgement& judgement, const RunRequest& request, std::ostream& out) {
  for (std::size_t p = 0; p < result.properties.size(); ++p) {
    const PropertyTally& tally = result.properties[p];
    const Finding& finding = judgement.properties[p];
    if (!finding.counts || !tally.first) continue;
    std::error_code failure;
    std::filesystem::create_directories(request.regressions, failure);
    const std::filesystem::path path =
        request.regressions /
        fmt::format("{}-{}-seed{}.yaml", scenario.name, finding.name, tally.first_seed);
    const std::uint64_t last = request.seeds.value_or(scenario.seeds).last;
    const Regression regression =
        RegressionSearch(scenario, finding.name, request, path).shortest(p, tally.first_seed, last);
    out << fmt::format("  regression of {}: {} in {}\n  again: {} {}\n", finding.name,
                       regression.is_schedule ? counted(regression.lines, "line")
                                              : counted(regression.lines, "event"),
                       path.string(), request.program, path.string());
  }
}

}  // namespace nandi::sim::cli
