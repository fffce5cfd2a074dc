#include "nandi/sim/keyspace/key_lint.h"

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nandi/engine/options.h"
#include "nandi/engine/script.h"
#include "nandi/sim/keyspace/keys_command.h"
#include "nandi/sim/yaml/document.h"

namespace nandi::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

KeyLint lint(const std::string& text) { return lint_keys(read_key_list(text, "keys.txt")); }

std::string refusal(const std::string& text) {
  try {
    read_key_list(text, "keys.txt");
  } catch (const yaml::LoadError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(KeyPattern, FillsAndReadsBack) {
  const KeyPattern pattern = KeyPattern::parse("app:{<group>}:<N-1><x");
  EXPECT_EQ(pattern.source(), "app:{<group>}:<N-1><x");
  EXPECT_THAT(pattern.names(), ElementsAre("group"));
  EXPECT_TRUE(pattern.uses_interval());
  EXPECT_EQ(pattern.fill({{{"group", "mail"}}, 100}), "app:{mail}:99<x");
  EXPECT_EQ(pattern.hashed().part.source(), "<group>");
  EXPECT_EQ(KeyPattern::literal("<x>").names(), std::vector<std::string>{});
  for (const char* const text : {"<", "<>", "<a b>", "<N->", "<N+>", "<N-1", "a<b", "<M-1>"}) {
    EXPECT_EQ(KeyPattern::parse(text), KeyPattern::literal(text)) << text;
  }
}

TEST(KeyPattern, FindsTheHashedPartAsOnTheFilledKey) {
  for (const char* const text : {"foo<x>{bar}zap", "{}<x>{name}", "{<x>}", "a}<x>{b}", "a{<x>",
                                 "{<x>}{y}", "a<x>b", "{{<x>}}", "<x>{a<x>b}<x>"}) {
    const KeyPattern pattern = KeyPattern::parse(text);
    const KeyBinding binding{{{"x", "v1"}}, 0};
    const std::string key = pattern.fill(binding);
    EXPECT_EQ(pattern.hashed().part.fill(binding), hashed_part(key).text) << text;
    EXPECT_EQ(pattern.hashed().because, hashed_part(key).because) << text;
  }
}

TEST(KeyLint, TellsSlotHashedPartAndReason) {
  // Slots of a redis-server 7.0.15.
  const KeyLint result = lint("foo{bar}zap\nfoo{bar}{zap}\n{}{name}\nfoo{bar\nplain\n");
  ASSERT_THAT(result.patterns, SizeIs(5));
  EXPECT_THAT(result.patterns[0].slots, ElementsAre(5061U));
  EXPECT_EQ(result.patterns[0].hashed, "bar");
  EXPECT_EQ(result.patterns[0].remark, "");
  EXPECT_THAT(result.patterns[1].slots, ElementsAre(5061U));
  EXPECT_THAT(result.patterns[1].remark, HasSubstr("only `bar` counts"));
  EXPECT_THAT(result.patterns[1].remark, HasSubstr("`{zap}`"));
  EXPECT_THAT(result.patterns[2].slots, ElementsAre(13627U));
  EXPECT_THAT(result.patterns[2].remark, HasSubstr("the whole key counts"));
  EXPECT_THAT(result.patterns[3].slots, ElementsAre(15278U));
  EXPECT_EQ(result.patterns[3].because, HashedBecause::no_close);
  EXPECT_EQ(result.patterns[4].because, HashedBecause::no_open);
  EXPECT_EQ(result.verdict, Verdict::holds);
}

TEST(KeyLint, TheLibrarysTransactionsStayTogetherAsTheLessonMeasured) {
  // Branch tags: T1 and T2 always; book tags: T1 always, T2 never in one slot.
  const KeyLint result = lint(
      "values b 0..5\nvalues k 0..29\n"
      "transaction branch-T2: {branch:<b>}catalog:<k> {branch:<b>}loan:<k> {branch:<b>}openLoans\n"
      "transaction book-T1: {book:<k>}catalog:<k> {book:<k>}loan:<b> {book:<k>}queue:<k>\n"
      "transaction book-T2: {book:<k>}catalog:<k> branch:<b>:openLoans\n"
      "transaction none-T1: catalog:<any> loan:<b>:<any>\n");
  ASSERT_THAT(result.sets, SizeIs(4));
  EXPECT_EQ(result.sets[0].verdict, Verdict::holds);
  EXPECT_THAT(result.sets[0].statement, HasSubstr("always: every key hashes `branch:<b>`"));
  EXPECT_EQ(result.sets[1].verdict, Verdict::holds);
  EXPECT_EQ(result.sets[2].verdict, Verdict::violated);
  EXPECT_THAT(result.sets[2].statement, AllOf(HasSubstr("never: "), HasSubstr("CROSSSLOT")));
  EXPECT_EQ(result.sets[3].verdict, Verdict::violated);
  EXPECT_THAT(result.sets[3].statement, AllOf(HasSubstr("1 in 16384"), HasSubstr("any <any>")));
  EXPECT_EQ(result.verdict, Verdict::violated);
}

TEST(KeyLint, KeysThatMeetOnlyByChanceHoldAndSaySo) {
  // CLUSTER KEYSLOT gives 15495 for both a and k68769: found by search on a redis-server.
  const KeyLint result = lint("values x 68769\ntransaction t: a k<x>\n");
  EXPECT_EQ(result.sets[0].verdict, Verdict::holds);
  EXPECT_THAT(result.sets[0].statement, HasSubstr("only by chance"));
}

TEST(KeyLint, ATransactionThatFitsForSomeValuesIsNotOneThatFits) {
  const KeyLint result = lint("values x 68769 0\ntransaction t: a k<x>\n");
  EXPECT_EQ(result.sets[0].verdict, Verdict::violated);
  EXPECT_THAT(result.sets[0].statement, HasSubstr("in 1 of 2 combinations"));
}

TEST(KeyLint, ANameThatWorksNowAndFailsInTheNextIntervalIsFoundOut) {
  // With three masters: grp is in slot 3671 on n0; of its untagged counters those of interval
  // 29400002 and 29400003 are on n0 too, that of 29400004 is not (CLUSTER KEYSLOT).
  const std::string text = "nodes 3\ninterval 29400003\nscript count: grp -> grp:<N> grp:<N-1>\n";
  const KeyLint result = lint(text);
  EXPECT_EQ(result.verdict, Verdict::violated);
  EXPECT_THAT(result.sets[0].statement,
              AllOf(HasSubstr("works now (interval 29400003), fails in the next interval"),
                    HasSubstr("`grp` is in slot 3671 on n0"), HasSubstr("fails while it runs")));
  // A third of the counters are on each node: two at once a ninth of the time.
  EXPECT_EQ(lint("nodes 3\nscript count: {grp} -> {grp}:<N> {grp}:<N-1>\n").verdict,
            Verdict::holds);
}

TEST(KeyLint, TheRegistrationScriptsOwnKeysStayTogether) {
  const KeyLint result = lint("group mail-sender prefix=app:\ngroup orders\nnodes 3\n");
  EXPECT_EQ(result.verdict, Verdict::holds);
  ASSERT_THAT(result.sets, SizeIs(2));
  EXPECT_THAT(result.sets[0].statement, HasSubstr("every key hashes `mail-sender`"));
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(KeyLint, GroupKeysAreThoseThatTheEngineAndItsScriptUse) {
  Options options;
  options.name = "mail-sender";
  options.prefix = "app:";
  KeyList list;
  add_group(list, options.name, options.prefix, 1);
  const KeySet& set = list.sets.at(0);
  ASSERT_THAT(set.declared, SizeIs(1));
  ASSERT_THAT(set.built, SizeIs(2));
  const KeyBinding now{{}, 29'400'000};
  EXPECT_EQ(set.declared[0].fill(now), group_key(options));
  EXPECT_EQ(set.built[0].fill(now), key_of(options, IntervalNumber{29'400'000}));
  EXPECT_EQ(set.built[1].fill(now), key_of(options, IntervalNumber{29'399'999}));
  // The script declares one key, and builds the others by writing behind it.
  const std::string script(kRegistrationScript);
  EXPECT_THAT(script, HasSubstr("KEYS[1] .. string.format(':%.0f', n)"));
  EXPECT_THAT(script, HasSubstr("KEYS[1] .. string.format(':%.0f', n - 1)"));
  EXPECT_EQ(script.find("KEYS[2]"), std::string::npos);
}

TEST(KeyLint, AGroupNameThatClosesTheBracesEarlyIsRefused) {
  // "{}x}" begins with empty braces: each counter is hashed whole.
  const KeyLint result = lint("group }x\n");
  EXPECT_EQ(result.verdict, Verdict::violated);
  EXPECT_THAT(result.patterns[0].remark, HasSubstr("the whole key counts"));
}

TEST(KeyLint, GroupsInOneSlotAreWarnedOf) {
  // Slots of a redis-server: {a} 15495, {b} 3300, {c} 7365, {d} 11298; with the prefix {p} 16023.
  const KeyLint apart = lint("group a\ngroup b\ngroup c\ngroup d\n");
  EXPECT_THAT(apart.warnings, IsEmpty());
  EXPECT_THAT(apart.patterns[0].slots, ElementsAre(15495U));
  EXPECT_THAT(apart.patterns[6].slots, ElementsAre(11298U));
  const KeyLint together =
      lint("group a prefix={p}\ngroup b prefix={p}\ngroup c prefix={p}\ngroup d prefix={p}\n");
  ASSERT_THAT(together.warnings, SizeIs(1));
  EXPECT_THAT(together.warnings[0], HasSubstr("groups a, b, c, d are all in slot 16023"));
}

TEST(KeyLint, TagsThatMultiplyMemoryAreCounted) {
  const KeyLint result =
      lint("values b 0..5\nvalues k 0..2999\nkey {branch:<b>}catalog:<k> bytes=240 of=k\n");
  EXPECT_EQ(result.patterns[0].copies, 6U);
  EXPECT_EQ(result.patterns[0].bytes, 6U * 3000 * 240);
  ASSERT_THAT(result.warnings, SizeIs(1));
  EXPECT_THAT(result.warnings[0],
              HasSubstr("up to 6 times, once for each value that is no part of it, 4320000 bytes "
                        "where 720000 would do"));
}

TEST(KeyLint, HotSlotsAndNodesAreForetoldFromWeights) {
  // Shares 34/24/16/12/9/5 in six slots over six nodes: the largest slot alone is 2.04 times the
  // mean. Slots by redis-server: branch:0 1689, branch:2 5816 and so on.
  const KeyLint result = lint(
      "values b 0..5\nvalues k 0..99\nweights b 34 24 16 12 9 5\nnodes 6\n"
      "{branch:<b>}catalog:<k>\n");
  ASSERT_THAT(result.nodes, SizeIs(6));
  double sum = 0;
  double most = 0;
  for (const NodeLoad& node : result.nodes) {
    sum += node.share;
    most = std::max(most, node.share);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_NEAR(result.imbalance, most * 6, 1e-9);
  EXPECT_GE(most, 0.34);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_THAT(result.warnings[0], AllOf(HasSubstr("hot slot 1689: 34.0 %"), HasSubstr("2.04")));
}

TEST(KeyLint, AKeyNamedTwiceIsStoredOnce) {
  const KeyLint result = lint("nodes 1\nkey a bytes=10\nkey a bytes=10\nkey b bytes=10\n");
  EXPECT_EQ(result.nodes[0].keys, 2U);
  EXPECT_EQ(result.nodes[0].bytes, 20U);
}

TEST(KeyLint, ListedValuesWithBracesAreLookedAtOneByOne) {
  // }y closes the braces early: {}y} is hashed whole.
  const KeyLint result = lint("values g x \"}y\"\ntransaction t: {<g>}:1 {<g>}:2\n");
  EXPECT_EQ(result.sets[0].verdict, Verdict::violated);
  EXPECT_THAT(result.sets[0].statement, HasSubstr("in 1 of 2 combinations"));
}

TEST(KeyLint, TooManyCombinationsAreUnknownNotHeld) {
  const KeyLint result = lint("values a 0..999\nvalues b 0..999\ntransaction t: k:<a> k:<b>\n");
  EXPECT_EQ(result.sets[0].verdict, Verdict::unknown);
  EXPECT_EQ(result.verdict, Verdict::unknown);
  EXPECT_EQ(lint("# nothing\n").verdict, Verdict::unknown);
}

TEST(KeyList, ErrorsNamePlaceAndRemedy) {
  EXPECT_THAT(refusal("ok\ntransactoin t: a b\n"),
              AllOf(HasSubstr("keys.txt:2:1: "), HasSubstr("`transaction`")));
  EXPECT_THAT(refusal("transaction t a b\n"), HasSubstr("keys.txt:1:13: "));
  EXPECT_THAT(refusal("transaction t:\n"), HasSubstr("no keys"));
  EXPECT_THAT(refusal("key \"abc\n"), HasSubstr("keys.txt:1:5: a quote that does not end"));
  EXPECT_THAT(refusal("key \"a\\q\"\n"), HasSubstr("keys.txt:1:7: an escape"));
  EXPECT_THAT(refusal("key a bytes=x\n"), HasSubstr("keys.txt:1:7: "));
  EXPECT_THAT(refusal("key a:<k> of=j\n"), HasSubstr("no placeholder <j>"));
  EXPECT_THAT(refusal("values N 1\n"), HasSubstr("names no placeholder"));
  EXPECT_THAT(refusal("values b 5..0\n"), HasSubstr("keys.txt:1:10: "));
  EXPECT_THAT(refusal("values b 0..1\nweights b 1\n"), HasSubstr("1 weights for 2 values"));
  EXPECT_THAT(refusal("nodes 0\n"), HasSubstr("no nodes"));
  EXPECT_THAT(refusal("nodes 3\nnodes 4\n"), HasSubstr("keys.txt:2:1: a second map"));
  EXPECT_THAT(refusal("node a 0-16384\n"), HasSubstr("keys.txt:1:8: "));
  EXPECT_THAT(refusal("node a 0-5\nnode b 5-6\n"), HasSubstr("slot 5 is given to a and to b"));
  EXPECT_EQ(refusal("node a 0-5 7\nnode b 8-16383\n"), "accepted");
}

TEST(KeyList, QuotesAndEscapesReachAnyKey) {
  const KeyList list = read_key_list("key \"a b\\x00\\\"\\n\"\r\n\n  # comment\n\tc\n", "f");
  ASSERT_THAT(list.patterns, SizeIs(2));
  EXPECT_EQ(list.patterns[0].pattern.source(), std::string("a b\0\"\n", 6));
  EXPECT_EQ(list.patterns[1].pattern.source(), "c");
  EXPECT_EQ(list.patterns[1].line, 4);
}

TEST(KeyList, LiteralLinesAreKeysByteForByte) {
  const KeyList list = read_literal_keys("# no comment\nkey <x>\n\nnodes 3\n", "f");
  ASSERT_THAT(list.patterns, SizeIs(4));
  EXPECT_EQ(list.patterns[1].pattern, KeyPattern::literal("key <x>"));
  EXPECT_FALSE(list.slots.has_value());
}

struct CommandRun {
  int status;
  std::string out;
  std::string err;
};

CommandRun run_command(const std::vector<std::string>& args, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const int status = run_keys_command(args, in, out, err);
  return {status, out.str(), err.str()};
}

TEST(KeysCommand, ExitStatusStatesTheOutcome) {
  EXPECT_EQ(run_command({"-"}, "transaction t: {a}1 {a}2\n").status, 0);
  EXPECT_EQ(run_command({"-"}, "transaction t: a b\n").status, 1);
  EXPECT_EQ(run_command({"-"}, "").status, 2);
  EXPECT_EQ(run_command({}).status, 64);
  EXPECT_EQ(run_command({"-", "--jsn"}).status, 64);
  EXPECT_THAT(run_command({"-", "--jsn"}).err, HasSubstr("`--json`"));
  EXPECT_EQ(run_command({"-", "--nodes", "0"}).status, 64);
  EXPECT_EQ(run_command({"a", "b"}).status, 64);
  EXPECT_EQ(run_command({"--prefix", "x", "-"}).status, 64);
  EXPECT_EQ(run_command({"-"}, "weights b 1\n").status, 65);
  EXPECT_THAT(run_command({"-"}, "weights b 1\n").err, HasSubstr("standard input:1:1: "));
  const CommandRun missing = run_command({"/nonexistent/keys"});
  EXPECT_EQ(missing.status, 65);
  EXPECT_THAT(missing.err, HasSubstr("/nonexistent/keys"));
  EXPECT_EQ(run_command({"--help"}).status, 0);
}

TEST(KeysCommand, AGroupNeedsNoFile) {
  const CommandRun fine = run_command({"--group", "orders", "--prefix", "app:", "--nodes", "3"});
  EXPECT_EQ(fine.status, 0);
  EXPECT_THAT(fine.out, HasSubstr("app:{orders}:<N>"));
  const CommandRun json = run_command({"--group", "orders", "--json", "-"});
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"nandi-key-lint/1\""), HasSubstr("\"holds\"")));
  EXPECT_EQ(run_command({"--group", "orders", "--json"}).status, 64) << "it takes a file";
  const CommandRun unwritable = run_command({"--group", "orders", "--json", "/nonexistent/a"});
  EXPECT_EQ(unwritable.status, 65);
  EXPECT_THAT(unwritable.err, HasSubstr("/nonexistent/a"));
}

TEST(KeysCommand, SendsNoControlBytesToATerminal) {
  const CommandRun result = run_command({"-"}, "key \"a\\x1b[31m\"\n");
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
  EXPECT_THAT(result.out, HasSubstr("a\\x1b[31m"));
}

}  // namespace
}  // namespace nandi::sim
