#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "proof/lease_terms.h"
#include "proof/lemmas.h"

namespace nandi::checker::proof {
namespace {

using sim::Verdict;
using testing::SizeIs;
using testing::UnorderedElementsAre;

const DischargeOptions kOptions{};

LemmaReport discharge_named(const std::string& name) {
  for (const LemmaMaker make : all_lemmas()) {
    z3::context context;
    const Lemma lemma = make(context);
    if (lemma.name == name) return discharge(context, lemma, kOptions);
  }
  ADD_FAILURE() << "no lemma " << name;
  return {};
}

TEST(ProofLemmas, AreProvedAndNeedTheirHypotheses) {
  for (const LemmaMaker make : all_lemmas()) {
    z3::context context;
    const Lemma lemma = make(context);
    const LemmaReport report = discharge(context, lemma, kOptions);
    EXPECT_EQ(report.outcome, Outcome::proved) << report.name;
    EXPECT_TRUE(report.satisfiable) << report.name << " is vacuous";
    EXPECT_FALSE(report.hypotheses.empty()) << report.name;
    for (const HypothesisReport& hypothesis : report.hypotheses) {
      const Need expected = hypothesis.expected_needed ? Need::needed : Need::not_needed;
      EXPECT_EQ(hypothesis.need, expected) << report.name << " without " << hypothesis.name;
      EXPECT_EQ(hypothesis.numbers.empty(), expected == Need::not_needed) << hypothesis.name;
    }
    EXPECT_EQ(report.verdict(), Verdict::holds) << report.name;
  }
}

TEST(ProofLemmas, HaveNamesThatAreFileNamesAndUnique) {
  std::set<std::string> names;
  for (const LemmaMaker make : all_lemmas()) {
    z3::context context;
    const Lemma lemma = make(context);
    EXPECT_TRUE(names.insert(lemma.name).second) << lemma.name;
    EXPECT_EQ(lemma.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string::npos)
        << lemma.name;
    std::set<std::string> hypotheses;
    for (const Hypothesis& hypothesis : lemma.hypotheses) {
      EXPECT_TRUE(hypotheses.insert(hypothesis.name).second) << hypothesis.name;
    }
  }
}

// The theorem's only idle assumption: gaps may differ, because a lease ends before the interval
// after next whatever its own gap.
TEST(ProofLemmas, TheoremNeedsEverythingButEqualGaps) {
  const LemmaReport report = discharge_named("theorem-index-exclusive");
  std::vector<std::string> idle;
  for (const HypothesisReport& hypothesis : report.hypotheses) {
    if (hypothesis.need == Need::not_needed) idle.push_back(hypothesis.name);
  }
  EXPECT_THAT(idle, UnorderedElementsAre("equal-gap"));
  EXPECT_THAT(report.hypotheses, SizeIs(15));
}

double number(const std::vector<NamedValue>& numbers, const std::string& name) {
  for (const NamedValue& value : numbers) {
    if (value.name != name) continue;
    const auto slash = value.value.find('/');
    const double numerator = std::stod(value.value.substr(0, slash));
    return slash == std::string::npos ? numerator
                                      : numerator / std::stod(value.value.substr(slash + 1));
  }
  ADD_FAILURE() << "no number " << name;
  return 0;
}

// The story of each counterexample, by arithmetic of its own: two workers, one index, both before
// their expiry, and just the assumption left out is broken.
TEST(ProofLemmas, CounterexamplesAreTwoHoldersOfOneIndex) {
  const LemmaReport report = discharge_named("theorem-index-exclusive");
  for (const HypothesisReport& hypothesis : report.hypotheses) {
    if (hypothesis.need != Need::needed) continue;
    SCOPED_TRACE(hypothesis.name);
    const auto at = [&](const std::string& name) { return number(hypothesis.numbers, name); };
    EXPECT_NE(at("A: worker"), at("B: worker"));
    EXPECT_EQ(at("A: lease i"), at("B: lease i"));
    for (const std::string name : {"A", "B"}) {
      const double expiry = at(name + " tick 3: N begins") + at(name + ": I") +
                            at(name + ": next slot") + at(name + ": margin");
      const double upper = at(name + " tick 3: carries") + at("t: resolution") +
                           at(name + ": local clock at t") - at(name + " tick 3: local sent") +
                           at(name + ": late allowance");
      EXPECT_EQ(upper < expiry, hypothesis.name != "own-expiry" || name == "A") << name;
      EXPECT_EQ(at(name + ": margin") <= at(name + ": g I"),
                hypothesis.name != "margin" || name == "A")
          << name;
      EXPECT_EQ(at(name + " tick 2: N") == at(name + " tick 3: N") - 1,
                hypothesis.name != "held-consecutive" || name == "A")
          << name;
      EXPECT_EQ(at(name + " tick 3: N begins"), at(name + " tick 3: N") * at(name + ": I")) << name;
    }
  }
}

Lemma with_hypothesis(Lemma lemma, const std::string& name, const z3::expr& formula) {
  const auto found = std::find_if(lemma.hypotheses.begin(), lemma.hypotheses.end(),
                                  [&](const Hypothesis& h) { return h.name == name; });
  EXPECT_NE(found, lemma.hypotheses.end());
  found->formula = formula;
  return lemma;
}

Lemma theorem(z3::context& context) {
  for (const LemmaMaker make : lease_lemmas()) {
    Lemma lemma = make(context);
    if (lemma.name == "theorem-index-exclusive") return lemma;
  }
  throw std::logic_error("no theorem");
}

// A margin of two gaps is the edge for slots anywhere in the band; any more breaks the theorem.
TEST(ProofLemmas, TheoremHoldsWithTwoGapsOfMarginAndBreaksBeyond) {
  z3::context context;
  const Scene scene(context, Scene::Cast::two);
  const Lemma lemma = theorem(context);
  const auto margins_up_to = [&](const z3::expr& extra) {
    Lemma changed = with_hypothesis(
        lemma, "margin",
        scene.a.margin <= 2 * scene.a.gap + extra && scene.b.margin <= 2 * scene.b.gap + extra);
    // At the edge nothing is left for clocks, and the gaps have to be equal.
    changed.definitions.push_back(late(scene, scene.a) == 0 && late(scene, scene.b) == 0 &&
                                  early(scene.a) == 0 && early(scene.b) == 0);
    changed.hypotheses.push_back({"a-lease-of-at-most-two-intervals", "", scene.a.margin >= 0});
    return discharge(context, changed, kOptions).outcome;
  };
  EXPECT_EQ(margins_up_to(context.real_val(0)), Outcome::proved);
  EXPECT_EQ(margins_up_to(context.real_val(1, 1000)), Outcome::counterexample);
}

TEST(ProofLemmas, AForgottenAssumptionIsACounterexampleNotAProof) {
  z3::context context;
  Lemma lemma = theorem(context);
  lemma = with_hypothesis(lemma, "counter-unique", context.bool_val(true));
  const LemmaReport report = discharge(context, lemma, kOptions);
  EXPECT_EQ(report.outcome, Outcome::counterexample);
  EXPECT_FALSE(report.numbers.empty());
  EXPECT_EQ(report.verdict(), Verdict::violated);
}

TEST(ProofLemmas, ContradictoryAssumptionsAreVacuousNotProved) {
  z3::context context;
  Lemma lemma = theorem(context);
  lemma.definitions.push_back(context.bool_val(false));
  const LemmaReport report = discharge(context, lemma, kOptions);
  EXPECT_FALSE(report.satisfiable);
  EXPECT_NE(report.verdict(), Verdict::holds);
}

TEST(ProofLemmas, AnIdleAssumptionClaimedAsNeededIsNoticed) {
  z3::context context;
  Lemma lemma = theorem(context);
  lemma.hypotheses.push_back({"idle", "Says nothing.", context.bool_val(true)});
  const LemmaReport report = discharge(context, lemma, kOptions);
  EXPECT_EQ(report.hypotheses.back().need, Need::not_needed);
  EXPECT_EQ(report.verdict(), Verdict::violated);
}

// x^3 + y^3 + z^3 = 42 in integers: no solver here decides it in a tenth of a second.
TEST(ProofLemmas, AnUndecidedLemmaIsUnknown) {
  z3::context context;
  const z3::expr x = context.int_const("x");
  const z3::expr y = context.int_const("y");
  const z3::expr z = context.int_const("z");
  const Lemma lemma{
      "hard", "", "", "QF_NIA", {}, {}, x * x * x + y * y * y + z * z * z != 42, {}, {{"x", x}}};
  const LemmaReport report = discharge(context, lemma, {100, nullptr});
  EXPECT_EQ(report.outcome, Outcome::unknown);
  EXPECT_EQ(report.verdict(), Verdict::unknown);
}

}  // namespace
}  // namespace nandi::checker::proof
