// Studies over random histories keep their properties, and studies of broken placements lose them.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "partition/measures.h"
#include "partition/partition_run.h"

namespace nandi::sim {
namespace {

SchemeSpec scheme_of(PlacementKind kind) {
  SchemeSpec scheme;
  scheme.kind = kind;
  scheme.virtual_nodes = 5;
  scheme.table_size = 101;
  return scheme;
}

PartitionStudy study_of(std::vector<MembershipStep> history) {
  PartitionStudy study;
  study.seeds = {0, 1};
  study.items.count = 100;
  study.history = std::move(history);
  for (const auto kind :
       {PlacementKind::modulo, PlacementKind::jump, PlacementKind::rendezvous_index,
        PlacementKind::rendezvous, PlacementKind::ring, PlacementKind::maglev}) {
    study.schemes.push_back(scheme_of(kind));
  }
  return study;
}

rc::Gen<std::vector<MembershipStep>> arbitrary_history() {
  // A weight for each of nine names, 0 for absent, and where the list begins.
  const auto step = rc::gen::map(
      rc::gen::pair(
          rc::gen::container<std::vector<std::uint32_t>>(9, rc::gen::inRange<std::uint32_t>(0, 4)),
          rc::gen::inRange<std::size_t>(0, 9)),
      [](const std::pair<std::vector<std::uint32_t>, std::size_t>& drawn) {
        MembershipStep step_drawn{"step", {}};
        for (std::size_t i = 0; i < drawn.first.size(); ++i) {
          const std::size_t at = (i + drawn.second) % drawn.first.size();
          if (drawn.first[at] == 0) continue;
          step_drawn.members.push_back({"w" + std::to_string(at), drawn.first[at]});
        }
        if (step_drawn.members.empty()) step_drawn.members.push_back({"w0", 1});
        return step_drawn;
      });
  return rc::gen::nonEmpty(rc::gen::container<std::vector<MembershipStep>>(step));
}

RC_GTEST_PROP(PartitionStudyProperty, NoHistoryViolatesAnything, ()) {
  const PartitionStudy study = study_of(*arbitrary_history());
  const PartitionResult result = run_partition_study(study);
  for (const StudyProperty& property : result.properties) {
    RC_ASSERT(property.verdict != Verdict::violated);
  }
  for (std::size_t change = 0; change < result.least.size(); ++change) {
    const double least = result.least[change].value();
    RC_ASSERT(least >= 0);
    RC_ASSERT(least <= 1);
    for (const SchemeFigures& scheme : result.schemes) {
      const MovementFigures& m = scheme.movement[change];
      const double parts = m.off_gone.mean + m.to_new.mean + m.by_weight.mean + m.between_old.mean;
      RC_ASSERT(parts > m.moved.mean - 1e-9);
      RC_ASSERT(parts < m.moved.mean + 1e-9);
    }
  }
}

const std::vector<MembershipStep> kGrowth = {{"start", {{"a"}, {"b"}, {"c"}}},
                                             {"one more", {{"a"}, {"b"}, {"c"}, {"d"}}}};

Verdict verdict_under(const PlacementMaker& make, const std::string& property) {
  PartitionStudy study = study_of(kGrowth);
  study.schemes = {scheme_of(PlacementKind::rendezvous)};
  const PartitionResult result = run_partition_study_with(study, {}, make);
  for (const StudyProperty& each : result.properties) {
    if (each.name == property) return each.verdict;
  }
  return Verdict::unknown;
}

/// Position by remainder, whoever stands there: neither order-free nor minimal.
class ByRemainder : public Placement {
 public:
  explicit ByRemainder(std::size_t members) : members_(members) {}
  std::uint32_t owner(const StudyItem& item) const override {
    return static_cast<std::uint32_t>(item.hash % members_);
  }

 private:
  std::size_t members_;
};

TEST(PartitionStudyProperty, APlacementByPositionIsNotOrderFreeNorMinimal) {
  const PlacementMaker broken = [](const SchemeSpec&, const auto& members, bool, std::uint64_t) {
    return std::make_unique<ByRemainder>(members.size());
  };
  EXPECT_EQ(verdict_under(broken, "order-free"), Verdict::violated);
  EXPECT_EQ(verdict_under(broken, "minimal-movement"), Verdict::violated);
  EXPECT_EQ(verdict_under(broken, "one-live-owner"), Verdict::holds);
}

TEST(PartitionStudyProperty, AnOwnerWhoIsNotThereIsCaught) {
  const PlacementMaker broken = [](const SchemeSpec&, const auto& members, bool, std::uint64_t) {
    return std::make_unique<ByRemainder>(members.size() + 1);
  };
  EXPECT_EQ(verdict_under(broken, "one-live-owner"), Verdict::violated);
}

TEST(PartitionStudyProperty, TheRealPlacementsHoldWhereTheBrokenOnesFail) {
  for (const char* const property : {"order-free", "minimal-movement", "one-live-owner"}) {
    EXPECT_EQ(verdict_under(make_placement, property), Verdict::holds) << property;
  }
}

}  // namespace
}  // namespace nandi::sim
