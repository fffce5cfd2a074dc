// Pages in a real browser: they load without a complaint, ask for nothing, step and zoom; at 1400
// and at 800 pixels, light and dark, nothing sticks out, is cut off, written over or faint.
//
// Skips where there is no chromium. browser.py drives it and says what it saw.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "nandi/reports/page.h"
#include "sample_pages.h"

namespace nandi::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string chromium() {
  for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return "";
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> buffer{};
  for (std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe); got > 0;
       got = fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

class Browser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (chromium().empty()) GTEST_SKIP() << "no chromium; install the package chromium";
    directory_ =
        std::filesystem::temp_directory_path() / ("nandi-browser-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  /// What browser.py saw on each page, all in one browser.
  std::vector<nlohmann::json> look_at(const std::vector<std::string>& pages) {
    std::string command =
        std::string("'") + NANDI_PYTHON + "' '" + NANDI_BROWSER_PY + "' '" + chromium() + "' check";
    for (std::size_t p = 0; p < pages.size(); ++p) {
      const std::filesystem::path path = directory_ / fmt::format("page-{}.html", p);
      std::ofstream(path) << pages[p];
      command += " '" + path.string() + "'";
    }
    std::istringstream lines(output_of(command));
    std::vector<nlohmann::json> seen;
    for (std::string line; std::getline(lines, line);) seen.push_back(nlohmann::json::parse(line));
    EXPECT_EQ(seen.size(), pages.size());
    return seen;
  }

  nlohmann::json look_at(const std::string& page) { return look_at(std::vector{page}).at(0); }

  std::filesystem::path directory_;
};

void expect_sound(const nlohmann::json& seen) {
  EXPECT_EQ(seen["errors"], nlohmann::json::array()) << "console";
  EXPECT_EQ(seen["requests"], nlohmann::json::array());
  EXPECT_EQ(seen["unnamed_charts"], 0) << "every chart has a text alternative";
  EXPECT_EQ(seen["unlabelled_cells"], 0) << "every heading says what it heads";
  EXPECT_EQ(seen["empty_charts"], 0);
  const nlohmann::json none = nlohmann::json::array();
  ASSERT_EQ(seen["looks"].size(), 4U);
  for (const nlohmann::json& look : seen["looks"]) {
    SCOPED_TRACE(fmt::format("{} pixels, {}", static_cast<int>(look["width"]),
                             static_cast<std::string>(look["scheme"])));
    EXPECT_EQ(look["innerWidth"], look["width"]);
    EXPECT_EQ(look["dark"], look["scheme"] == "dark");
    EXPECT_LE(look["scrollWidth"], look["innerWidth"]);
    EXPECT_EQ(look["sticks_out"], none) << "out of the window, and not in a box that scrolls";
    EXPECT_EQ(look["cut"], none) << "texts that end at the edge of their drawing";
    EXPECT_EQ(look["crossed"], none) << "texts written over each other";
    EXPECT_EQ(look["faint"], none) << "a contrast below 4.5 to 1";
  }
}

TEST_F(Browser, EveryKindOfPageLoadsWithoutAComplaintAndAsksForNothing) {
  const auto samples = sample_pages();
  std::vector<std::string> pages;
  for (const auto& [name, report] : samples) pages.push_back(html_page(report));
  const std::vector<nlohmann::json> all = look_at(pages);
  ASSERT_EQ(all.size(), samples.size());
  for (std::size_t p = 0; p < all.size(); ++p) {
    SCOPED_TRACE(samples[p].first);
    expect_sound(all[p]);
    if (samples[p].first != "check") {
      EXPECT_GT(static_cast<int>(all[p]["charts"]) + static_cast<int>(all[p]["grids"]), 0);
    }
  }
}

TEST_F(Browser, FaultsThatMeetAreDrawnSideBySideAndLegibly) {
  // Six faults at a time, some that last to the end, one that strikes at the very end of the run.
  const std::string crowded =
      replaced(kQuiet, "  - {at: 14s, hang: {for: 700ms}}\n",
               "  - {at: 9s, latency: {request: {constant: 3ms}}}\n"
               "  - {at: 9s, slow_consumer: {workers: [0], drain: {constant: 10ms}}}\n"
               "  - {at: 10s, oom: {for: 2s}}\n"
               "  - {at: 10500ms, del: {interval: closed}}\n"
               "  - {at: 11s, hang: {for: 700ms}}\n"
               "  - {at: 19900ms, script_flush: {}}\n");
  const Report report = sample_report(crowded);
  ASSERT_EQ(report.timelines.at(0).bands.size(), 6U);
  expect_sound(look_at(html_page(report)));
}

TEST_F(Browser, TheMeasuresSeeWhatIsPlanted) {
  std::string page = html_page(sample_report(kQuiet));
  const std::string planted =
      "<div style=\"width: 2000px\">wide</div><p style=\"color: #999999; background: "
      "#ffffff\">faint"
      "</p><svg viewBox=\"0 0 1000 40\" role=\"img\" aria-label=\"planted\">"
      "<text x=\"980\" y=\"15\">this is cut</text><text x=\"10\" y=\"20\">one text</text>"
      "<text x=\"14\" y=\"22\">over another</text></svg></main>";
  page = replaced(page, "</main>", planted);
  const nlohmann::json seen = look_at(page);
  for (const nlohmann::json& look : seen["looks"]) {
    EXPECT_GT(look["scrollWidth"], look["innerWidth"]);
    EXPECT_THAT(look["sticks_out"].dump(), HasSubstr("wide"));
    EXPECT_EQ(look["cut"].size(), 1U) << look["cut"];
    EXPECT_EQ(look["crossed"].size(), 1U) << look["crossed"];
    EXPECT_EQ(look["faint"].size(), 1U) << look["faint"];
  }
}

TEST_F(Browser, AViolationsTwoOwnersAndItsStoryFitOneScreen) {
  const nlohmann::json seen = look_at(html_page(sample_report(kBroken)));
  for (const nlohmann::json& look : seen["looks"]) {
    if (look["width"] != 1400) continue;
    EXPECT_GT(look["violation_bottom"], 300);
    EXPECT_LE(look["violation_bottom"], 900) << "of a window 900 pixels high";
  }
}

TEST_F(Browser, TheTabulatorKeyLeadsThroughAllControlsAndEachShowsIt) {
  const nlohmann::json seen = look_at(html_page(sample_report(kQuiet)));
  std::vector<std::string> names;
  for (const nlohmann::json& stop : seen["stops"]) {
    names.push_back(stop["name"]);
    EXPECT_EQ(stop["outlined"], true) << stop;
    EXPECT_EQ(stop["visible"], true) << stop;
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"in", "out", "left", "right", "whole", "first",
                                              "back", "forward", "last", "filter"}));
  EXPECT_EQ(names.front(), "Properties and faults") << "links to the parts of the page come first";
  std::vector<int> order;
  for (const nlohmann::json& stop : seen["stops"]) order.push_back(stop["at"]);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << "in the order of reading";
}

