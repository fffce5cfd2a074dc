#include "nandi/reports/summaries.h"

#include <fmt/format.h>

#include <algorithm>

#include "nandi/reports/page.h"
#include "nandi/sim/partition/text_table.h"

namespace nandi::reports {
namespace {

/// XML has no way to write most control characters; they become spaces.
std::string xml_text(std::string_view text) {
  std::string plain(text);
  for (char& c : plain) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return html_text(plain);
}

struct Case {
  std::string name;
  sim::Verdict verdict = sim::Verdict::unknown;
  std::string evidence;
  bool counts = true;
};

std::vector<Case> cases_of(const Report& report) {
  std::vector<Case> cases;
  for (const Finding& f : report.properties) {
    cases.push_back({f.name, f.verdict, f.evidence, f.counts});
  }
  for (const Finding& f : report.bounds) {
    cases.push_back({"bound " + f.name, f.verdict, f.evidence, f.counts});
  }
  for (const FaultCoverage& f : report.faults) {
    cases.push_back({"event " + f.name, f.verdict,
                     fmt::format("came up {}, struck {} times, changed {} outcomes", f.armed,
                                 f.fired, f.outcomes),
                     true});
  }
  return cases;
}

std::string outcome_xml(const Report& report, const Case& one) {
  if (!one.counts) return "<skipped message=\"not asked for\"/>";
  // What the file declares is no failure.
  if (!report.expected.empty() && report.as_expected) return "";
  const std::string message = xml_text(one.evidence);
  switch (one.verdict) {
    case sim::Verdict::holds: return "";
    case sim::Verdict::violated:
      return fmt::format("<failure type=\"violated\" message=\"{}\">{}</failure>", message,
                         xml_text(report.command));
    case sim::Verdict::unknown: break;
  }
  return fmt::format("<error type=\"unknown\" message=\"{}\"/>", message);
}

struct Counts {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
};

/// `seconds`: of this case; properties are judged together, so their verdict has the time of all.
std::string case_xml(const Report& report, const Case& one, Counts& counts, double seconds = 0) {
  const std::string outcome = outcome_xml(report, one);
  ++counts.tests;
  if (outcome.starts_with("<failure")) ++counts.failures;
  if (outcome.starts_with("<error")) ++counts.errors;
  if (outcome.starts_with("<skipped")) ++counts.skipped;
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">{}<system-out>{}</system-out>"
      "</testcase>\n",
      xml_text(report.title), xml_text(one.name), seconds, outcome, xml_text(one.evidence));
}

std::string counts_xml(const Counts& counts, double seconds) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                     counts.tests, counts.failures, counts.errors, counts.skipped, seconds);
}

/// A cell of a Markdown table, or a line of its text, in which nothing means anything.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\`*_{}[]()#+!|<>~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string_view sign(sim::Verdict verdict) {
  switch (verdict) {
    case sim::Verdict::holds: return "✓ holds";
    case sim::Verdict::violated: return "✗ violated";
    case sim::Verdict::unknown: break;
  }
  return "? unknown";
}

/// A block of code whose fence is longer than any run of backquotes in the text.
std::string markdown_code(const std::string& text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}\n{}\n{}\n", fence, text, fence);
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string junit_xml(const std::vector<Report>& reports) {
  Counts all;
  double seconds = 0;
  std::string suites;
  for (const Report& report : reports) {
    Counts counts;
    std::string cases;
    for (const Case& one : cases_of(report)) cases += case_xml(report, one, counts);
    cases += case_xml(report, {"verdict", report.verdict, verdict_sentence(report), true}, counts,
                      report.seconds);
    suites += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n",
                          xml_text(report.title), counts_xml(counts, report.seconds), cases);
    seconds += report.seconds;
    all.tests += counts.tests;
    all.failures += counts.failures;
    all.errors += counts.errors;
    all.skipped += counts.skipped;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"nandi\" {}>\n{}"
      "</testsuites>\n",
      counts_xml(all, seconds), suites);
}

std::string markdown_summary(const std::vector<Report>& reports) {
  std::string text = "| scenario | verdict | evidence | as declared |\n| --- | --- | --- | --- |\n";
  for (const Report& report : reports) {
    text +=
        fmt::format("| {} | {} | {} | {} |\n", markdown_text(report.title), sign(report.verdict),
                    markdown_text(report.evidence), report.as_expected ? "yes" : "**no**");
  }
  for (const Report& report : reports) {
    if (report.verdict == sim::Verdict::holds) continue;
    text += fmt::format("\n### {}\n\n{}\n\n", markdown_text(report.title),
                        markdown_text(verdict_sentence(report)));
    for (const Case& one : cases_of(report)) {
      if (!one.counts || one.verdict == sim::Verdict::holds) continue;
      text += fmt::format("- {}: {}, {}\n", markdown_text(one.name), sign(one.verdict),
                          markdown_text(one.evidence));
    }
    if (report.violation) {
      text += fmt::format("\n{}\n", markdown_text(report.violation->text));
    }
    if (!report.command.empty()) text += "\nThe same again:\n\n" + markdown_code(report.command);
  }
  return text;
}

std::string metrics_csv(const Report& report) {
  std::string text = "metric,unit,samples,least,mean,median,p90,p99,most\n";
  for (const Distribution& d : report.distributions) {
    if (d.percentiles.empty()) {
      text += fmt::format("{},ns,0,,,,,,\n", csv_text(d.key));
      continue;
    }
    text += fmt::format("{},ns,{},{},{},{},{},{},{}\n", csv_text(d.key), d.samples, d.least, d.mean,
                        d.percentiles[49], d.percentiles[89], d.percentiles[98], d.most);
  }
  return text;
}

}  // namespace nandi::reports
