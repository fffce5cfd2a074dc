#include "nandi/reports/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "charts.h"
#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/quantity_text.h"
#include "page_assets.h"
#include "timeline_json.h"

namespace nandi::reports {
namespace {

/// What can be told without colours: a sign before each verdict.
std::string badge(sim::Verdict verdict) {
  const std::string_view name = sim::verdict_name(verdict);
  const std::string_view sign = verdict == sim::Verdict::holds      ? "✓"
                                : verdict == sim::Verdict::violated ? "✗"
                                                                    : "?";
  return fmt::format("<span class=\"verdict {}\">{} {}</span>", name, sign, name);
}

bool is_figure(const std::string& text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text.front())) != 0 ||
                           text.front() == '-' || text.front() == '+');
}

std::string note_html(const std::string& note) {
  return note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", html_text(note));
}

/// Columns in which every cell is a figure are aligned to the right.
std::string table_html(const Table& table) {
  std::vector<bool> is_number(table.header.size(), true);
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      is_number[c] = is_number[c] && (row[c].empty() || is_figure(row[c]));
    }
  }
  const auto classes = [&](std::size_t c) {
    return table.rows.empty() ? "" : is_number[c] ? " class=\"number\"" : "";
  };
  std::string html = "<div class=\"scroll\"><table>\n";
  if (!table.title.empty()) html += fmt::format("<caption>{}</caption>\n", html_text(table.title));
  html += "<thead><tr>";
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>", classes(c), html_text(table.header[c]));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      html += fmt::format("<td{}>{}</td>", classes(c), html_text(row[c]));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n" + note_html(table.note);
}

std::string figure_html(const std::string& title, const std::string& note, const std::string& svg) {
  std::string html = "<figure>\n";
  if (!title.empty()) html += fmt::format("<h3>{}</h3>\n", html_text(title));
  html += svg;
  if (!note.empty()) html += fmt::format("<figcaption>{}</figcaption>\n", html_text(note));
  return html + "</figure>\n";
}

/// A head may break behind each `_`: a column is as wide as its cells, not as a name of three
/// words.
std::string head_html(const std::string& head) {
  std::string html;
  for (const char c : html_text(head)) {
    html += c;
    if (c == '_') html += "<wbr>";
  }
  return html;
}

