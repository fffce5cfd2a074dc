#include "nandi/sim/yaml/tree.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/scalar.h"

namespace nandi::sim::yaml {
namespace {

std::string yaml_of(const Tree& tree) {
  std::ostringstream out;
  write_yaml(tree, out);
  return out.str();
}

TEST(Tree, writes_small_values_in_a_line_and_large_ones_in_a_block) {
  Tree group = Tree::mapping();
  group.add("interval", Tree::string("5s")).add("gap", Tree::literal("0.15"));
  Tree events = Tree::sequence();
  for (int i = 0; i < 3; ++i) {
    Tree crash = Tree::mapping();
    crash.add("workers", Tree::sequence({Tree::integer(i)}));
    Tree event = Tree::mapping();
    event.add("at", Tree::string("30s")).add("crash", crash);
    events.append(event);
  }
  Tree root = Tree::mapping();
  root.add("group", group).add("timeline", events).add("empty", Tree::mapping());
  EXPECT_EQ(yaml_of(root),
            "group: {interval: 5s, gap: 0.15}\n"
            "timeline:\n"
            "  - {at: 30s, crash: {workers: [0]}}\n"
            "  - {at: 30s, crash: {workers: [1]}}\n"
            "  - {at: 30s, crash: {workers: [2]}}\n"
            "empty: {}\n");
}

TEST(Tree, an_item_too_long_for_a_line_starts_beside_its_dash) {
  Tree item = Tree::mapping();
  item.add("first", Tree::string(std::string(60, 'x')))
      .add("second", Tree::string(std::string(60, 'y')));
  Tree root = Tree::mapping();
  root.add("list", Tree::sequence({item}));
  EXPECT_EQ(yaml_of(root), "list:\n  - first: " + std::string(60, 'x') +
                               "\n    second: " + std::string(60, 'y') + "\n");
}

TEST(Tree, quotes_every_text_that_could_be_read_as_something_else) {
  const std::string texts[] = {
      "plain", "5",      "true",   "~",           "",        "a: b", "#x",  "- x", "a,b", "[x]",
      "\"q\"", "back\\", "tab\t",  "line\nbreak", "\x01ctl", "ünï",  "yes", "-5",  "%x",  "*a",
      "&a",    " lead",  "trail ", "'s'",         "1..7",    "...",  "---", "a:b"};
  for (const std::string& text : texts) {
    Tree root = Tree::mapping();
    root.add("v", Tree::string(text));
    Tree list = Tree::sequence({Tree::string(text), Tree::string("x")});
    root.add("list", list);
    const Document document = Document::parse(yaml_of(root), "s.yaml");
    EXPECT_EQ(document.root().find("v")->text(), text) << yaml_of(root);
    EXPECT_EQ(document.root().find("v")->scalar_kind(), ScalarKind::text) << yaml_of(root);
    EXPECT_EQ(document.root().find("list")->at(0).text(), text) << yaml_of(root);
  }
}

TEST(Tree, writes_json) {
  Tree root = Tree::mapping();
  root.add("a", Tree::sequence({Tree::literal("1"), Tree::string("x\"y")}))
      .add("b", Tree::mapping());
  std::ostringstream out;
  write_json(root, out);
  EXPECT_EQ(out.str(), "{\n  \"a\": [\n    1,\n    \"x\\\"y\"\n  ],\n  \"b\": {}\n}\n");
}

}  // namespace
}  // namespace nandi::sim::yaml
