#include "proof/edges.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "nandi/engine/bounds.h"
#include "proof/overlap_terms.h"
#include "proof/smt2_writer.h"

namespace nandi::checker::proof {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::int64_t kPartsPerMillion = 1'000'000;

std::string text(Fraction value) {
  if (value.denominator() == 1) return fmt::format("{}", value.numerator());
  return fmt::format("{}/{}", value.numerator(), value.denominator());
}

z3::expr constant(z3::context& context, Fraction value) {
  return context.real_val(text(value).c_str());
}

/// Slots as the schedule spreads them, over a gap that may be an unknown. No count: any group.
struct BandTerms {
  z3::expr earliest;
  z3::expr latest;
};

BandTerms band_terms(const z3::expr& gap, std::optional<std::uint32_t> members) {
  if (!members) return {gap, 1 - gap};
  z3::context& context = gap.ctx();
  const z3::expr half_slot = (1 - 2 * gap) * context.real_val(1, static_cast<int>(2 * *members));
  return {gap + half_slot, 1 - gap - half_slot};
}

SlotBand band_of(Fraction gap, std::optional<std::uint32_t> members) {
  return members ? slot_band(gap, *members) : whole_band(gap);
}

enum class Deadline { from_request, from_reply };

class EdgeFinder {
 public:
  EdgeFinder(z3::context& context, const DischargeOptions& options)
      : context_(context), options_(options), terms_(context) {}

  std::vector<EdgeReport> run() {
    for (const Fraction gap : {Fraction(3, 25), Fraction(3, 20), Fraction(2, 5)}) {
      for (const std::optional<std::uint32_t> members :
           {std::optional<std::uint32_t>(2), std::optional<std::uint32_t>(5),
            std::optional<std::uint32_t>(100), std::optional<std::uint32_t>()}) {
        if (options_.is_interrupted()) return std::move(reports_);
        margins(gap, members);
        if (members) gap_excess(gap, *members);
        drift(gap, members, Deadline::from_request);
        if (members) drift(gap, members, Deadline::from_reply);
      }
    }
    for (const Fraction rate : {Fraction(1, 1000), Fraction(1, 100), Fraction(1, 20)}) {
      if (options_.is_interrupted()) return std::move(reports_);
      gap_for_drift(rate);
    }
    any_two_gaps();
    return std::move(reports_);
  }

 private:
  struct Sought {
    std::string name;
    std::string at;
    std::string rule;
    Fraction formula;
    bool largest_violating = false;  ///< else the smallest violating value is sought
  };

  z3::expr zero() { return context_.real_val(0); }
  z3::expr value_of(const char* name) { return context_.real_const(name); }

  static std::string at_text(Fraction gap, std::optional<std::uint32_t> members) {
    return members ? fmt::format("g = {}, n <= {}", to_string(gap), *members)
                   : fmt::format("g = {}, any n", to_string(gap));
  }

  OverlapParameters engine_parameters(Fraction gap, std::optional<std::uint32_t> members) {
    const z3::expr g = constant(context_, gap);
    const BandTerms band = band_terms(g, members);
    return {band.earliest, band.earliest, band.latest, g, zero(), zero(), zero()};
  }

  void margins(Fraction gap, std::optional<std::uint32_t> members) {
    const SlotBand band = band_of(gap, members);
    const z3::expr unknown = value_of("sought");
    OverlapParameters parameters = engine_parameters(gap, members);
    parameters.margin_b = unknown;
    seek({"stand-down margin, deadline from the request", at_text(gap, members),
          "1 + earliest - latest = 2g + (1-2g)/n", largest_margin(band)},
         unknown, parameters);

    parameters.reply_delay_b = unknown;
    seek({"stand-down margin, deadline from the reply", at_text(gap, members),
          "(1 + earliest - latest) / 2 = g + (1-2g)/(2n)", largest_margin_from_reply(band)},
         unknown, parameters);

    parameters = engine_parameters(gap, members);
    parameters.reply_delay_b = unknown;
    seek({"reply delay, deadline from the reply", at_text(gap, members),
          "1 + earliest - latest - g = g + (1-2g)/n", largest_reply_delay(band, gap)},
         unknown, parameters);

    parameters = engine_parameters(gap, members);
    parameters.deviation = unknown;
    seek({"clock deviation over a lease", at_text(gap, members),
          "1 + earliest - latest - g = g + (1-2g)/n", largest_reply_delay(band, gap)},
         unknown, parameters);
  }

