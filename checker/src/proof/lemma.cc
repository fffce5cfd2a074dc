#include "proof/lemma.h"

#include <chrono>
#include <cstddef>

#include "proof/smt2_writer.h"

namespace nandi::checker::proof {
namespace {

using SteadyClock = std::chrono::steady_clock;

double milliseconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
}

/// One solver for all the queries of a lemma. Each hypothesis, each pin and the denial of the claim
/// hangs on a Boolean of its own, so that a query is a choice of assumptions.
class Discharger {
 public:
  Discharger(z3::context& context, const Lemma& lemma, const DischargeOptions& options)
      : context_(context),
        lemma_(lemma),
        options_(options),
        solver_(context),
        denial_(context.bool_const("denial")) {
    solver_.set(options.parameters(context));
    for (const z3::expr& definition : lemma.definitions) solver_.add(definition);
    for (const Hypothesis& hypothesis : lemma.hypotheses) {
      tracked_.push_back(track("hypothesis_" + hypothesis.name, hypothesis.formula));
    }
    for (std::size_t i = 0; i < lemma.pins.size(); ++i) {
      pins_.push_back(track("pin_" + std::to_string(i), lemma.pins[i]));
    }
    solver_.add(z3::implies(denial_, !lemma.claim));
  }

  LemmaReport run() {
    LemmaReport report;
    report.name = lemma_.name;
    report.statement = lemma_.statement;
    report.formula = lemma_.formula;
    prove(report);
    report.satisfiable = consistent();
    for (std::size_t i = 0; i < lemma_.hypotheses.size(); ++i) {
      if (options_.is_interrupted()) break;
      report.hypotheses.push_back(leave_out(i));
    }
    return report;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// A choice of what is assumed: all hypotheses but one, some pins, the claim's denial or not.
  /// A copy shares the vector of assumptions: pin() replaces it, nothing else writes to it.
  struct Situation {
    std::size_t left_out;
    bool denied;
    std::vector<std::size_t> pins;  ///< increasing
    z3::expr_vector assumptions;
  };

  z3::expr track(const std::string& name, const z3::expr& formula) {
    const z3::expr tracker = context_.bool_const(name.c_str());
    solver_.add(z3::implies(tracker, formula));
    return tracker;
  }

  Situation without(std::size_t left_out, bool denied) {
    Situation situation{left_out, denied, {}, z3::expr_vector(context_)};
    for (std::size_t i = 0; i < tracked_.size(); ++i) {
      if (i != left_out) situation.assumptions.push_back(tracked_[i]);
    }
    if (denied) situation.assumptions.push_back(denial_);
    return situation;
  }

  void pin(Situation& situation, std::size_t index) {
    z3::expr_vector with(context_);
    for (unsigned i = 0; i < situation.assumptions.size(); ++i) {
      with.push_back(situation.assumptions[static_cast<int>(i)]);
    }
    with.push_back(pins_[index]);
    situation.assumptions = with;
    situation.pins.push_back(index);
  }

  void prove(LemmaReport& report) {
    const auto start = SteadyClock::now();
    Situation situation = without(kNone, true);
    const z3::check_result result = solver_.check(situation.assumptions);
    report.milliseconds = milliseconds_since(start);
    report.outcome = result == z3::unsat ? Outcome::proved
                     : result == z3::sat ? Outcome::counterexample
                                         : Outcome::unknown;
    const std::string about = lemma_.statement + " Denied under all hypotheses.";
    if (result == z3::unsat) record(lemma_.name, about, "unsat", situation);
    if (result == z3::sat) report.numbers = plain_numbers(lemma_.name, about, situation);
  }

  bool consistent() {
    Situation situation = without(kNone, false);
    if (decide(situation) != z3::sat) return false;
    take_pins(situation);
    record(lemma_.name + ".consistent", lemma_.statement + " All hypotheses can hold at once.",
           "sat", situation);
    return true;
  }

  HypothesisReport leave_out(std::size_t index) {
    const Hypothesis& hypothesis = lemma_.hypotheses[index];
    HypothesisReport report;
    report.name = hypothesis.name;
    report.statement = hypothesis.statement;
    report.expected_needed = hypothesis.expected_needed;
    Situation situation = without(index, true);
    const std::string name = lemma_.name + ".without-" + hypothesis.name;
    const std::string about = lemma_.statement + " Denied without: " + hypothesis.statement;
    switch (decide(situation)) {
      case z3::sat:
        report.need = Need::needed;
        report.numbers = plain_numbers(name, about, situation);
        break;
      case z3::unsat:
        report.need = Need::not_needed;
        record(name, about, "unsat", situation);
        break;
      case z3::unknown: break;
    }
    return report;
  }

  /// Products of two unknowns may be beyond the solver until some are given their ordinary values;
  /// a counterexample found that way is a counterexample all the same.
  z3::check_result decide(Situation& situation) {
    const z3::check_result result = solver_.check(situation.assumptions);
    if (result != z3::unknown) return result;
    Situation pinned = situation;
    for (std::size_t i = 0; i < pins_.size(); ++i) {
      pin(pinned, i);
      const z3::check_result with_pins = solver_.check(pinned.assumptions);
      if (with_pins == z3::unsat) break;
      if (with_pins == z3::sat) {
        situation = pinned;
        return z3::sat;
      }
    }
    return z3::unknown;
  }

  /// Adds every pin that leaves the assumptions satisfiable.
  void take_pins(Situation& situation) {
    const std::size_t first = situation.pins.empty() ? 0 : situation.pins.back() + 1;
    for (std::size_t i = first; i < pins_.size(); ++i) {
      Situation with = situation;
      pin(with, i);
      if (solver_.check(with.assumptions) == z3::sat) situation = with;
    }
  }

  std::vector<NamedValue> plain_numbers(const std::string& name, const std::string& about,
                                        Situation& situation) {
    take_pins(situation);
    std::vector<NamedValue> numbers;
    if (solver_.check(situation.assumptions) != z3::sat) return numbers;
    const z3::model model = solver_.get_model();
    for (const Shown& shown : lemma_.shown) {
      const std::string value = number_text(model.eval(shown.term, true));
      const bool ordinary =
          shown.ordinary && number_text(model.eval(*shown.ordinary, true)) == value;
      numbers.push_back({shown.name, value, ordinary});
    }
    record(name, about, "sat", situation);
    return numbers;
  }

  void record(const std::string& name, const std::string& about, const std::string& status,
              const Situation& situation) {
    if (options_.files == nullptr) return;
    Query query{name, about, lemma_.logic, status, {}};
    for (const z3::expr& definition : lemma_.definitions) {
      query.assertions.push_back({"definition", definition});
    }
    for (std::size_t i = 0; i < lemma_.hypotheses.size(); ++i) {
      if (i == situation.left_out) continue;
      query.assertions.push_back({lemma_.hypotheses[i].name, lemma_.hypotheses[i].formula});
    }
    for (const std::size_t i : situation.pins) {
      query.assertions.push_back({"ordinary value", lemma_.pins[i]});
    }
    if (situation.denied) query.assertions.push_back({"the claim, denied", !lemma_.claim});
    options_.files->push_back({query.name, smt2_text(query)});
  }

  z3::context& context_;
  const Lemma& lemma_;
  const DischargeOptions& options_;
  z3::solver solver_;
  z3::expr denial_;
  std::vector<z3::expr> tracked_;
  std::vector<z3::expr> pins_;
};

}  // namespace

LemmaReport discharge(z3::context& context, const Lemma& lemma, const DischargeOptions& options) {
  return Discharger(context, lemma, options).run();
}

std::string number_text(const z3::expr& value) {
  if (value.is_numeral()) return Z3_get_numeral_string(value.ctx(), value);
  if (value.is_algebraic()) return value.get_decimal_string(12);
  return value.to_string();
}

}  // namespace nandi::checker::proof
