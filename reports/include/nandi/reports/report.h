// Report: everything that a page, a JUnit file or a job summary shows about one run.
//
// Filled from the typed results of simulator and checker (lease_report.h, check_report.h,
// study_report.h), rendered by pure functions (page.h, junit.h, markdown.h, metrics.h). All texts
// are plain: whoever renders them escapes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nandi/reports/timeline.h"
#include "nandi/sim/verdict.h"

namespace nandi::reports {

struct Finding {
  std::string name;
  sim::Verdict verdict = sim::Verdict::unknown;
  std::string evidence;
  std::string claim;    ///< one sentence; empty where the name says it
  std::string partner;  ///< what has to happen for the claim to be tested; may be empty
  bool counts = true;   ///< towards the verdict of the whole
};

struct FaultCoverage {
  std::string name;
  sim::Verdict verdict = sim::Verdict::unknown;
  std::uint64_t armed = 0;
  std::uint64_t fired = 0;
  std::uint64_t outcomes = 0;   ///< that came out otherwise than without it, over all seeds
  std::optional<bool> changed;  ///< the shown run is another one without it; absent: not looked at
};

/// One measured quantity over a campaign; durations in nanoseconds.
struct Distribution {
  std::string name;
  std::string key;  ///< in metrics.csv and verdict.json
  std::uint64_t samples = 0;
  std::int64_t least = 0;
  std::int64_t mean = 0;
  std::int64_t most = 0;
  std::vector<std::int64_t> percentiles;  ///< 1st to 99th; empty without samples
};

/// A column of numbers is aligned to the right.
struct Table {
  std::string title;
  std::string note;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// One bar for each row, in groups of one title; `spread` is half the width of a 95 % interval.
struct Bar {
  std::string label;
  double value = 0;
  double spread = 0;
  std::string text;  ///< the value as it is written beside the bar
};
struct BarChart {
  std::string title;
  std::string note;
  std::string unit;
  std::vector<std::pair<std::string, std::vector<Bar>>> groups;
  std::optional<double> mark;  ///< a line at this value
  std::string mark_text;
};

/// Cells with a text and a shade: heat maps, ownership item by item, assumption tables.
struct Cell {
  std::string text;
  int tone = 0;  ///< 0 plain, 1 to 8 a shade with a pattern of its own
  bool is_marked = false;
};
struct Grid {
  std::string title;
  std::string note;
  std::vector<std::string> columns;
  std::vector<std::pair<std::string, std::vector<Cell>>> rows;
  std::vector<std::string> legend;  ///< by tone, from 1; empty: not in use
  bool is_ordered = false;  ///< tones are shades of one colour, darker for more; else colours
};

/// Points with their 95 % intervals, joined in order; x is not to scale, the points' labels say it.
struct CurvePoint {
  std::string label;
  double value = 0;
  double low = 0;
  double high = 0;
  std::string text;  ///< value and interval, as the table beside it has them
};
struct Curve {
  std::string title;
  std::string note;
  std::string x;     ///< what the labels are
  std::string unit;  ///< of the values
  std::vector<CurvePoint> points;
};

/// Differences of one figure between runs: the value, and how uncertain it is.
struct Difference {
  std::string name;
  std::string from;
  std::string to;
  double change = 0;  ///< in `unit`
  double spread = 0;  ///< half the width of the 95 % interval of the change
  std::string text;
};
struct DifferenceChart {
  std::string title;
  std::string note;
  std::string unit;
  std::vector<Difference> rows;
};

using Block = std::variant<Table, BarChart, Grid, DifferenceChart, Curve>;

struct Section {
  std::string title;
  std::string intro;
  std::vector<Block> blocks;
};

struct StoryLine {
  std::string when;
  std::string text;
};

/// A violation: what, whose, and how it came about.
struct Violation {
  std::string property;
  std::string text;
  std::vector<sim::WorkerId> workers;
  std::int64_t at = 0;
  std::vector<StoryLine> story;
};

struct Report {
  std::string kind;   ///< "lease run", "counterexample", ...
  std::string title;  ///< of the scenario
  std::string file;   ///< as the user named it; may be empty
  sim::Verdict verdict = sim::Verdict::unknown;
  std::string evidence;
  bool as_expected = true;
  std::string expected;  ///< what the file declares, where that is not the plain "holds"
  std::string command;   ///< shows the same again
  std::vector<std::string> remarks;                        ///< sentences under the verdict
  std::vector<std::pair<std::string, std::string>> facts;  ///< settings, bounds, assumptions
  std::vector<Finding> properties;
  std::vector<Finding> bounds;
  std::vector<FaultCoverage> faults;
  std::optional<Violation> violation;
  std::vector<Timeline> timelines;
  std::vector<Distribution> distributions;
  std::int64_t interval = 0;  ///< of the distributions, ns
  double seconds = 0;         ///< that the program took for it; shown in JUnit alone
  std::vector<Section> sections;
};

/// "scale-up holds: 1,000 seeds, ..." as one sentence.
[[nodiscard]] std::string verdict_sentence(const Report& report);

}  // namespace nandi::reports
