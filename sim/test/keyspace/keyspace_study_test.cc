#include "nandi/sim/keyspace/keyspace_study.h"

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nandi::sim {
namespace {

using ::testing::HasSubstr;

KeyspaceResult lesson() {
  static const KeyspaceResult result = run_keyspace_study(
      load_keyspace_study(yaml::load_yaml(NANDI_SCENARIOS_DIR "/cluster-tags.yaml")));
  return result;
}

/// The line of `text` that starts with `start` after any spaces, its runs of spaces made single.
std::string line_of(const std::string& text, const std::string& start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
    if (joined.rfind(start, 0) == 0) return joined;
  }
  return "no line starts with " + start;
}

TEST(KeyspaceStudy, EndsWithWhatItHasWhenItIsStoppedAndIsUnknownThen) {
  const KeyspaceStudy study = load_keyspace_study(yaml::Document::parse(
      "kind: keyspace\nhashes: [fnv1a-32, crc16]\nmodel: {books: 50}\n", "study.yaml"));
  const std::atomic<bool> stop{true};
  const KeyspaceResult result = run_keyspace_study(study, &stop);
  EXPECT_EQ(result.figures.size(), 1U);
  EXPECT_EQ(result.verdict, Verdict::unknown);
  EXPECT_EQ(result.properties.back().evidence, "interrupted after 1 of 2 hashes");
  EXPECT_EQ(run_keyspace_study(study).verdict, Verdict::holds);
}

// Every figure below is printed in the clustering lesson.
TEST(KeyspaceLesson, UntaggedTableIsTheLessonsToTheLastDigit) {
  const std::string text = keyspace_text(lesson());
  EXPECT_EQ(line_of(text, "3 11758"), "3 11758 1539.6 543.8 1.060 7.55% 2.90%");
  EXPECT_EQ(line_of(text, "4 11758"), "4 11758 1539.6 410.1 1.066 3.79% 1.18%");
  EXPECT_EQ(line_of(text, "6 11758"), "6 11758 1539.6 278.3 1.085 1.15% 0.27%");
  EXPECT_EQ(line_of(text, "8 11758"), "8 11758 1539.6 209.4 1.088 0.08% 0.02%");
}

TEST(KeyspaceLesson, TaggingTableIsTheLessonsToTheLastDigit) {
  const std::string text = keyspace_text(lesson());
  EXPECT_EQ(line_of(text, "none 8437"), "none 8437 11758 1539.6 278.3 1.085 1.15% 0.27%");
  EXPECT_EQ(line_of(text, "branch 6"), "branch 6 18151 2899.0 2373.9 4.913 100.00% 100.00%");
  EXPECT_EQ(line_of(text, "book 2706"), "book 2706 11758 1539.6 306.5 1.195 100.00% 14.90%");
}

TEST(KeyspaceLesson, NodeLoadsAreTheLessonsToTheLastDigit) {
  const std::string text = keyspace_text(lesson());
  EXPECT_EQ(line_of(text, "node n0"), "node n0 n1 n2 n3 n4 n5");
  EXPECT_EQ(line_of(text, "keys 14865"), "keys 14865 0 0 0 0 3286");
  EXPECT_EQ(line_of(text, "KiB 2373.9"), "KiB 2373.9 0.0 0.0 0.0 0.0 525.2");
}

TEST(KeyspaceLesson, RunIndependentFormulasAndSampleSlotsAreTheLessons) {
  const std::string text = keyspace_text(lesson());
  EXPECT_EQ(line_of(text, "K = 3"), "K = 3 11.11% 6.25% 2.78% 1.56%");
  EXPECT_EQ(line_of(text, "K = 4"), "K = 4 3.70% 1.56% 0.46% 0.20%");
  EXPECT_EQ(line_of(text, "usable slots"),
            "usable slots: 6 under branch tags, 3000 under book tags");
  EXPECT_EQ(line_of(text, "slots: branch:0"),
            "slots: branch:0 -> 487, book:7 -> 11715, untagged catalog:7 -> 6819");
  EXPECT_EQ(line_of(text, "their nodes"), "their nodes out of 6: 0, 4, 2");
}

TEST(KeyspaceLesson, GeneratorStartsAsTheLessonsDoes) {
  // s = 1103515245 * 20260731 + 12345 mod 2^32, twice, by hand in Python.
  LessonGenerator generator(20260731);
  EXPECT_EQ(generator.next(), 2043378072U);
  EXPECT_EQ(generator.next(), 2118075889U);
}

TEST(KeyspaceLesson, LessonsTagRuleDiffersFromRedisOnlyForACloseBeforeTheOpen) {
  EXPECT_EQ(lesson_hashed_part("{branch:0}catalog:7"), "branch:0");
  EXPECT_EQ(lesson_hashed_part("a{}b{c}"), "a{}b{c}");
  EXPECT_EQ(lesson_hashed_part("a}{b}"), "a}{b}");
  EXPECT_EQ(hashed_part("a}{b}").text, "b");
}

TEST(KeyspaceStudy, HoldsItsPropertiesUnderBothHashes) {
  const KeyspaceResult result = lesson();
  ASSERT_EQ(result.figures.size(), 2U);
  EXPECT_EQ(result.verdict, Verdict::holds);
  EXPECT_TRUE(as_expected(result.study.expect, result.properties));
  // Redis's slots for the sample keys: CLUSTER KEYSLOT of redis-server 7.0.15.
  EXPECT_EQ(result.figures[1].sample_slots[0], 1689U);
  EXPECT_EQ(result.figures[1].sample_slots[1], 8753U);
  EXPECT_EQ(result.figures[1].sample_slots[2], 11727U);
}

TEST(KeyspaceStudy, JsonCarriesEveryNodesLoad) {
  std::ostringstream out;
  yaml::write_json(keyspace_json(lesson()), out);
  EXPECT_THAT(out.str(), HasSubstr("\"nandi-keyspace-study/1\""));
  EXPECT_THAT(out.str(), HasSubstr("14865"));
  EXPECT_THAT(out.str(), HasSubstr("\"imbalance\": 4.913"));
}

std::string refusal(const std::string& text) {
  try {
    load_keyspace_study(yaml::Document::parse(text, "study.yaml"));
  } catch (const yaml::LoadError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(KeyspaceStudy, RefusesWhatItDoesNotKnowWithItsPlace) {
  EXPECT_EQ(refusal("kind: keyspace\n"), "accepted");
  EXPECT_THAT(refusal("kind: keyspace\nnode: [3]\n"), HasSubstr("study.yaml:2:1: "));
  EXPECT_THAT(refusal("kind: keyspace\nnode: [3]\n"), HasSubstr("`nodes`"));
  EXPECT_THAT(refusal("kind: keyspace\nnodes: [0]\n"), HasSubstr("study.yaml:2:9: "));
  EXPECT_THAT(refusal("kind: keyspace\nhashes: [md5]\n"), HasSubstr("crc16"));
  EXPECT_THAT(refusal("kind: keyspace\nmodel: {queue_share: 1.5}\n"), HasSubstr("study.yaml:2:"));
  EXPECT_THAT(refusal("kind: keyspace\nmodel: {branch_shares: []}\n"), HasSubstr("study.yaml:2:"));
}

TEST(KeyspaceStudy, ASmallLibraryWithoutBooksInQueueStillAddsUp) {
  KeyspaceStudy study;
  study.model.books = 1;
  study.model.loans = 1;
  study.model.queue_share = Fraction(0, 1);
  study.model.branch_shares = {Fraction(1, 2)};
  study.nodes = {1};
  study.tagging_nodes = 1;
  const KeyspaceResult result = run_keyspace_study(study);
  EXPECT_EQ(result.verdict, Verdict::holds);
  EXPECT_EQ(result.figures[0].by_nodes[0].keys, 3U);  // catalog, loan, counter
  EXPECT_EQ(result.figures[0].by_nodes[0].bytes, 240U + 96U + 64U);
  EXPECT_EQ(result.figures[0].by_nodes[0].t2_on_one_node, 1U);
}

}  // namespace
}  // namespace nandi::sim
