#include "doctor/finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "nandi/engine/log_line.h"

namespace nandi::tools {
namespace {

std::string wrapped(std::string_view first, std::string_view indent, std::string_view text) {
  constexpr std::size_t kColumns = 98;
  std::string result(first);
  std::size_t column = first.size();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (column + word.size() > kColumns && column > indent.size()) {
      result.back() = '\n';
      result += indent;
      column = indent.size();
    }
    result += word;
    result += ' ';
    column += word.size() + 1;
    begin = end + 1;
  }
  result.back() = '\n';
  return result;
}

std::size_t count(const DoctorReport& report, Severity severity) {
  return static_cast<std::size_t>(
      std::count_if(report.findings.begin(), report.findings.end(),
                    [severity](const Finding& f) { return f.severity == severity; }));
}

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::unknown: return "unknown";
  }
  return "unknown";
}

void DoctorReport::error(std::string code, std::string what, std::string why, std::string advice) {
  findings.push_back(
      {Severity::error, std::move(code), std::move(what), std::move(why), std::move(advice)});
}

void DoctorReport::warning(std::string code, std::string what, std::string why,
                           std::string advice) {
  findings.push_back(
      {Severity::warning, std::move(code), std::move(what), std::move(why), std::move(advice)});
}

void DoctorReport::unknown(std::string code, std::string what, std::string why,
                           std::string advice) {
  findings.push_back(
      {Severity::unknown, std::move(code), std::move(what), std::move(why), std::move(advice)});
}

void DoctorReport::fact(std::string name, std::string value) {
  facts.push_back({std::move(name), std::move(value)});
}

bool DoctorReport::has(std::string_view code) const {
  return std::any_of(findings.begin(), findings.end(),
                     [code](const Finding& finding) { return finding.code == code; });
}

int exit_status(const DoctorReport& report) {
  constexpr int kNotReached = 69;
  if (report.unreachable) return kNotReached;
  if (count(report, Severity::error) > 0) return 1;
  return report.findings.empty() ? 0 : 2;
}

std::string report_text(const DoctorReport& report) {
  if (report.unreachable) {
    return fmt::format("{}: {}\n", nandi::to_string(report.unreachable->error),
                       report.unreachable->detail);
  }
  std::string text = report.server + "\n";
  for (const Fact& fact : report.facts) {
    text += wrapped(fmt::format("  {:<14}", fact.name), std::string(16, ' '), fact.value);
  }
  for (const Finding& finding : report.findings) {
    text += fmt::format("\n{}: {}\n", to_string(finding.severity), finding.code);
    text += wrapped("  what  ", "        ", finding.what);
    text += wrapped("  why   ", "        ", finding.why);
    text += wrapped("  do    ", "        ", finding.advice);
  }
  text +=
      fmt::format("\nerrors: {}, warnings: {}, not checked: {}\n", count(report, Severity::error),
                  count(report, Severity::warning), count(report, Severity::unknown));
  return text;
}

std::string report_json(const DoctorReport& report) {
  std::string json = fmt::format(R"({{"nandi_doctor":1,"exit":{},"server":{})", exit_status(report),
                                 json_string(report.server));
  if (report.unreachable) {
    json += fmt::format(R"(,"unreachable":{{"error":{},"detail":{}}})",
                        json_string(nandi::to_string(report.unreachable->error)),
                        json_string(report.unreachable->detail));
  }
  json += R"(,"facts":{)";
  for (const Fact& fact : report.facts) {
    json += fmt::format("{}{}:{}", &fact == &report.facts.front() ? "" : ",",
                        json_string(fact.name), json_string(fact.value));
  }
  json += R"(},"findings":[)";
  for (const Finding& finding : report.findings) {
    json += fmt::format(R"({}{{"severity":{},"code":{},"what":{},"why":{},"advice":{}}})",
                        &finding == &report.findings.front() ? "" : ",",
                        json_string(to_string(finding.severity)), json_string(finding.code),
                        json_string(finding.what), json_string(finding.why),
                        json_string(finding.advice));
  }
  return json + "]}\n";
}

}  // namespace nandi::tools