  /// A keeps the gap, B's is larger; B's margin and reply delay are its own gap.
  void gap_excess(Fraction gap, std::uint32_t members) {
    const z3::expr unknown = value_of("sought");
    const z3::expr gap_b = constant(context_, gap) + unknown;
    const BandTerms band_b = band_terms(gap_b, members);
    OverlapParameters parameters = engine_parameters(gap, members);
    parameters.earliest_slot_b = band_b.earliest;
    parameters.latest_slot_b = band_b.latest;
    parameters.margin_b = gap_b;
    parameters.reply_delay_b = gap_b;
    seek({"excess of one member's gap, deadline from the reply", at_text(gap, members),
          "(1-2g)/(n+1)", largest_gap_excess(gap, members)},
         unknown, [&](Strictness strictness) {
           std::vector<z3::expr> constraints = overlap(terms_, parameters, strictness);
           constraints.push_back(below(2 * gap_b, context_.real_val(1), strictness));
           return constraints;
         });
  }

  /// With the rate a number, everything is linear in the gap: the optimiser finds it exactly.
  void gap_for_drift(Fraction rate) {
    const z3::expr unknown = value_of("sought");
    const BandTerms band = band_terms(unknown, std::nullopt);
    const Sought sought{"smallest gap for a drift, deadline from the request",
                        fmt::format("d = {}, any n", to_string(rate)),
                        "d (3 + 2d + d^2) / ((1+d)^2 (1-d))", smallest_gap_for_drift(rate), true};
    const OverlapParameters parameters{band.earliest, band.earliest, band.latest,
                                       unknown,       zero(),        constant(context_, rate),
                                       zero()};
    seek(sought, unknown, [&](Strictness strictness) {
      std::vector<z3::expr> constraints = overlap(terms_, parameters, strictness);
      constraints.push_back(below(zero(), unknown, strictness) &&
                            below(2 * unknown, context_.real_val(1), strictness));
      return constraints;
    });
  }

  /// `constraints_with` gives the violation's constraints, open or closed.
  template <class ConstraintsWith>
  void seek(const Sought& sought, const z3::expr& unknown,
            const ConstraintsWith& constraints_with) {
    const auto start = SteadyClock::now();
    const std::vector<z3::expr> constraints = constraints_with(Strictness::open);
    EdgeReport report;
    report.name = sought.name;
    report.at = sought.at;
    report.rule = sought.rule;
    report.formula = text(sought.formula);
    const std::optional<std::string> extremum =
        optimum(constraints_with(Strictness::closed), unknown, sought.largest_violating);
    report.value = extremum.value_or("none found");
    if (extremum) {
      const z3::expr value = context_.real_val(extremum->c_str());
      const z3::expr step = context_.real_val(1, kPartsPerMillion);
      const bool down = sought.largest_violating;
      // "At or on the safe side" and "past it": the optimiser is not taken at its word.
      const bool safe =
          decide(sought, ".at", constraints, down ? unknown >= value : unknown <= value, z3::unsat);
      const bool broken = decide(sought, ".past", constraints,
                                 unknown == (down ? value - step : value + step), z3::sat);
      report.attained = !safe;
      report.agrees = safe && broken && report.value == report.formula;
    }
    finish(report, start);
  }

  void seek(const Sought& sought, const z3::expr& unknown, const OverlapParameters& parameters) {
    seek(sought, unknown,
         [&](Strictness strictness) { return overlap(terms_, parameters, strictness); });
  }

  /// The extremum of `unknown` under closed bounds. (With strict ones z3 4.8.12 answers values that
  /// are no extrema at all: 3/8 for a margin whose violations begin at 3/10.)
  std::optional<std::string> optimum(const std::vector<z3::expr>& constraints,
                                     const z3::expr& unknown, bool maximise) {
    z3::optimize optimize(context_);
    optimize.set(options_.parameters(context_));
    for (const z3::expr& constraint : constraints) optimize.add(constraint);
    if (!maximise) optimize.add(unknown >= 0);
    const z3::optimize::handle handle =
        maximise ? optimize.maximize(unknown) : optimize.minimize(unknown);
    if (optimize.check() != z3::sat) return std::nullopt;
    const Z3_ast_vector raw = maximise
                                  ? Z3_optimize_get_upper_as_vector(context_, optimize, handle.h())
                                  : Z3_optimize_get_lower_as_vector(context_, optimize, handle.h());
    const z3::expr_vector bound(context_, raw);
    if (bound.size() != 3 || number_text(bound[0]) != "0") return std::nullopt;
    return number_text(bound[1]);
  }

