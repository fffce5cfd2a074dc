#include "nandi/checker/encoding_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/counter_race.h"
#include "models/fischer.h"
#include "models/graph.h"
#include "models/two_phase_commit.h"
#include "models/unjudged.h"
#include "nandi/checker/explorer.h"

namespace nandi::checker {
namespace {

using models::CounterRace;
using Field = CounterRace::Field;
using testing::HasSubstr;

constexpr Field kFields[] = {Field::counter, Field::phase_of_first, Field::held_by_first};

TEST(EncodingAudit, PassesTheModelsOfTheTests) {
  EXPECT_EQ(audit_encoding(CounterRace(3)), std::nullopt);
  EXPECT_EQ(audit_encoding(models::Fischer(3, 2, 3)), std::nullopt);
  EXPECT_EQ(audit_encoding(models::TwoPhaseCommit(4)), std::nullopt);
}

TEST(EncodingAudit, NamesTheTransitionWhereADroppedFieldFirstMatters) {
  for (const Field field : kFields) {
    const auto difference = audit_encoding(CounterRace(2, field));
    ASSERT_TRUE(difference.has_value()) << static_cast<int>(field);
    EXPECT_THAT(*difference, HasSubstr("after thread "));
  }
  // Held values that are lost show up as soon as a thread has read a 1.
  EXPECT_THAT(*audit_encoding(CounterRace(2, Field::held_by_first)),
              HasSubstr("after thread 0 reads in counter 1, before its read, done: the state is "
                        "counter 1, holds 1, done, but decoding changes its successors; decoded "
                        "it is counter 1, holds 0, done"));
}

TEST(EncodingAudit, ADroppedFieldChangesTheNumberOfStates) {
  ExploreOptions options;
  options.allow_vacuous = true;
  // 12 by hand, models/counter_race.h.
  EXPECT_EQ(explore_breadth_first(models::Unjudged<CounterRace>(2), options).summary.counts.states,
            12U);
  for (const Field field : kFields) {
    const models::Unjudged<CounterRace> model(2, field);
    EXPECT_NE(explore_breadth_first(model, options).summary.counts.states, 12U)
        << static_cast<int>(field);
  }
}

TEST(EncodingAudit, RefusesToPassWhatItCouldNotSeeAllOf) {
  EXPECT_THROW(audit_encoding(CounterRace(3), 10), std::length_error);
}

}  // namespace
}  // namespace nandi::checker