std::string grid_html(const Grid& grid) {
  const std::string_view shade = grid.is_ordered ? "heat" : "tone";
  std::string html;
  if (!grid.title.empty()) html += fmt::format("<h3>{}</h3>\n", html_text(grid.title));
  html += "<div class=\"scroll\"><table class=\"grid\">\n<thead><tr><td></td>";
  for (const std::string& column : grid.columns) {
    html += fmt::format("<th scope=\"col\">{}</th>", head_html(column));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& [name, cells] : grid.rows) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", html_text(name));
    for (const Cell& cell : cells) {
      std::string classes = cell.tone > 0 ? fmt::format("{}{}", shade, cell.tone) : "";
      if (cell.is_marked) classes += classes.empty() ? "marked" : " marked";
      html += classes.empty()
                  ? fmt::format("<td>{}</td>", html_text(cell.text))
                  : fmt::format("<td class=\"{}\">{}</td>", classes, html_text(cell.text));
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  if (!grid.legend.empty()) {
    html += "<ul class=\"legend\">";
    for (std::size_t l = 0; l < grid.legend.size(); ++l) {
      if (grid.legend[l].empty()) continue;
      html += fmt::format("<li><span class=\"swatch {}{}\">{}</span></li>", shade, l % 8 + 1,
                          html_text(grid.legend[l]));
    }
    html += "</ul>\n";
  }
  return html + note_html(grid.note);
}

std::string difference_html(const DifferenceChart& chart) {
  Table table{"", "", {"figure", "first", "this one", "change"}, {}};
  for (const Difference& row : chart.rows) {
    table.rows.push_back({row.name, row.from, row.to, row.text});
  }
  return figure_html(chart.title, chart.note, difference_svg(chart)) + table_html(table);
}

std::string curve_html(const Curve& curve) {
  Table table{"", "", {curve.x, "value"}, {}};
  for (const CurvePoint& point : curve.points) table.rows.push_back({point.label, point.text});
  // One point is no curve: the table says it.
  const std::string svg = curve.points.size() > 1 ? curve_svg(curve) : "";
  return figure_html(curve.title, curve.note, svg) + table_html(table);
}

std::string block_html(const Block& block) {
  if (const auto* table = std::get_if<Table>(&block)) return table_html(*table);
  if (const auto* grid = std::get_if<Grid>(&block)) return grid_html(*grid);
  if (const auto* curve = std::get_if<Curve>(&block)) return curve_html(*curve);
  if (const auto* bars = std::get_if<BarChart>(&block)) {
    std::string note = bars->note;
    if (bars->mark) note += (note.empty() ? "" : " ") + bars->mark_text;
    return figure_html(bars->title, note, bar_svg(*bars));
  }
  return difference_html(std::get<DifferenceChart>(block));
}

std::string header_html(const Report& report) {
  std::string html = fmt::format("<header>\n<h1>{} {}</h1>\n<p>{}</p>\n", badge(report.verdict),
                                 html_text(report.title), html_text(verdict_sentence(report)));
  const std::size_t above =
      report.violation ? std::min<std::size_t>(report.remarks.size(), 1) : report.remarks.size();
  for (std::size_t r = 0; r < above; ++r) {
    html += fmt::format("<p>{}</p>\n", html_text(report.remarks[r]));
  }
  if (!report.command.empty()) {
    html += fmt::format("<p class=\"note\">The same again:</p>\n<pre>{}</pre>\n",
                        html_text(report.command));
  }
  return html + "</header>\n";
}

std::string findings_html(const std::vector<Finding>& findings, const char* what) {
  if (findings.empty()) return "";
  const auto has = [&](const std::string Finding::*text) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& f) { return !(f.*text).empty(); });
  };
  const bool have_claims = has(&Finding::claim);
  const bool have_partners = has(&Finding::partner);
  std::string html = fmt::format(
      "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">{}</th><th "
      "scope=\"col\">verdict</th><th scope=\"col\">evidence</th>{}{}</tr></thead>\n<tbody>\n",
      what, have_claims ? "<th scope=\"col\">what it claims</th>" : "",
      have_partners ? "<th scope=\"col\">put to the test when</th>" : "");
  constexpr std::size_t kShort = 32;  // stays on one line, so that the table stays low
  for (const Finding& finding : findings) {
    html += fmt::format("<tr><td class=\"name\">{}</td><td>{}</td><td{}>{}{}</td>",
                        html_text(finding.name), badge(finding.verdict),
                        finding.evidence.size() <= kShort ? " class=\"brief\"" : "",
                        html_text(finding.evidence), finding.counts ? "" : " (not asked for)");
    if (have_claims) html += fmt::format("<td>{}</td>", html_text(finding.claim));
    if (have_partners) html += fmt::format("<td>{}</td>", html_text(finding.partner));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string coverage_html(const std::vector<FaultCoverage>& faults) {
  if (faults.empty()) return "";
  const bool are_compared =
      std::any_of(faults.begin(), faults.end(), [](const FaultCoverage& f) { return f.changed; });
  Table table{"Faults and other events of the timeline",
              "",
              {"event", "came up", "struck", "outcomes changed"},
              {}};
  if (are_compared) {
    table.header.emplace_back("changed the shown run");
    table.note =
        "A run is compared with the same seed without the event: draws are keyed, so that "
        "everything else stays as it was.";
  }
  std::string absent;
  for (const FaultCoverage& fault : faults) {
    if (fault.armed == 0) {
      absent += (absent.empty() ? "" : ", ") + fault.name;
      continue;
    }
    table.rows.push_back({fault.name, sim::grouped(fault.armed), sim::grouped(fault.fired),
                          sim::grouped(fault.outcomes)});
    if (are_compared) {
      table.rows.back().emplace_back(!fault.changed   ? "not looked at"
                                     : *fault.changed ? "yes"
                                                      : "no");
    }
  }
  if (!absent.empty()) {
    table.note += fmt::format("{}Never came up: {}.", table.note.empty() ? "" : " ", absent);
  }
  return "<div>\n" + table_html(table) + "</div>\n";
}

constexpr const char* kSpacetimeNote =
    "A bar is a lease. Arrows are registrations and their replies; \"index 3 after 5\" is what the "
    "store replied: the index in this interval, after an interval that had 5 registrations.";

std::string violation_html(const Report& report) {
  if (!report.violation) return "";
  const Violation& violation = *report.violation;
  std::string html = fmt::format("<section id=\"violation\">\n<h2>How {} was violated</h2>\n",
                                 html_text(violation.property));
  html += fmt::format("<p class=\"violated\"><strong>{}</strong></p>\n", html_text(violation.text));
  html += "<div class=\"beside\">\n";
  html += figure_html("", std::string("Hatched: both own at once. ") + kSpacetimeNote,
                      report.timelines.empty() ? "" : spacetime_svg(report.timelines.front()));
  Table table{"", "", {"when", "what"}, {}};
  for (const StoryLine& line : violation.story) table.rows.push_back({line.when, line.text});
  return html + table_html(table) + "</div>\n</section>\n";
}

std::string legend_html() {
  struct Sign {
    const char* drawing;
    const char* meaning;
  };
  constexpr Sign kSigns[] = {
      {"<rect class=\"holding tone3\" x=\"1\" y=\"2\" width=\"32\" height=\"14\"/><text x=\"5\" "
       "y=\"14\" class=\"bold\">2/3</text>",
       "owns index 2 of 3: the tasks with id % 3 = 2"},
      {"<rect class=\"idle\" x=\"1\" y=\"8\" width=\"32\" height=\"3\"/>", "runs and owns nothing"},
      {"<rect class=\"stalled\" x=\"1\" y=\"2\" width=\"32\" height=\"14\"/>", "stalled"},
      {"<line class=\"registration\" x1=\"17\" x2=\"17\" y1=\"4\" y2=\"13\"/>", "a registration"},
      {"<path class=\"ghost\" d=\"M17 4l4 5l-4 5l-4 -5z\"/>",
       "a ghost: counted, though its sender had given it up"},
      {"<rect class=\"fault\" x=\"3\" y=\"2\" width=\"28\" height=\"14\"/>", "a fault"}};
  std::string html = "<ul class=\"legend\">";
  for (const Sign& sign : kSigns) {
    html += fmt::format(
        "<li><svg viewBox=\"0 0 34 18\" width=\"34\" height=\"18\" class=\"sign\" "
        "aria-hidden=\"true\">{}</svg>{}</li>",
        sign.drawing, sign.meaning);
  }
  return html + "</ul>\n";
}

std::string omissions(const Timeline& t) {
  std::string text;
  if (t.lanes.size() < t.all_workers) {
    text += fmt::format("{} of {} workers have a lane. ", sim::grouped(t.lanes.size()),
                        sim::grouped(t.all_workers));
  }
  if (t.events.size() < t.all_events) {
    text += fmt::format("{} of {} events can be stepped through, {}; trace.ndjson has all. ",
                        sim::grouped(t.events.size()), sim::grouped(t.all_events),
                        t.focus ? "those around the marked moment" : "the first ones");
  }
  if (t.messages.size() < t.all_messages) {
    text += fmt::format("{} of {} registrations are drawn. ", sim::grouped(t.messages.size()),
                        sim::grouped(t.all_messages));
  }
  if (t.is_merged) text += "Stretches too short to be seen are merged with their neighbours. ";
  return text.empty() ? "" : "This run is sampled: " + text;
}

std::string timelines_html(const Report& report) {
  if (report.timelines.empty()) return "";
  std::string html = "<section id=\"timeline\">\n<h2>Timeline</h2>\n";
  html +=
      "<p class=\"note\">A lane for each worker over time; columns are the store's intervals. "
      "Point at a lane to read what it did and why. A click, or <kbd>.</kbd> and <kbd>,</kbd> "
      "step through the events; Ctrl or Shift and the wheel zoom, dragging moves, and "
      "<kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> and the arrow keys do both while the chart has the "
      "focus.</p>\n";
  // Above a violation there is room for one remark only: its story has to fit the first screen.
  for (std::size_t r = 1; report.violation && r < report.remarks.size(); ++r) {
    html += fmt::format("<p>{}</p>\n", html_text(report.remarks[r]));
  }
  html += legend_html();
  for (std::size_t t = 0; t < report.timelines.size(); ++t) {
    const Timeline& timeline = report.timelines[t];
    const std::string description =
        fmt::format("Timeline of {}: {} lanes over {}. The table of leases says the same in words.",
                    timeline.label, timeline.lanes.size(),
                    timeline.unit == TimeUnit::ticks ? fmt::format("{} ticks", timeline.end)
                                                     : sim::duration_text(Duration(timeline.end)));
    html += fmt::format(
        "<figure>\n<h3>{}</h3>\n<div class=\"timeline\" id=\"timeline-{}\" "
        "data-description=\"{}\"></div>\n",
        html_text(timeline.label), t, html_text(description));
    html += note_html(omissions(timeline));
    html += "</figure>\n";
  }
  html +=
      "<noscript><p>The timeline is drawn by the page's script, which is switched off; the "
      "tables say the same in words.</p></noscript>\n";
  return html + "</section>\n";
}

std::string closest_html(const Report& report) {
  if (report.violation || report.timelines.size() != 1) return "";
  const Timeline& timeline = report.timelines.front();
  const std::string svg = spacetime_svg(timeline);
  if (svg.empty()) return "";
  return "<section id=\"closest\">\n<h2>The closest approach</h2>\n" +
         figure_html("",
                     fmt::format("Of {}: two workers that had one index one after the other, and "
                                 "the time between. {}",
                                 timeline.label, kSpacetimeNote),
                     svg) +
         "</section>\n";
}

std::string distributions_html(const Report& report) {
  const std::string svg = distribution_svg(report.distributions, report.interval);
  if (svg.empty()) return "";
  Table table{"", "", {"", "samples", "least", "median", "mean", "99 %", "worst"}, {}};
  for (const Distribution& d : report.distributions) {
    if (d.percentiles.empty()) continue;
    const auto text = [](std::int64_t value) { return sim::duration_text(Duration(value)); };
    table.rows.push_back({d.name, sim::grouped(d.samples), text(d.least), text(d.percentiles[49]),
                          text(d.mean), text(d.percentiles[98]), text(d.most)});
  }
  return "<section id=\"distributions\">\n<h2>Distributions over the seeds</h2>\n" +
         figure_html("",
                     "From the least to the worst sample; the box is the middle half, the long "
                     "mark the median, and each tick below the line has 4 % of the samples between "
                     "it and the next. I is one interval.",
                     svg) +
         table_html(table) + "</section>\n";
}

std::string facts_html(const Report& report) {
  if (report.facts.empty()) return "";
  std::string html =
      "<section id=\"settings\">\n<h2>Settings and figures</h2>\n<dl class=\"facts\">";
  for (const auto& [name, value] : report.facts) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_text(name), html_text(value));
  }
  return html + "</dl>\n</section>\n";
}

