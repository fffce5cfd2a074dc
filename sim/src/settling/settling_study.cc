#include "nandi/sim/settling/settling_study.h"

#include <fmt/format.h>

#include <algorithm>

#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/quantity_text.h"
#include "nandi/sim/yaml/record.h"

namespace nandi::sim {
namespace {

const std::vector<std::pair<JitterShape, std::string>> kShapeNames = {
    {JitterShape::two_point, "two-point"},
    {JitterShape::uniform, "uniform"},
    {JitterShape::lognormal, "lognormal"}};

constexpr std::uint64_t kMostSeeds = 1000;

using yaml::Tree;

Tree number(std::uint64_t value) { return Tree::literal(std::to_string(value)); }

Tree optional_number(const std::optional<std::uint32_t>& value) {
  return value ? number(*value) : Tree::literal("null");
}

std::string size_text(std::int64_t size) { return grouped(static_cast<std::uint64_t>(size)); }

std::string interval_of(const SettlingFigures& figures) {
  const auto end = [](const std::optional<std::uint32_t>& value) {
    return value ? grouped(*value) : std::string("open");
  };
  return fmt::format("[{}, {}]", end(figures.low), end(figures.high));
}

}  // namespace

std::string jitter_shape_name(JitterShape shape) {
  for (const auto& [each, name] : kShapeNames) {
    if (each == shape) return name;
  }
  return "";
}

NetworkSettings jitter_network(JitterShape shape, Duration jitter) {
  const Duration half = jitter / 2;
  NetworkSettings network;
  switch (shape) {
    case JitterShape::two_point: {
      // Samples are rounded down: the two buckets are of one nanosecond each.
      constexpr Duration kOne(1);
      HistogramDelay delay;
      delay.buckets = {{kOne, 1}, {std::max(half, kOne + kOne), 0}};
      delay.buckets.push_back({delay.buckets.back().to + kOne, 1});
      network.request = delay;
      break;
    }
    case JitterShape::uniform: network.request = UniformDelay{Duration(0), half}; break;
    case JitterShape::lognormal:
      network.request = LognormalDelay{std::max(half / 10, Duration(1)), half};
      break;
  }
  network.reply = network.request;
  return network;
}

yaml::Type<SettlingStudy> settling_study_type() {
  using Study = SettlingStudy;
  const auto gap =
      yaml::fraction_type({Fraction(0, 1), std::nullopt, std::nullopt, Fraction(1, 2)});
  const auto drift =
      yaml::fraction_type({std::nullopt, Fraction(0, 1), Fraction(1, 100), std::nullopt});
  const auto share = yaml::fraction_type({Fraction(0, 1), std::nullopt, Fraction(1, 1), {}});
  const auto positive = yaml::duration_type(Duration(1));
  return yaml::Record<Study>("settling-study",
                             "From how many workers on a group does not settle (`kind: settling`).")
      .required("kind", &Study::kind, yaml::known_string_type("kind of study", {"settling"}),
                "What the file describes.", "settling")
      .optional("interval", &Study::interval, positive, "Length of an interval.", "5s")
      .optional("gap", &Study::gap, gap, "Timing slack, as a fraction of the interval.", "0.15")
      .optional("resolution", &Study::resolution, positive, "Resolution of the store's clock.",
                "10us")
      .optional("drift_bound", &Study::drift_bound, drift,
                "Bound on the relative rate of two clocks that the workers count on.", "100ppm")
      .optional("shapes", &Study::shapes, yaml::list_type(yaml::enum_type(kShapeNames), 1),
                "How the way to the store, and the way back, is distributed.",
                "[two-point, uniform, lognormal]")
      .required("jitter", &Study::jitter, yaml::list_type(yaml::duration_type(Duration(10)), 1),
                "By how much a registration varies, half of it each way (lognormal: half of it is "
                "the 99th percentile of each way).",
                "[300us, 1ms, 3ms]")
      .optional("seeds", &Study::seeds, yaml::count_range_type(1'000'000'000),
                "Seeds, six at least; each measures by itself.", "1..6")
      .optional("watched", &Study::watched, yaml::count_type<std::uint32_t>(1, 100'000),
                "Intervals in which a group is watched at least, once it had twelve to settle in.",
                "20")
      .optional("tolerance", &Study::tolerance, share,
                "Share of the predicted size by which the measured one may differ.", "0.05")
      .optional("expect", &Study::expect, study_expectation_type(),
                "The outcome that the file declares.", "{verdict: holds}")
      .check([](const Study& study, const yaml::Value& value) {
        const std::uint64_t seeds = study.seeds.second - study.seeds.first + 1;
        if (seeds < kLeastSettlingSeeds || seeds > kMostSeeds) {
          value.find("seeds")->fail(
              fmt::format("{} seeds", grouped(seeds)),
              "give 6 to 1,000: the median of fewer has no interval that holds it with 95 %");
        }
      })
      .type();
}

SettlingStudy load_settling_study(const yaml::Document& document) {
  return settling_study_type().read(document.root());
}

double SettlingFigures::rate_at_twice() const {
  double sum = 0;
  for (const SettlingEdge& edge : edges) sum += edge.rate_at_twice;
  return sum / static_cast<double>(edges.size());
}

std::string settling_study_text(const SettlingResult& result) {
  const SettlingStudy& study = result.study;
  std::string text = fmt::format(
      "interval {}, gap {}, resolution of the store's clock {}; settled: workers stand down in at "
      "most one of 1,000 intervals\n\n",
      duration_text(study.interval), to_string(study.gap), duration_text(study.resolution));
  TextTable table({"delays", "jitter", "never up to", "settles up to: predicted", "measured",
                   "95 %", "stand-downs at twice that, a worker and interval"});
  for (const SettlingFigures& figures : result.figures) {
    table.add_row({jitter_shape_name(figures.shape), duration_text(figures.jitter),
                   figures.bound ? size_text(*figures.bound) : "-", size_text(figures.predicted),
                   grouped(figures.median), interval_of(figures),
                   fmt::format("{:.3f}", figures.rate_at_twice())});
  }
  return text + table.to_string(2) + "\n" + properties_text(result.properties);
}

yaml::Tree settling_study_json(const SettlingResult& result) {
  Tree out = Tree::mapping();
  out.add("format", Tree::string("nandi-settling-study/1"));
  out.add("verdict", Tree::string(std::string(verdict_name(result.verdict))));
  out.add("properties", properties_json(result.properties));
  out.add("study", settling_study_type().write(result.study));
  Tree rows = Tree::sequence();
  for (const SettlingFigures& figures : result.figures) {
    Tree row = Tree::mapping();
    row.add("shape", Tree::string(jitter_shape_name(figures.shape)));
    row.add("jitter", Tree::integer(figures.jitter.count()));
    row.add("bound", figures.bound ? Tree::integer(*figures.bound) : Tree::literal("null"));
    row.add("predicted", Tree::integer(figures.predicted));
    row.add("median", number(figures.median));
    Tree interval = Tree::sequence();
    interval.append(optional_number(figures.low));
    interval.append(optional_number(figures.high));
    row.add("interval", std::move(interval));
    Tree edges = Tree::sequence();
    for (const SettlingEdge& edge : figures.edges) {
      Tree each = Tree::mapping();
      each.add("settles", number(edge.settles));
      each.add("does_not", optional_number(edge.does_not));
      each.add("stand_downs_at_bound", number(edge.at_bound));
      each.add("watched_at_bound", number(edge.watched_bound));
      each.add("rate_at_twice", Tree::literal(fmt::format("{:.6f}", edge.rate_at_twice)));
      edges.append(std::move(each));
    }
    row.add("seeds", std::move(edges));
    rows.append(std::move(row));
  }
  out.add("figures", std::move(rows));
  return out;
}

}  // namespace nandi::sim