  /// The largest rate is algebraic, not rational, in general: bracketed to a part per million.
  void drift(Fraction gap, std::optional<std::uint32_t> members, Deadline deadline) {
    const auto start = SteadyClock::now();
    const SlotBand band = band_of(gap, members);
    const bool from_reply = deadline == Deadline::from_reply;
    const LeaseSpan span = from_reply ? span_from_reply(gap, band) : span_from_request(gap, band);
    OverlapParameters parameters = engine_parameters(gap, members);
    if (from_reply) parameters.reply_delay_b = parameters.margin_b;
    const auto violated_at = [&](std::int64_t ppm) {
      parameters.drift = constant(context_, Fraction(ppm, kPartsPerMillion));
      z3::solver solver(context_);
      solver.set(options_.parameters(context_));
      for (const z3::expr& constraint : overlap(terms_, parameters)) solver.add(constraint);
      return solver.check();
    };
    std::int64_t safe = -1;
    std::int64_t broken = kPartsPerMillion;
    while (broken - safe > 1) {
      const std::int64_t middle = safe + (broken - safe) / 2;
      (violated_at(middle) == z3::unsat ? safe : broken) = middle;
    }
    EdgeReport report;
    report.name = from_reply ? "clock drift, deadline from the reply"
                             : "clock drift, deadline from the request";
    report.at = at_text(gap, members);
    report.rule = "largest d with (1+d)(1 + latest + margin + reply delay - f) <= 2";
    report.value = fmt::format("{} ppm", safe);
    report.formula = fmt::format("{} ppm", largest_drift_ppm(span));
    const Sought sought{report.name, report.at, {}, {}, false};
    const auto confirmed = [&](std::int64_t ppm, const char* side, z3::check_result expected) {
      parameters.drift = constant(context_, Fraction(ppm, kPartsPerMillion));
      return decide(sought, side, overlap(terms_, parameters), context_.bool_val(true), expected);
    };
    report.agrees = report.value == report.formula && safe >= 0 &&
                    confirmed(safe, ".at", z3::unsat) && confirmed(broken, ".past", z3::sat);
    finish(report, start);
  }

  /// With the deadline from the request, no two gaps below a half can be too far apart.
  void any_two_gaps() {
    const auto start = SteadyClock::now();
    const z3::expr gap_a = value_of("gap_a");
    const z3::expr gap_b = value_of("gap_b");
    std::vector<z3::expr> constraints =
        overlap(terms_, {gap_a, gap_b, 1 - gap_b, gap_b, zero(), zero(), zero()});
    constraints.push_back(0 < gap_a && 2 * gap_a < 1 && 0 < gap_b && 2 * gap_b < 1);
    EdgeReport report;
    report.name = "difference of two members' gaps, deadline from the request";
    report.at = "any g, any n";
    report.rule = "none: the lease ends before 2 whatever its gap, the grant is later";
    report.value = report.formula = "no limit";
    report.agrees = decide({report.name, report.at, {}, {}, false}, ".none", constraints,
                           context_.bool_val(true), z3::unsat);
    finish(report, start);
  }

  bool decide(const Sought& sought, const char* side, const std::vector<z3::expr>& constraints,
              const z3::expr& where, z3::check_result expected) {
    z3::solver solver(context_);
    solver.set(options_.parameters(context_));
    for (const z3::expr& constraint : constraints) solver.add(constraint);
    solver.add(where);
    const z3::check_result result = solver.check();
    if (result == z3::unknown) decided_ = false;
    if (options_.files != nullptr && result != z3::unknown) {
      Query query{file_name(sought) + side,
                  sought.name + ", " + sought.at,
                  "QF_LRA",
                  result == z3::sat ? "sat" : "unsat",
                  {}};
      for (const z3::expr& constraint : constraints) {
        query.assertions.push_back({"two leases in force", constraint});
      }
      query.assertions.push_back({"the parameter", where});
      options_.files->push_back({query.name, smt2_text(query)});
    }
    return result == expected;
  }

  static std::string file_name(const Sought& sought) {
    std::string name = "edge." + sought.name + "." + sought.at;
    std::string plain;
    for (const char c : name) {
      const bool keep = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
      if (keep) {
        plain += c;
      } else if (!plain.empty() && plain.back() != '-') {
        plain += '-';
      }
    }
    return plain;
  }

  void finish(EdgeReport& report, SteadyClock::time_point start) {
    report.decided = std::exchange(decided_, true);
    report.milliseconds =
        std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
    reports_.push_back(report);
  }

  z3::context& context_;
  const DischargeOptions& options_;
  OverlapTerms terms_;
  std::vector<EdgeReport> reports_;
  bool decided_ = true;  ///< of the edge under way
};

}  // namespace

std::vector<EdgeReport> find_edges(z3::context& context, const DischargeOptions& options) {
  return EdgeFinder(context, options).run();
}

}  // namespace nandi::checker::proof
