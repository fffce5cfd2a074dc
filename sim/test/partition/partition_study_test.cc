#include "nandi/sim/partition/partition_study.h"

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nandi::sim {
namespace {

using ::testing::HasSubstr;

PartitionStudy study_of(const std::string& text) {
  return load_partition_study(yaml::Document::parse(text, "study.yaml"));
}

PartitionResult result_of(const std::string& text) { return run_partition_study(study_of(text)); }

const StudyProperty& property_of(const PartitionResult& result, const std::string& name) {
  for (const StudyProperty& each : result.properties) {
    if (each.name == name) return each;
  }
  throw std::out_of_range(name);
}

PartitionResult shipped(const std::string& file) {
  return run_partition_study(load_partition_study(yaml::load_yaml(NANDI_SCENARIOS_DIR "/" + file)));
}

TEST(PartitionStudy, FromThreeToFourModuloMovesThreeQuartersTheOthersAQuarterToTheNew) {
  // Of 12 consecutive ids 3 keep their remainder, 3 go to the new server, 6 change between old.
  const PartitionResult result = result_of(
      "kind: partition\nseeds: 0..9\nitems: {count: 24000}\nservers: 3\nchanges: [{join: [s3]}]\n"
      "schemes: [{scheme: modulo}, {scheme: jump}, {scheme: rendezvous-index},"
      " {scheme: rendezvous}, {scheme: ring}]\n");
  const MovementFigures& modulo = result.schemes[0].movement[0];
  EXPECT_DOUBLE_EQ(modulo.moved.mean, 0.75);
  EXPECT_DOUBLE_EQ(modulo.to_new.mean, 0.25);
  EXPECT_DOUBLE_EQ(modulo.between_old.mean, 0.5);
  EXPECT_DOUBLE_EQ(modulo.moved.half_width, 0);
  for (std::size_t s = 1; s < 5; ++s) {
    const MovementFigures& movement = result.schemes[s].movement[0];
    // The ring's new share has a standard deviation of 0.0216, the others' 0.0028; ten seeds.
    EXPECT_NEAR(movement.moved.mean, 0.25, s == 4 ? 0.035 : 0.005) << s;
    EXPECT_EQ(movement.between_old.most, 0) << s;
    EXPECT_DOUBLE_EQ(movement.to_new.mean, movement.moved.mean) << s;
  }
  EXPECT_DOUBLE_EQ(result.least[0].value(), 0.25);
  EXPECT_EQ(result.verdict, Verdict::holds);
}

TEST(PartitionStudy, ModuloMovesAsPublishedWhateverN) {
  struct Row {
    int servers;
    double moved;
  };
  for (const Row row : {Row{2, 0.667}, Row{4, 0.800}, Row{9, 0.900}, Row{10, 0.909}}) {
    const PartitionResult result =
        result_of("kind: partition\nseeds: 0..0\nitems: {count: 100000}\nservers: " +
                  std::to_string(row.servers) +
                  "\nchanges: [{join: [new]}]\nschemes: [{scheme: modulo}, {scheme: jump}]\n");
    EXPECT_NEAR(result.schemes[0].movement[0].moved.mean, row.moved, 0.0005) << row.servers;
    EXPECT_NEAR(result.schemes[1].movement[0].moved.mean, 1.0 / (row.servers + 1), 0.008);
  }
}

TEST(PartitionStudy, StripedIdsAreMarkedAsSkewUnderModulo) {
  const PartitionResult result = result_of(
      "kind: partition\nseeds: 0..0\nitems: {count: 50000, ids: even}\nservers: 4\n"
      "schemes: [{scheme: modulo}, {scheme: rendezvous}]\n");
  EXPECT_EQ(result.schemes[0].loads[0], (std::vector<std::uint64_t>{25000, 0, 25000, 0}));
  EXPECT_DOUBLE_EQ(result.schemes[0].balance[0].max_over_mean.mean, 2);
  EXPECT_LT(result.schemes[1].balance[0].max_over_mean.mean, 1.03);
  EXPECT_THAT(partition_text(result), HasSubstr("skew"));
}

TEST(PartitionStudy, NegativeAndTextIdsHaveOwnersInEveryScheme) {
  for (const char* const ids : {"negative", "random", "text"}) {
    const PartitionResult result = result_of(
        std::string("kind: partition\nseeds: 0..1\nitems: {count: 1000, ids: ") + ids +
        "}\nservers: [a, b, c]\nschemes: [{scheme: modulo}, {scheme: jump},"
        " {scheme: rendezvous-index}, {scheme: rendezvous}, {scheme: ring}, {scheme: maglev}]\n");
    EXPECT_EQ(property_of(result, "one-live-owner").verdict, Verdict::holds) << ids;
    for (const SchemeFigures& scheme : result.schemes) {
      EXPECT_LT(scheme.balance[0].max_over_mean.mean, 1.5) << ids << scheme_label(scheme.scheme);
    }
  }
}

TEST(PartitionStudy, WeakMixersShowAsTheyWerePublished) {
  // FNV-1a over key:node gave max/mean 2.5, over node:key 1.25, a good hash 1.04.
  const PartitionResult result = shipped("partition-mixers.yaml");
  EXPECT_NEAR(result.schemes[0].balance[0].max_over_mean.mean, 2.5, 0.1);
  EXPECT_NEAR(result.schemes[1].balance[0].max_over_mean.mean, 1.25, 0.15);
  EXPECT_NEAR(result.schemes[2].balance[0].max_over_mean.mean, 1.03, 0.02);
  const std::string text = partition_text(result);
  EXPECT_THAT(text.substr(text.find("fnv item:server", text.find("Balance"))), HasSubstr(" skew "));
}

TEST(PartitionStudy, RingVariationFollowsTheoryAndItsIntervalCoversIt) {
  // sqrt((n - 1)/(n v + 1)) of the shares, and chance on top.
  const PartitionResult result = result_of(
      "kind: partition\nseeds: 0..59\nitems: {count: 10000}\nservers: 10\n"
      "schemes: [{scheme: ring, virtual_nodes: 10}, {scheme: ring, virtual_nodes: 100}]\n");
  for (std::size_t s = 0; s < 2; ++s) {
    const Summary& variation = result.schemes[s].balance[0].variation;
    const double v = s == 0 ? 10 : 100;
    const double theory = std::sqrt(9 / (10 * v + 1) + 9.0 / 10000);
    // The mean of the variation lies a little below the root of its mean square.
    EXPECT_NEAR(variation.mean, theory, 0.1 * theory);
    EXPECT_GT(variation.half_width, 0);
    EXPECT_LT(variation.half_width, 0.1 * theory);
  }
}

TEST(PartitionStudy, AFailureCascadesAlongARingOfOnePointEachAndNotUnderRendezvous) {
  // After b of 3, fair loads are 1.5 times the first: below 1.75. On a ring of single points the
  // neighbour takes all of b's, on average another whole share.
  const PartitionResult result = result_of(
      "kind: partition\nseeds: 0..19\nservers: [a, b, c]\nchanges: [{leave: [b]}]\n"
      "schemes: [{scheme: ring, virtual_nodes: 1}, {scheme: rendezvous}]\n"
      "cascade: {server: b, capacity: 1.75}\n");
  for (const SchemeFigures& scheme : result.schemes) {
    ASSERT_TRUE(scheme.cascade.has_value());
    const std::string label = scheme_label(scheme.scheme);
    if (label == "ring 1") {
      EXPECT_GT(scheme.cascade->failed.mean, 1);
      EXPECT_DOUBLE_EQ(scheme.movement[0].largest_heir.mean, 1);
      EXPECT_DOUBLE_EQ(scheme.movement[0].heirs.mean, 1);
    } else if (label == "rendezvous") {
      EXPECT_EQ(scheme.cascade->failed.most, 0);
      EXPECT_NEAR(scheme.movement[0].largest_heir.mean, 1.0 / 2, 0.03);
    }
  }
}

TEST(PartitionStudy, ShippedScenariosGiveTheirDeclaredOutcome) {
  for (const char* const file :
       {"partition-schemes.yaml", "partition-mixers.yaml", "partition-jump-middle.yaml"}) {
    const PartitionResult result = shipped(file);
    EXPECT_TRUE(as_expected(result.study.expect, result.properties)) << file;
  }
}

TEST(PartitionStudy, JumpWithAGapInTheMiddleIsCaughtAndExplained) {
  const StudyProperty& minimal =
      property_of(shipped("partition-jump-middle.yaml"), "minimal-movement");
  EXPECT_EQ(minimal.verdict, Verdict::violated);
  EXPECT_THAT(minimal.evidence, HasSubstr("those behind a gap get another one"));
}

TEST(PartitionStudy, WithoutAnyPromiseMovementIsUnknownNotHolds) {
  const PartitionResult result = result_of(
      "kind: partition\nseeds: 0..0\nservers: 2\nchanges: [{join: [x]}]\n"
      "schemes: [{scheme: modulo}]\n");
  EXPECT_EQ(property_of(result, "minimal-movement").verdict, Verdict::unknown);
  EXPECT_EQ(result.verdict, Verdict::unknown);
}

TEST(PartitionStudy, WeightsAreSharesAndAGrowingServerOnlyAttracts) {
  const PartitionResult result = result_of(
      "kind: partition\nseeds: 0..4\nservers: [a, {name: b, weight: 2}]\n"
      "changes: [{reweight: [{name: a, weight: 2}]}]\n"
      "schemes: [{scheme: rendezvous}, {scheme: ring, virtual_nodes: 500}]\n");
  EXPECT_NEAR(result.schemes[0].balance[0].max_over_mean.mean, 1, 0.03);
  // 1/3 becomes 1/2.
  EXPECT_DOUBLE_EQ(result.least[0].value(), 1.0 / 6);
  EXPECT_NEAR(result.schemes[0].movement[0].by_weight.mean, 1.0 / 6, 0.01);
  EXPECT_NEAR(result.schemes[1].movement[0].by_weight.mean, 1.0 / 6, 0.03);
  EXPECT_EQ(property_of(result, "minimal-movement").verdict, Verdict::holds);
}

TEST(PartitionStudy, AGroupsOwnHistoryGoesThroughAllSchemes) {
  const PartitionResult result = result_of(
      "kind: partition\nseeds: 0..2\nhistory:\n"
      "  - {label: settled, members: [w1, w2, w3]}\n"
      "  - {label: w2 died, members: [w1, w3]}\n"
      "  - {members: [w1, w4, w3]}\n"
      "schemes: [{scheme: modulo}, {scheme: rendezvous-index}, {scheme: rendezvous}]\n");
  ASSERT_EQ(result.least.size(), 2U);
  EXPECT_EQ(result.study.history[2].label, "step 2");
  // A worker in the middle takes index 1 from w3: by position everything of w3 moves.
  EXPECT_GT(result.schemes[1].movement[1].between_old.mean, 0.1);
  EXPECT_EQ(result.schemes[2].movement[1].between_old.most, 0);
}

TEST(PartitionStudy, GivesTheSameBytesEachTime) {
  const auto json = [] {
    std::ostringstream out;
    yaml::write_json(partition_json(shipped("partition-jump-middle.yaml")), out);
    return out.str();
  };
  const std::string first = json();
  EXPECT_EQ(first, json());
  EXPECT_THAT(first, HasSubstr("\"drawn_owners\""));
  EXPECT_THAT(first, HasSubstr("\"loads\""));
}

TEST(PartitionStudy, EndsWithWhatItHasWhenItIsStoppedAndIsUnknownThen) {
  const PartitionStudy study = study_of(
      "kind: partition\nseeds: 4..9\nitems: {count: 100}\nservers: 3\n"
      "schemes: [{scheme: jump}, {scheme: modulo}]\nsizes: {servers: [10]}\n");
  std::atomic<bool> stop{true};
  const PartitionResult result = run_partition_study(study, {{}, &stop});
  EXPECT_EQ(result.verdict, Verdict::unknown);
  EXPECT_EQ(property_of(result, "finished").evidence, "interrupted after 1 of 6 seeds");
  EXPECT_EQ(property_of(result, "one-live-owner").verdict, Verdict::holds);
  EXPECT_EQ(result.study.seeds.second, 4U);
  EXPECT_TRUE(result.sizes.empty());
  EXPECT_FALSE(partition_text(result).empty());
  stop = false;
  EXPECT_EQ(run_partition_study(study, {{}, &stop}).verdict, Verdict::holds);
}

TEST(PartitionStudy, TimesLookupsOnlyWithAClock) {
  const PartitionStudy study = study_of(
      "kind: partition\nseeds: 0..0\nitems: {count: 100}\nservers: 3\n"
      "schemes: [{scheme: jump}]\nsizes: {servers: [10]}\n");
  EXPECT_FALSE(run_partition_study(study).schemes[0].lookup_ns.has_value());
  std::int64_t now = 0;
  PartitionOptions options;
  options.clock = [&now] { return now += 10'000; };  // each look takes 10 us: 100 ns an item
  const PartitionResult result = run_partition_study(study, options);
  EXPECT_DOUBLE_EQ(result.schemes[0].lookup_ns.value(), 100);
  EXPECT_DOUBLE_EQ(result.sizes[0].lookup_ns.value(), 100);
  EXPECT_THAT(partition_text(result), HasSubstr("lookup ns"));
}

TEST(PartitionStudy, DrawsTheRingAndEachItemsWay) {
  const PartitionResult result = result_of(
      "kind: partition\nseeds: 0..1\ndrawn_items: 5\nservers: 3\nchanges: [{join: [s3]}]\n"
      "schemes: [{scheme: ring, virtual_nodes: 4}]\n");
  EXPECT_EQ(result.schemes[0].ring.size(), 12U);
  ASSERT_EQ(result.schemes[0].drawn_owners.size(), 2U);
  EXPECT_EQ(result.schemes[0].drawn_owners[0].size(), 5U);
  std::uint64_t items = 0;
  for (const std::uint64_t load : result.schemes[0].loads[1]) items += load;
  EXPECT_EQ(items, 20'000U);
}

TEST(PartitionStudy, ALeaseGroupsOwnGrowthIsAHistory) {
  // Three workers become five, then ten: the settled memberships that scale-up.yaml ends in. Under
  // modulo n to n + k keeps few tasks; rendezvous by index moves what it must and what the group's
  // own renumbering adds; by worker nothing changes places.
  const PartitionResult result = shipped("partition-lease-group.yaml");
  const std::vector<MembershipStep>& history = result.study.history;
  ASSERT_GE(history.size(), 3U);
  EXPECT_EQ(history.front().members.size(), 3U);
  EXPECT_EQ(history.back().members.size(), 10U);
  for (const MembershipStep& step : history) {
    EXPECT_NO_THROW(partition::canonical_servers(step.members)) << step.label;
  }
  EXPECT_TRUE(as_expected(result.study.expect, result.properties));
}

std::string refusal(const std::string& text) {
  try {
    study_of(text);
  } catch (const yaml::LoadError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PartitionStudy, RefusesBadFilesWithPlaceAndAdvice) {
  const std::string start = "kind: partition\nservers: [a, b]\nschemes: [{scheme: ring}]\n";
  EXPECT_EQ(refusal(start), "accepted");
  EXPECT_THAT(refusal("kind: partition\nservers: [a]\nschemes: [{scheme: rign}]\n"),
              AllOf(HasSubstr("study.yaml:3:"), HasSubstr("`ring`")));
  EXPECT_THAT(refusal(start + "changes:\n  - leave: [c]\n"),
              AllOf(HasSubstr("study.yaml:5:5"), HasSubstr("`c` leaves, but it is not there")));
  EXPECT_THAT(refusal(start + "changes:\n  - label: none\n"), HasSubstr("a change of nothing"));
  EXPECT_THAT(refusal("kind: partition\nservers: [a, a]\nschemes: [{scheme: ring}]\n"),
              HasSubstr("listed twice"));
  EXPECT_THAT(refusal("kind: partition\nschemes: [{scheme: ring}]\n"),
              HasSubstr("either `servers` and `changes`, or `history`, or `lease_scenario`"));
  EXPECT_THAT(refusal("kind: partition\nservers: 2\nschemes:\n"
                      "  - scheme: maglev\n    table_size: 100\n"),
              AllOf(HasSubstr("study.yaml:4:5"), HasSubstr("must be a prime")));
  EXPECT_THAT(refusal(start + "cascade: {server: z}\n"), HasSubstr("`z` is not among the first"));
  EXPECT_THAT(refusal("kind: partition\nservers: 2\n"
                      "schemes: [{scheme: rendezvous, mixer: fnv-item-server}]\n"),
              HasSubstr("`ids: text`"));
  EXPECT_THAT(refusal(start + "seeds: 0..5000\n"), HasSubstr("1,000 seeds"));
}

}  // namespace
}  // namespace nandi::sim