std::string section_html(const Section& section, std::size_t number) {
  std::string html =
      fmt::format("<section id=\"section-{}\">\n<h2>{}</h2>\n", number, html_text(section.title));
  if (!section.intro.empty()) html += fmt::format("<p>{}</p>\n", html_text(section.intro));
  for (const Block& block : section.blocks) html += block_html(block);
  return html + "</section>\n";
}

const char* properties_title(const Report& report) {
  return report.faults.empty() ? "Properties" : "Properties and faults";
}

/// Links to the parts of a long page.
std::string contents_html(const Report& report) {
  std::vector<std::pair<std::string, std::string>> parts;
  if (report.violation) parts.emplace_back("violation", "The violation");
  if (!report.properties.empty()) parts.emplace_back("properties", properties_title(report));
  if (!report.timelines.empty()) parts.emplace_back("timeline", "Timeline");
  if (!closest_html(report).empty()) parts.emplace_back("closest", "The closest approach");
  for (std::size_t s = 0; s < report.sections.size(); ++s) {
    parts.emplace_back(fmt::format("section-{}", s), report.sections[s].title);
  }
  if (!distributions_html(report).empty()) parts.emplace_back("distributions", "Distributions");
  if (!report.facts.empty()) parts.emplace_back("settings", "Settings and figures");
  if (parts.size() < 3) return "";
  std::string html = "<nav aria-label=\"On this page\">\n<ul>";
  for (const auto& [id, title] : parts) {
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>", id, html_text(title));
  }
  return html + "</ul>\n</nav>\n";
}