TEST_F(Browser, TheTimelineZoomsMovesAndSteps) {
  const nlohmann::json seen = look_at(html_page(sample_report(kQuiet)));
  EXPECT_NE(seen["axis_zoomed"], seen["axis"]);
  EXPECT_NE(seen["axis_moved"], seen["axis_zoomed"]);
  EXPECT_EQ(seen["axis_whole"], seen["axis"]) << "0 shows the whole run again";
  EXPECT_NE(seen["axis_wheel"], seen["axis"]);
  EXPECT_THAT(std::string(seen["first"]), StartsWith("Event 1 of "));
  EXPECT_THAT(std::string(seen["second"]), StartsWith("Event 2 of "));
  EXPECT_THAT(std::string(seen["third"]), StartsWith("Event 3 of "));
  EXPECT_EQ(seen["fragment"], "#event-2") << "the address says where the reader is";
  EXPECT_NE(seen["clicked"], seen["second"]);
  EXPECT_NE(seen["forward"], seen["clicked"]);
  EXPECT_EQ(seen["states"], 3) << "a row for each worker";
  EXPECT_THAT(std::string(seen["tip"]), HasSubstr("w0 holds"));
}

TEST_F(Browser, ATimelineWithTextsOfAnAttackerIsDrawnAsTexts) {
  Report report = sample_report(kQuiet);
  const std::string evil = "</script><img src=x onerror=console.error(1)>";
  report.title = evil;
  report.timelines[0].label = evil;
  report.timelines[0].lanes[0].name = evil;
  for (TimelineEvent& event : report.timelines[0].events) event.text = evil;
  const nlohmann::json seen = look_at(html_page(report));
  EXPECT_EQ(seen["errors"], nlohmann::json::array());
  EXPECT_EQ(seen["requests"], nlohmann::json::array());
  EXPECT_THAT(std::string(seen["title"]), StartsWith(evil));
}

}  // namespace
}  // namespace nandi::reports
