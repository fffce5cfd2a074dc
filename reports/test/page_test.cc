// What an HTML page must be whatever it shows: complete in itself, harmless, the same every time.
#include "nandi/reports/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "nandi/reports/study_report.h"
#include "sample_reports.h"

namespace nandi::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Page, IsTheSameForTheSameRun) {
  EXPECT_EQ(html_page(sample_report(kQuiet)), html_page(sample_report(kQuiet)));
}

TEST(Page, ReachesForNothing) {
  for (const char* scenario : {kQuiet, kBroken}) {
    const std::string page = html_page(sample_report(scenario));
    EXPECT_FALSE(std::regex_search(page, std::regex("(src|href|action|srcset|poster)\\s*=\\s*[\"']"
                                                    "(?!#)")))
        << "an attribute that loads or leads somewhere";
    EXPECT_FALSE(std::regex_search(page, std::regex("@import|url\\((?!#)")));
    EXPECT_FALSE(std::regex_search(page, std::regex("fetch\\(|XMLHttpRequest|WebSocket|EventSource|"
                                                    "sendBeacon|import\\(")));
    // The name of SVG's namespace is the only address, and nobody asks for it.
    const std::string namespace_name = "http://www.w3.org/2000/svg";
    for (std::size_t at = page.find("://"); at != std::string::npos;
         at = page.find("://", at + 1)) {
      EXPECT_EQ(page.substr(at - 4, namespace_name.size()), namespace_name);
    }
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  }
}

TEST(Page, TextsOfAScenarioStayTexts) {
  const std::string evil = "</script><img src=x onerror=alert(1)>\"'&<!--";
  Report report = sample_report(kQuiet);
  report.title = evil;
  report.command = evil;
  report.evidence = evil;
  report.remarks = {evil};
  report.facts = {{evil, evil}};
  report.properties[0].evidence = evil;
  report.faults[0].name = evil;
  report.sections = {{evil,
                      evil,
                      {Table{evil, evil, {evil}, {{evil}}},
                       Grid{evil, evil, {evil}, {{evil, {{evil, 1, true}}}}, {evil}},
                       BarChart{evil, evil, "", {{evil, {{evil, 1, 0, evil}}}}, 1, evil},
                       DifferenceChart{evil, evil, "", {{evil, evil, evil, 1, 1, evil}}}}}};
  Timeline& timeline = report.timelines[0];
  timeline.label = evil;
  timeline.lanes[0].name = evil;
  timeline.lanes[0].parts[0].cause = evil;
  timeline.bands[0].name = evil;
  timeline.events[0].text = evil;
  timeline.events[0].possible = {evil};
  timeline.focus->text = evil;
  const std::string page = html_page(report);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_THAT(page, HasSubstr("&lt;img src=x"));
  // As many ends of scripts as there are scripts.
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("</script>"), 2U);
  EXPECT_EQ(count("<script"), 2U);
}

TEST(Page, SaysWhatItLeftOut) {
  Report report = sample_report(kQuiet);
  EXPECT_THAT(html_page(report), Not(HasSubstr("This run is sampled")));
  report.timelines[0].all_events = 1'000'000;
  report.timelines[0].all_workers = 500;
  const std::string page = html_page(report);
  EXPECT_THAT(page, HasSubstr("This run is sampled: 3 of 500 workers have a lane."));
  EXPECT_THAT(page, HasSubstr("of 1,000,000 events can be stepped through"));
}

TEST(Page, TellsAViolationWithItsOwnersAndItsStory) {
  const Report report = sample_report(kBroken);
  const std::string page = html_page(report);
  ASSERT_TRUE(report.violation.has_value());
  EXPECT_THAT(page, HasSubstr("How lease-exclusive was violated"));
  EXPECT_THAT(page, HasSubstr(html_text(report.violation->text)));
  EXPECT_THAT(page, HasSubstr("class=\"overlap\""));
  ASSERT_FALSE(report.violation->story.empty());
  for (const StoryLine& line : report.violation->story) {
    EXPECT_THAT(page, HasSubstr(html_text(line.text)));
  }
}

TEST(Page, SaysWhyTheGroupStoodDown) {
  // Worker 1 crashes at 8 s and is missed once the interval of its last registration is closed.
  const Report report = sample_report(kQuiet);
  const auto told = std::find_if(report.remarks.begin(), report.remarks.end(), [](const auto& r) {
    return r.find("because the number of members changed (w1 was gone from 8.000 s on)") !=
           std::string::npos;
  });
  EXPECT_NE(told, report.remarks.end());
}

TEST(Page, DrawsTheSizesOfASettlingStudy) {
  sim::SettlingResult result;
  result.study.shapes = {sim::JitterShape::uniform, sim::JitterShape::lognormal};
  result.figures = {
      {sim::JitterShape::uniform, Duration(1'000'000), 1748, 2370, {}, 2371, 2351, 2388},
      {sim::JitterShape::uniform, Duration(3'000'000), 874, 1212, {}, 1213, 1183, {}}};
  result.properties = {{"edge-as-predicted", sim::Verdict::violated, "uniform, 3.00 ms: off"}};
  result.verdict = sim::Verdict::violated;
  const Report report = settling_report("on-the-wire.yaml", "nandi-sim on-the-wire.yaml", result);
  EXPECT_EQ(report.title, "on-the-wire");
  EXPECT_EQ(report.evidence, "edge-as-predicted: uniform, 3.00 ms: off");
  // The table and one curve: of the other shape nothing was measured.
  ASSERT_EQ(report.sections.size(), 1U);
  EXPECT_EQ(report.sections[0].blocks.size(), 2U);
  const std::string page = html_page(report);
  EXPECT_THAT(page, HasSubstr("Largest group that settles, delays uniform"));
  EXPECT_THAT(page, HasSubstr("2,371 [2,351, 2,388] workers; 2,370 predicted"));
  EXPECT_THAT(page, HasSubstr("1,213 [1,183, open]"));
}

// Slots of 800 workers are 0.875 ms apart, and the store's clock is read to a millisecond.
TEST(Page, WarnsOfAGroupThatDoesNotSettle) {
  const auto text = [](int workers) {
    return html_page(sample_report(
        ("name: large\ngroup: {interval: 1s}\nworkers: " + std::to_string(workers) + "\nfor: 2s\n")
            .c_str()));
  };
  EXPECT_THAT(text(800), HasSubstr(html_text("Warning: too large to settle: above 7")));
  EXPECT_THAT(text(800), HasSubstr("of 800 the slots are 875 us apart"));
  EXPECT_THAT(text(600), Not(HasSubstr("Warning")));
}

}  // namespace
}  // namespace nandi::reports
