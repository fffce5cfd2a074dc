// Whether two explorations are the same in everything but time and memory.
#pragma once

#include <gtest/gtest.h>

#include "nandi/checker/explorer.h"

namespace nandi::checker {

inline bool operator==(const CoverageEntry& left, const CoverageEntry& right) {
  return left.name == right.name && left.count == right.count;
}

template <Model M>
void expect_same(const M& model, const Exploration<M>& one, const Exploration<M>& other) {
  EXPECT_EQ(one.summary.verdict, other.summary.verdict);
  EXPECT_EQ(one.summary.reason, other.summary.reason);
  EXPECT_EQ(one.summary.evidence, other.summary.evidence);
  EXPECT_EQ(one.summary.violated, other.summary.violated);
  EXPECT_EQ(one.summary.vacuous, other.summary.vacuous);
  EXPECT_EQ(one.summary.counts.states, other.summary.counts.states);
  EXPECT_EQ(one.summary.counts.transitions, other.summary.counts.transitions);
  EXPECT_EQ(one.summary.counts.depth, other.summary.counts.depth);
  EXPECT_EQ(one.summary.counts.frontier, other.summary.counts.frontier);
  EXPECT_EQ(one.summary.counts.terminal, other.summary.counts.terminal);
  EXPECT_EQ(one.summary.coverage.action_classes, other.summary.coverage.action_classes);
  EXPECT_EQ(one.summary.coverage.properties, other.summary.coverage.properties);
  ASSERT_EQ(one.counterexample.has_value(), other.counterexample.has_value());
  if (one.counterexample) {
    EXPECT_EQ(describe_path(model, *one.counterexample),
              describe_path(model, *other.counterexample));
  }
}

}  // namespace nandi::checker
