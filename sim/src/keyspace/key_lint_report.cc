#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nandi/sim/keyspace/key_lint.h"
#include "nandi/sim/partition/text_table.h"

namespace nandi::sim {

namespace {

using yaml::Tree;

std::string reason_text(HashedBecause because) {
  switch (because) {
    case HashedBecause::tag: return "between the first { and the first } after it";
    case HashedBecause::no_open: return "the whole key: it has no {";
    case HashedBecause::no_close: return "the whole key: no } closes its {";
    case HashedBecause::empty_braces: break;
  }
  return "the whole key: its first braces are empty";
}

std::string reason_name(HashedBecause because) {
  switch (because) {
    case HashedBecause::tag: return "tag";
    case HashedBecause::no_open: return "no-open-brace";
    case HashedBecause::no_close: return "no-close-brace";
    case HashedBecause::empty_braces: break;
  }
  return "empty-braces";
}

std::string slots_text(const KeyFinding& finding) {
  if (!finding.unlisted.empty()) {
    return fmt::format("varies with <{}>", fmt::join(finding.unlisted, ">, <"));
  }
  if (finding.slots.empty()) return "not counted";
  if (finding.slots.size() <= 6) return fmt::format("{}", fmt::join(finding.slots, " "));
  return fmt::format("{} slots", finding.slots.size());
}

// Control bytes and others that a terminal should not be sent, as \xHH.
std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return out;
}

Tree integer(std::uint64_t value) { return Tree::integer(static_cast<std::int64_t>(value)); }

template <class List, class Make>
Tree sequence_of(const List& list, Make make) {
  Tree out = Tree::sequence();
  for (const auto& each : list) out.append(make(each));
  return out;
}

Tree finding_json(const KeyFinding& finding) {
  Tree out = Tree::mapping();
  out.add("line", Tree::integer(finding.line));
  out.add("pattern", Tree::string(finding.pattern));
  out.add("hashed", Tree::string(finding.hashed));
  out.add("because", Tree::string(reason_name(finding.because)));
  if (!finding.remark.empty()) out.add("remark", Tree::string(finding.remark));
  out.add("unlisted", sequence_of(finding.unlisted, Tree::string));
  out.add("slots", sequence_of(finding.slots, [](std::uint32_t slot) { return integer(slot); }));
  out.add("keys", integer(finding.keys));
  out.add("bytes", integer(finding.bytes));
  out.add("copies", integer(finding.copies));
  return out;
}

}  // namespace

std::string key_lint_text(const KeyLint& lint) {
  std::string text;
  TextTable table({"line", "key", "hashed", "why", "slot"});
  for (const std::size_t column : {1U, 2U, 3U, 4U}) table.align(column, TextTable::Align::left);
  for (const KeyFinding& finding : lint.patterns) {
    table.add_row({std::to_string(finding.line), printable(finding.pattern),
                   printable(finding.hashed), reason_text(finding.because), slots_text(finding)});
  }
  if (!lint.patterns.empty()) text += table.to_string();
  std::string last;
  for (const KeyFinding& finding : lint.patterns) {
    if (finding.remark.empty()) continue;
    std::string remark = fmt::format("line {}: {}\n", finding.line, printable(finding.remark));
    if (remark != last) text += remark;  // the keys of a group share theirs
    last = std::move(remark);
  }
  if (!lint.sets.empty()) text += "\nUsed together\n";
  for (const SetFinding& set : lint.sets) {
    text += fmt::format("  {}: {}: {}\n", printable(set.name), verdict_name(set.verdict),
                        printable(set.statement));
    if (!set.advice.empty()) text += fmt::format("    {}\n", set.advice);
  }
  if (!lint.nodes.empty()) {
    text += fmt::format(
        "\nLoad by {}; busiest node {:.3f} times the mean{}\n", lint.measure, lint.imbalance,
        lint.left_out == 0 ? ""
                           : fmt::format("; lines left out, values not listed: {}", lint.left_out));
    TextTable nodes({"node", "keys", "bytes", "share %"});
    for (const NodeLoad& node : lint.nodes) {
      nodes.add_row({node.name, grouped(node.keys), grouped(node.bytes),
                     fmt::format("{:.1f}", node.share * 100)});
    }
    text += nodes.to_string(2);
  }
  if (!lint.warnings.empty()) text += "\nWarnings\n";
  for (const std::string& warning : lint.warnings) {
    text += fmt::format("  {}\n", printable(warning));
  }
  return text + fmt::format("\n{}: {}\n", printable(lint.file), verdict_name(lint.verdict));
}

Tree key_lint_json(const KeyLint& lint) {
  Tree out = Tree::mapping();
  out.add("format", Tree::string("nandi-key-lint/1"));
  out.add("file", Tree::string(lint.file));
  out.add("verdict", Tree::string(std::string(verdict_name(lint.verdict))));
  out.add("keys", sequence_of(lint.patterns, finding_json));
  out.add("sets", sequence_of(lint.sets, [](const SetFinding& set) {
            Tree entry = Tree::mapping();
            entry.add("line", Tree::integer(set.line));
            entry.add("name", Tree::string(set.name));
            entry.add("verdict", Tree::string(std::string(verdict_name(set.verdict))));
            entry.add("statement", Tree::string(set.statement));
            return entry;
          }));
  out.add("warnings", sequence_of(lint.warnings, Tree::string));
  out.add("measure", Tree::string(lint.measure));
  out.add("imbalance", Tree::literal(fmt::format("{:.6f}", lint.imbalance)));
  out.add("nodes", sequence_of(lint.nodes, [](const NodeLoad& node) {
            Tree entry = Tree::mapping();
            entry.add("name", Tree::string(node.name));
            entry.add("keys", integer(node.keys));
            entry.add("bytes", integer(node.bytes));
            entry.add("share", Tree::literal(fmt::format("{:.6f}", node.share)));
            return entry;
          }));
  return out;
}

}  // namespace nandi::sim
