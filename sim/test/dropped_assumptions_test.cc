// The table of dropped assumptions in scenarios/README.md says what its files do.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "nandi/sim/campaign.h"
#include "nandi/sim/fault_catalogue.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/properties.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/simulator.h"
#include "schedule_line.h"

namespace nandi::sim {
namespace {

const std::filesystem::path kScenarios = NANDI_SCENARIOS_DIR;

struct Row {
  std::string property;
  std::size_t lines = 0;
};

std::map<std::string, Row> rows() {
  std::ifstream page(kScenarios / "README.md");
  const std::regex row(R"(\| `([a-z-]+)` \| violated \| ([a-z-]+) \| [^|]+ \| (\d+) \|)");
  std::map<std::string, Row> found;
  std::smatch cells;
  for (std::string line; std::getline(page, line);) {
    if (std::regex_match(line, cells, row)) found[cells[1]] = {cells[2], std::stoul(cells[3])};
  }
  return found;
}

/// Violated, of `property`, and as the file declares.
void expect_violated(const Scenario& scenario, const std::string& property) {
  CampaignOptions options;
  options.seeds = scenario.seeds;
  EXPECT_EQ(scenario.expect.verdict, Verdict::violated);
  EXPECT_EQ(scenario.expect.property, property);
  EXPECT_TRUE(judge(scenario, run_campaign(Simulator(scenario), options)).as_expected);
}

TEST(DroppedAssumptions, EachHasARow) {
  const std::map<std::string, Row> table = rows();
  constexpr auto kLast = static_cast<std::uint8_t>(Assumption::consumer_expiry);
  EXPECT_EQ(table.size(), kLast);
  for (std::uint8_t a = 1; a <= kLast; ++a) {
    EXPECT_EQ(table.count(std::string(to_string(static_cast<Assumption>(a)))), 1U) << int{a};
  }
}

TEST(DroppedAssumptions, EachScheduleIsAsLongAsItsRowSaysAndBreaksTheProperty) {
  for (const auto& [name, row] : rows()) {
    SCOPED_TRACE(name);
    const Scenario scenario =
        load_scenario(kScenarios / "regressions" / ("dropped-" + name + ".yaml"));
    EXPECT_EQ(lines_of(scenario.schedule).size(), row.lines);
    EXPECT_LE(row.lines, 12U);
    expect_violated(scenario, row.property);
  }
}

TEST(DroppedAssumptions, EachCampaignDropsThisOneAloneAndFindsAViolation) {
  for (const auto& [name, row] : rows()) {
    SCOPED_TRACE(name);
    Scenario scenario = load_scenario(kScenarios / "dropped" / (name + ".yaml"));
    expect_violated(scenario, row.property);
    scenario.swarm->assumptions_kept = true;  // so it is the assumption that matters
    CampaignOptions options;
    options.seeds = scenario.seeds;
    const CampaignResult kept = run_campaign(Simulator(scenario), options);
    for (std::size_t p = 0; p < property_infos().size(); ++p) {
      if (property_infos()[p].name == row.property) {
        EXPECT_EQ(kept.properties[p].runs_violated, 0U);
      }
    }
  }
}

}  // namespace
}  // namespace nandi::sim
