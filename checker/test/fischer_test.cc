#include "models/fischer.h"

#include <gtest/gtest.h>

#include "nandi/checker/explorer.h"

namespace nandi::checker {
namespace {

using models::Fischer;

TEST(Fischer, ExcludesWhenTheWaitIsLongerThanAnyWrite) {
  for (unsigned processes = 2; processes <= 4; ++processes) {
    for (std::uint8_t write_within = 0; write_within <= 3; ++write_within) {
      const Fischer model(processes, write_within, static_cast<std::uint8_t>(write_within + 1));
      const auto result = explore_breadth_first(model);
      EXPECT_EQ(result.summary.verdict, sim::Verdict::holds)
          << processes << " processes, write within " << +write_within << ": "
          << result.summary.evidence;
    }
  }
}

// The length is derived in models/fischer.h.
TEST(Fischer, FailsAfterSixStepsAndTwoWaitsWhenTheWaitIsNoLongerThanAWrite) {
  for (unsigned processes = 2; processes <= 3; ++processes) {
    for (std::uint8_t write_within = 0; write_within <= 3; ++write_within) {
      for (std::uint8_t wait = 0; wait <= write_within; ++wait) {
        const Fischer model(processes, write_within, wait);
        const auto result = explore_breadth_first(model);
        ASSERT_EQ(result.summary.verdict, sim::Verdict::violated);
        EXPECT_EQ(result.summary.violated, "at most one is inside");
        EXPECT_EQ(result.counterexample->steps.size(), 6U + 2U * wait);
      }
    }
  }
}

}  // namespace
}  // namespace nandi::checker