std::string head_html(const Report& report) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<title>{}: {}, {}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}",
      html_text(report.title), sim::verdict_name(report.verdict), html_text(report.kind),
      kPageStyle, kPagePatterns);
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string html_page(const Report& report) {
  std::string html = head_html(report) + header_html(report) + contents_html(report) + "<main>\n";
  html += violation_html(report);
  if (!report.properties.empty()) {
    html += fmt::format("<section id=\"properties\">\n<h2>{}</h2>\n", properties_title(report)) +
            findings_html(report.properties, "property") + "<div class=\"flow\">\n" +
            findings_html(report.bounds, "bound") + coverage_html(report.faults) +
            "</div>\n</section>\n";
  }
  html += timelines_html(report);
  html += closest_html(report);
  for (std::size_t s = 0; s < report.sections.size(); ++s) {
    html += section_html(report.sections[s], s);
  }
  html += distributions_html(report);
  html += facts_html(report);
  html += "</main>\n";
  if (!report.timelines.empty()) {
    html += fmt::format("<script type=\"application/json\" id=\"timelines\">{}</script>\n",
                        timelines_json(report.timelines));
    html += fmt::format("<script>\n{}</script>\n", kPageScript);
  }
  return html + "</body>\n</html>\n";
}

}  // namespace nandi::reports
