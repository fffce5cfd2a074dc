#include "regression_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "nandi/sim/shrink.h"
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
    ShrinkOptions options;
    options.length = request.length;
    options.stop = request.stop;
    options.improved = [&](const Regression& regression) {
      replace_file(path, file_text(regression, scenario, tally.first_seed, finding.name));
    };
    const Regression regression = shrink(scenario, tally.first_seed, finding.name, options);
    out << fmt::format("  regression of {}: {} in {}\n  again: {} {}\n", finding.name,
                       regression.is_schedule ? counted(regression.lines, "line")
                                              : counted(regression.lines, "event"),
                       path.string(), request.program, path.string());
  }
}

}  // namespace nandi::sim::cli
