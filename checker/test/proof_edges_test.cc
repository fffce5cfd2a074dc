#include <gtest/gtest.h>

#include <set>
#include <string>

#include "nandi/checker/proof/prove.h"

namespace nandi::checker::proof {
namespace {

const EdgeReport& find(const ProofReport& report, const std::string& name, const std::string& at) {
  for (const EdgeReport& edge : report.edges) {
    if (edge.name == name && edge.at == at) return edge;
  }
  ADD_FAILURE() << "no edge " << name << " at " << at;
  return report.edges.front();
}

// Everything that `nandi-check prove` claims, in one run. The figures beside the edges are worked
// out by hand from the protocol: twice the gap, one share (1 - 2g)/n more in a group of n, half of
// that when the reply is what the deadline counts from.
TEST(ProofEdges, FormulasAreWhatTheSolverFindsAndThePageClaims) {
  const ProofReport report = prove();
  std::set<std::string> names;
  for (const EdgeReport& edge : report.edges) {
    names.insert(edge.name);
    EXPECT_TRUE(edge.agrees) << edge.name << ", " << edge.at << ": solver " << edge.value
                             << ", formula " << edge.formula;
    EXPECT_FALSE(edge.attained) << edge.name << ", " << edge.at;
  }
  EXPECT_EQ(names.size(), 9U);
  EXPECT_EQ(find(report, "stand-down margin, deadline from the request", "g = 0.15, any n").value,
            "3/10");
  EXPECT_EQ(find(report, "stand-down margin, deadline from the request", "g = 0.15, n <= 5").value,
            "11/25");
  EXPECT_EQ(find(report, "stand-down margin, deadline from the reply", "g = 0.15, n <= 5").value,
            "11/50");
  EXPECT_EQ(find(report, "reply delay, deadline from the reply", "g = 0.15, n <= 5").value,
            "29/100");
  EXPECT_EQ(
      find(report, "excess of one member's gap, deadline from the reply", "g = 0.15, n <= 5").value,
      "7/60");
  EXPECT_EQ(
      find(report, "smallest gap for a drift, deadline from the request", "d = 0.05, any n").value,
      "1241/8379");
  EXPECT_EQ(report.verdict(), sim::Verdict::holds);
  EXPECT_LT(report.seconds, 120) << "the page promises under 30 s on an idle machine";
}

TEST(ProofEdges, AReportWithoutContentIsUnknown) {
  EXPECT_EQ(ProofReport{}.verdict(), sim::Verdict::unknown);
}

TEST(ProofEdges, AFormulaThatDiffersFromTheSolverIsAViolation) {
  ProofReport report;
  EdgeReport edge;
  edge.decided = true;
  edge.agrees = false;
  report.edges.push_back(edge);
  EXPECT_EQ(report.verdict(), sim::Verdict::violated);
  report.edges.front().decided = false;
  EXPECT_EQ(report.verdict(), sim::Verdict::unknown);
}

}  // namespace
}  // namespace nandi::checker::proof
