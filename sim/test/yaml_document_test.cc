#include "nandi/sim/yaml/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "nandi/sim/yaml/names.h"

namespace nandi::sim::yaml {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(const std::string& text) {
  try {
    Document::parse(text, "s.yaml");
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}

TEST(YamlDocument, keeps_scalars_as_written) {
  const Document document = Document::parse("a: 010\nb: yes\nc: \"5\"\n", "s.yaml");
  const Value root = document.root();
  EXPECT_EQ(root.find("a")->text(), "010");
  EXPECT_EQ(root.find("b")->text(), "yes");
  EXPECT_EQ(root.find("c")->text(), "5");
  EXPECT_FALSE(root.find("a")->quoted());
  EXPECT_TRUE(root.find("c")->quoted());
  EXPECT_EQ(root.find("d"), std::nullopt);
}

TEST(YamlDocument, counts_lines_and_columns_from_one) {
  const Document document =
      Document::parse("# prose\ngroup:\n  gap: 0.2\nlist:\n  - x\n", "s.yaml");
  const Value root = document.root();
  EXPECT_EQ(root.key_position(0), (Position{2, 1}));
  const Value group = *root.find("group");
  EXPECT_EQ(group.key_position(0), (Position{3, 3}));
  EXPECT_EQ(group.at(0).position(), (Position{3, 8}));
  EXPECT_EQ(root.find("list")->at(0).position(), (Position{5, 5}));
}

TEST(YamlDocument, refuses_a_duplicate_key_and_names_both_places) {
  EXPECT_EQ(
      error_of("group:\n  gap: 0.1\n  interval: 5s\n  gap: 0.2\n"),
      "s.yaml:4:3: duplicate key `gap`; it is already given at s.yaml:2:3; keep one of the two");
}

TEST(YamlDocument, lets_two_mappings_use_one_key) {
  EXPECT_EQ(error_of("a: {x: 1}\nb: {x: 2}\n"), "no error");
}

TEST(YamlDocument, refuses_a_key_without_a_value_at_the_key) {
  EXPECT_THAT(error_of("a: 1\nname:\nb: 2\n"), StartsWith("s.yaml:2:1: `name` has no value;"));
  EXPECT_THAT(error_of("a: ~\n"), StartsWith("s.yaml:1:1: `a` has no value;"));
  EXPECT_THAT(error_of("a: [1, ~]\n"), HasSubstr("a value is missing"));
}

TEST(YamlDocument, refuses_what_hides_the_meaning_of_a_file) {
  EXPECT_THAT(error_of("a: &x 1\n"), HasSubstr("anchor"));
  EXPECT_THAT(error_of("a: &x {b: 1}\n"), HasSubstr("anchor"));
  EXPECT_THAT(error_of("a: &x 1\nb: *x\n"), HasSubstr("anchor"));
  EXPECT_THAT(error_of("a: !!str 5\n"), StartsWith("s.yaml:1:4: a tag"));
  EXPECT_THAT(error_of("a: !custom [5]\n"), HasSubstr("a tag"));
  EXPECT_THAT(error_of("{a: 1}: 2\n"), HasSubstr("a key must be a word"));
  EXPECT_THAT(error_of("a: 1\n---\nb: 2\n"), HasSubstr("a second document"));
}

TEST(YamlDocument, refuses_an_empty_file) {
  EXPECT_THAT(error_of(""), HasSubstr("s.yaml: the file is empty;"));
  EXPECT_THAT(error_of("# only prose\n"), HasSubstr("the file is empty"));
}

TEST(YamlDocument, reports_bad_yaml_with_its_place) {
  EXPECT_THAT(error_of("a: [1, 2\nb: 3\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(error_of("a: 1\n b: 2\n"), StartsWith("s.yaml:2:"));
  EXPECT_THAT(error_of("a: 1\n\tb: 2\n"), StartsWith("s.yaml:2:"));
  EXPECT_THAT(error_of(std::string("a: 1\nb: \0\n", 10)),
              StartsWith("s.yaml:2:1: a byte of value 0"));
}

TEST(YamlDocument, says_that_a_file_is_nested_too_deep) {
  EXPECT_THAT(error_of("a: " + std::string(40, '[') + std::string(40, ']')),
              HasSubstr("nested more than 32 levels deep"));
  EXPECT_NE(error_of("a: " + std::string(100'000, '[')), "no error");
  std::string dashes;
  for (int i = 0; i < 5000; ++i) dashes += "- ";
  EXPECT_THAT(error_of(dashes), HasSubstr("nested more than 32 levels deep"));
}

TEST(YamlDocument, names_a_file_that_cannot_be_read) {
  try {
    load_yaml("/nonexistent/scenario.yaml");
    FAIL() << "no error";
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(), StartsWith("/nonexistent/scenario.yaml: cannot be opened (No such"));
  }
  EXPECT_THROW(load_yaml("/"), LoadError);
}

TEST(YamlDocument, reads_a_file_and_knows_its_directory) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) /
                                     ("document_test_" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(path) << "name: x\n";
  const Document document = load_yaml(path);
  EXPECT_EQ(document.root().find("name")->text(), "x");
  EXPECT_EQ(document.directory(), path.parent_path());
  std::filesystem::remove(path);
}

TEST(CoreKind, follows_the_core_schema_of_yaml_1_2) {
  // https://yaml.org/spec/1.2.2/#1032-tag-resolution
  for (const char* text : {"0", "010", "-7", "+3", "0o17", "0xfF"}) {
    EXPECT_EQ(core_kind(text), ScalarKind::integer) << text;
  }
  for (const char* text : {"0.15", "-1.", ".5", "1e3", "1.5E-7", ".inf", "-.Inf", ".nan"}) {
    EXPECT_EQ(core_kind(text), ScalarKind::number) << text;
  }
  for (const char* text : {"true", "False", "TRUE"}) {
    EXPECT_EQ(core_kind(text), ScalarKind::boolean) << text;
  }
  for (const char* text : {"", "~", "null"}) EXPECT_EQ(core_kind(text), ScalarKind::null) << text;
  for (const char* text :
       {"yes", "on", "5s", "1..7", "3/20", "15%", "-", ".", "e5", "1e", "0x", "-.nan"}) {
    EXPECT_EQ(core_kind(text), ScalarKind::text) << text;
  }
}

TEST(Names, edit_distance_counts_changes_and_swaps) {
  EXPECT_EQ(edit_distance("interval", "interval"), 0u);
  EXPECT_EQ(edit_distance("intervall", "interval"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("gpa", "gap"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(Names, only_a_near_name_is_suggested) {
  const std::vector<std::string> known = {"interval", "gap", "name"};
  EXPECT_EQ(nearest_name("intervall", known), "interval");
  EXPECT_EQ(nearest_name("gpa", known), "gap");
  EXPECT_EQ(nearest_name("nmae", known), "name");
  EXPECT_EQ(nearest_name("timeline", known), "");
  EXPECT_EQ(nearest_name("x", {"y"}), "");
  EXPECT_EQ(name_advice("timeline", known), "known names: interval, gap, name");
}

}  // namespace
}  // namespace nandi::sim::yaml
