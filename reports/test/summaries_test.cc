#include "nandi/reports/summaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_reports.h"

namespace nandi::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Report report_of(sim::Verdict verdict) {
  Report report;
  report.title = "a <b> & \"c\"";
  report.verdict = verdict;
  report.evidence = "7 seeds";
  report.command = "nandi-sim a.yaml --seed 7";
  report.as_expected = verdict == sim::Verdict::holds;
  report.properties = {{"lease-exclusive", verdict, "7 seeds", "", "", true},
                       {"one-count", sim::Verdict::violated, "seed 1", "", "", false}};
  report.faults = {{"crash", sim::Verdict::holds, 7, 6, 1, true}};
  return report;
}

TEST(Junit, HasACaseForEachPropertyEventAndVerdict) {
  const std::string xml = junit_xml({report_of(sim::Verdict::holds)});
  EXPECT_THAT(xml, HasSubstr("tests=\"4\" failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("classname=\"a &lt;b&gt; &amp; &quot;c&quot;\" "
                             "name=\"lease-exclusive\""));
  EXPECT_THAT(xml, HasSubstr("name=\"event crash\""));
  EXPECT_THAT(xml,
              HasSubstr("name=\"one-count\" time=\"0.000\"><skipped message=\"not asked for\"/>"));
}

TEST(Junit, SaysHowManySecondsAFileAndAllOfThemTook) {
  Report first = report_of(sim::Verdict::holds);
  Report second = report_of(sim::Verdict::holds);
  first.seconds = 1.25;
  second.seconds = 0.5;
  const std::string xml = junit_xml({first, second});
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"nandi\" tests=\"8\" failures=\"0\" errors=\"0\" "
                             "skipped=\"2\" time=\"1.750\">"));
  EXPECT_THAT(xml, HasSubstr("skipped=\"1\" time=\"1.250\">"));
  EXPECT_THAT(xml, HasSubstr("name=\"verdict\" time=\"0.500\">"));
}

TEST(Junit, AViolationFailsAndAnUnknownIsAnError) {
  EXPECT_THAT(junit_xml({report_of(sim::Verdict::violated)}),
              HasSubstr("tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(junit_xml({report_of(sim::Verdict::unknown)}),
              HasSubstr("tests=\"4\" failures=\"0\" errors=\"2\" skipped=\"1\""));
}

TEST(Junit, AViolationThatTheFileDeclaresIsNoFailure) {
  Report report = report_of(sim::Verdict::violated);
  report.expected = "violated (lease-exclusive)";
  report.as_expected = true;
  EXPECT_THAT(junit_xml({report}), HasSubstr("failures=\"0\" errors=\"0\""));
  report.as_expected = false;
  EXPECT_THAT(junit_xml({report}), HasSubstr("failures=\"2\""));
}

TEST(Junit, WritesNoCharacterThatXmlForbids) {
  Report report = report_of(sim::Verdict::violated);
  report.evidence = "\x01\x1b[31m]]>";
  const std::string xml = junit_xml({report});
  EXPECT_THAT(xml, Not(HasSubstr("\x1b")));
  EXPECT_THAT(xml, Not(HasSubstr("]]>")));
}

TEST(Markdown, ListsAllAndExplainsWhatDoesNotHold) {
  const std::string text =
      markdown_summary({report_of(sim::Verdict::holds), report_of(sim::Verdict::violated)});
  EXPECT_THAT(text, HasSubstr("| a \\<b\\> & \"c\" | ✓ holds | 7 seeds | yes |"));
  EXPECT_THAT(text, HasSubstr("| ✗ violated | 7 seeds | **no** |"));
  EXPECT_THAT(text, HasSubstr("- lease-exclusive: ✗ violated, 7 seeds"));
  EXPECT_THAT(text, HasSubstr("```\nnandi-sim a.yaml --seed 7\n```"));
}

TEST(Markdown, ATextCannotBreakItsTableOrItsBlock) {
  Report report = report_of(sim::Verdict::violated);
  report.title = "a | b\n# c";
  report.command = "echo ```";
  const std::string text = markdown_summary({report});
  EXPECT_THAT(text, HasSubstr("| a \\| b \\# c |"));
  EXPECT_THAT(text, HasSubstr("````\necho ```\n````"));
}

TEST(MetricsCsv, HasALineForEachDistributionInNanoseconds) {
  Report report;
  Distribution d{"start", "start", 3, 10, 20, 40, {}};
  for (int percent = 1; percent <= 99; ++percent) d.percentiles.push_back(100 + percent);
  report.distributions = {d, {"join", "join,\"x\"", 0, 0, 0, 0, {}}};
  EXPECT_EQ(metrics_csv(report),
            "metric,unit,samples,least,mean,median,p90,p99,most\n"
            "start,ns,3,10,20,150,190,199,40\n"
            "\"join,\"\"x\"\"\",ns,0,,,,,,\n");
}

}  // namespace
}  // namespace nandi::reports
