#include "nandi/sim/quantity_text.h"

#include <gtest/gtest.h>

namespace nandi::sim {
namespace {

TEST(EstimateText, HasThreeDigitsAndNoExponent) {
  EXPECT_EQ(estimate_text(0), "0");
  EXPECT_EQ(estimate_text(0.0123456), "0.0123");
  EXPECT_EQ(estimate_text(0.00000123456), "0.00000123");
  EXPECT_EQ(estimate_text(0.5), "0.5");
  EXPECT_EQ(estimate_text(13.46), "13.5");
  EXPECT_EQ(estimate_text(100), "100");
  EXPECT_EQ(estimate_text(118.4), "118");
  EXPECT_EQ(estimate_text(-0.4), "-0.4");
  EXPECT_EQ(estimate_text(-2360.2), "-2,360");
  EXPECT_EQ(estimate_text(2359.5), "2,360");
  EXPECT_EQ(estimate_text(12'345'678), "12,345,678") << "digits before the point are never lost";
}

TEST(EstimateText, WhatRoundsUpHasItsDigitsCountedAfterwards) {
  EXPECT_EQ(estimate_text(9.996), "10");
  EXPECT_EQ(estimate_text(0.09996), "0.1");
  EXPECT_EQ(estimate_text(999.4), "999");
  EXPECT_EQ(estimate_text(999.5), "1,000");
}

TEST(EstimateText, BelowAMillionthIsNothing) {
  EXPECT_EQ(estimate_text(0.0000009), "0");
  EXPECT_EQ(estimate_text(-0.0000009), "0");
}

}  // namespace
}  // namespace nandi::sim
