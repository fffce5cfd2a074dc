// Pages in a real browser: they load without a complaint, ask for nothing, step and zoom.
//
// Skips where there is no chromium. browser.py drives it and says what it saw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

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

  /// What browser.py saw on the page, in a browser of its own.
  nlohmann::json look_at(const std::string& page) {
    const std::filesystem::path path = directory_ / "page.html";
    std::ofstream(path) << page;
    const std::string text = output_of(std::string("'") + NANDI_PYTHON + "' '" + NANDI_BROWSER_PY +
                                       "' '" + chromium() + "' check '" + path.string() + "'");
    return nlohmann::json::parse(text);
  }

  std::filesystem::path directory_;
};

void expect_sound(const nlohmann::json& seen) {
  EXPECT_EQ(seen["errors"], nlohmann::json::array()) << "console";
  EXPECT_EQ(seen["requests"], nlohmann::json::array());
  EXPECT_EQ(seen["unnamed_charts"], 0) << "every chart has a text alternative";
  EXPECT_EQ(seen["unlabelled_cells"], 0) << "every heading says what it heads";
  EXPECT_EQ(seen["empty_charts"], 0);
  EXPECT_LE(seen["wide"], 1400) << "nothing sticks out sideways";
  EXPECT_LE(seen["wide_at_800"], 800);
}

TEST_F(Browser, EveryKindOfPageLoadsWithoutAComplaintAndAsksForNothing) {
  for (const auto& [name, report] : sample_pages()) {
    SCOPED_TRACE(name);
    const nlohmann::json seen = look_at(html_page(report));
    expect_sound(seen);
    if (name != "check") {
      EXPECT_GT(static_cast<int>(seen["charts"]) + static_cast<int>(seen["grids"]), 0);
    }
  }
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
