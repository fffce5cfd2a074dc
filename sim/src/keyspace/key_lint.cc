#include "nandi/sim/keyspace/key_lint.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "key_set_rule.h"

namespace nandi::sim {

namespace {

constexpr std::uint64_t kMaxKeys = 1'000'000;
constexpr std::size_t kShownHotSlots = 5;
// Fewer keys for each node than this, and a slot with one key is no news.
constexpr std::size_t kKeysPerNode = 20;

std::string remark_on(const KeyPattern::Hashed& hashed) {
  switch (hashed.because) {
    case HashedBecause::tag:
      if (hashed.ignored.empty()) return "";
      return fmt::format("only `{}` counts; `{}` behind it is not looked at", hashed.part.source(),
                         hashed.ignored);
    case HashedBecause::no_close:
      return "a { without a } behind it is no tag: the whole key counts";
    case HashedBecause::empty_braces:
      if (hashed.ignored.empty()) return "{} is no tag: the whole key counts";
      return fmt::format(
          "{{}} is no tag and ends the search: the whole key counts, `{}` is not "
          "looked at",
          hashed.ignored);
    case HashedBecause::no_open: break;
  }
  return "";
}

// What falls on each slot.
struct SlotLoads {
  std::vector<std::uint64_t> keys = std::vector<std::uint64_t>(kHashSlots, 0);
  std::vector<std::uint64_t> bytes = std::vector<std::uint64_t>(kHashSlots, 0);
  std::vector<double> weight = std::vector<double>(kHashSlots, 0);
};

class Linter {
 public:
  explicit Linter(const KeyList& list) : list_(list) { lint_.file = list.file; }

  KeyLint run() {
    for (const KeyLine& line : list_.patterns) lint_.patterns.push_back(look_at(line));
    for (const KeySet& set : list_.sets) lint_.sets.push_back(judge_set(set, list_));
    warn_of_shared_slots();
    warn_of_copies();
    weigh_nodes();
    lint_.verdict = verdict();
    return std::move(lint_);
  }

 private:
  KeyFinding look_at(const KeyLine& line) {
    const KeyPattern::Hashed hashed = line.pattern.hashed();
    KeyFinding finding;
    finding.line = line.line;
    finding.pattern = line.pattern.source();
    finding.hashed = hashed.part.source();
    finding.because = hashed.because;
    finding.remark = remark_on(hashed);
    finding.unlisted = unlisted_of(list_, hashed.part.names());
    const std::vector<std::string> names = line.pattern.names();
    finding.copies = copies_of(line);
    if (!unlisted_of(list_, names).empty()) {
      ++lint_.left_out;
      if (finding.unlisted.empty()) slots_of_tag(line, hashed.part, finding);
      return finding;
    }
    std::set<std::uint32_t> slots;
    const bool counted = for_bindings(list_, names, kMaxKeys, [&](const KeyBinding& binding) {
      const std::string key = line.pattern.fill(binding);
      const std::uint32_t slot = key_slot(key);
      slots.insert(slot);
      ++finding.keys;
      finding.bytes += line.bytes;
      count(key, slot, line, binding);
    });
    if (!counted) {
      ++lint_.left_out;
      lint_.warnings.push_back(
          fmt::format("line {}: more than {} keys, not counted: list fewer "
                      "values",
                      line.line, kMaxKeys));
    }
    finding.slots.assign(slots.begin(), slots.end());
    return finding;
  }

  // The tag's values are all listed though the key's are not.
  void slots_of_tag(const KeyLine& line, const KeyPattern& part, KeyFinding& finding) const {
    std::set<std::uint32_t> slots;
    for_bindings(list_, part.names(), kMaxKeys, [&](const KeyBinding& binding) {
      KeyBinding whole = binding;
      for (const std::string& name : line.pattern.names()) whole.values.emplace(name, name);
      slots.insert(key_slot(line.pattern.fill(whole)));
    });
    finding.slots.assign(slots.begin(), slots.end());
  }

  // Keys that two lines name are stored once.
  void count(const std::string& key, std::uint32_t slot, const KeyLine& line,
             const KeyBinding& binding) {
    if (!seen_.insert(key).second) return;
    loads_.keys[slot] += 1;
    loads_.bytes[slot] += line.bytes;
    double weight = 1;
    for (const auto& [name, value] : binding.values) {
      const auto weights = list_.weights.find(name);
      if (weights == list_.weights.end()) continue;
      const std::vector<std::string>& values = list_.values.at(name);
      const auto at = std::find(values.begin(), values.end(), value) - values.begin();
      weight *= static_cast<double>(weights->second[static_cast<std::size_t>(at)]);
    }
    loads_.weight[slot] += weight;
  }

  std::uint64_t copies_of(const KeyLine& line) const {
    std::uint64_t copies = 1;
    if (!line.of) return copies;
    for (const std::string& name : line.pattern.names()) {
      if (std::find(line.of->begin(), line.of->end(), name) != line.of->end()) continue;
      const auto values = list_.values.find(name);
      if (values != list_.values.end()) copies *= values->second.size();
    }
    return copies;
  }

  void warn_of_copies() {
    for (std::size_t i = 0; i < list_.patterns.size(); ++i) {
      const KeyFinding& finding = lint_.patterns[i];
      if (finding.copies < 2) continue;
      std::string size;
      if (finding.bytes > 0) {
        size = fmt::format(", {} bytes where {} would do", finding.bytes,
                           finding.bytes / finding.copies);
      }
      lint_.warnings.push_back(
          fmt::format("line {}: `{}` stores each record up to {} times, once for each value that "
                      "is no part of it{}",
                      finding.line, finding.pattern, finding.copies, size));
    }
  }

  void warn_of_shared_slots() {
    std::map<std::uint32_t, std::vector<std::string>> groups;
    for (const GroupLine& group : list_.groups) {
      KeyList alone;
      add_group(alone, group.name, group.prefix, group.line);
      groups[key_slot(alone.sets[0].declared[0].fill({}))].push_back(group.name);
    }
    for (const auto& [slot, names] : groups) {
      if (names.size() < 2) continue;
      lint_.warnings.push_back(fmt::format(
          "groups {} are all in slot {}, on one node: a tag in the prefix counts before the "
          "group's own; take its braces away",
          fmt::join(names, ", "), slot));
    }
  }

  void weigh_nodes() {
    if (!list_.slots || seen_.empty()) return;
    const bool has_bytes = std::any_of(loads_.bytes.begin(), loads_.bytes.end(),
                                       [](std::uint64_t bytes) { return bytes > 0; });
    lint_.measure = !list_.weights.empty() ? "weights" : has_bytes ? "bytes" : "keys";
    std::vector<double> slot_load(kHashSlots, 0);
    for (const SlotNode& node : list_.slots->nodes()) lint_.nodes.push_back({node.name, 0, 0, 0});
    double total = 0;
    for (std::uint32_t slot = 0; slot < kHashSlots; ++slot) {
      slot_load[slot] = !list_.weights.empty() ? loads_.weight[slot]
                        : has_bytes            ? static_cast<double>(loads_.bytes[slot])
                                               : static_cast<double>(loads_.keys[slot]);
      total += slot_load[slot];
      const std::uint32_t node = list_.slots->node_of(slot);
      if (node == SlotMap::kUnserved) {
        if (loads_.keys[slot] > 0) ++unserved_;
        continue;
      }
      lint_.nodes[node].keys += loads_.keys[slot];
      lint_.nodes[node].bytes += loads_.bytes[slot];
      lint_.nodes[node].share += slot_load[slot];
    }
    if (total <= 0) total = 1;
    for (NodeLoad& node : lint_.nodes) {
      node.share /= total;
      lint_.imbalance =
          std::max(lint_.imbalance, node.share * static_cast<double>(lint_.nodes.size()));
    }
    if (unserved_ > 0) {
      lint_.warnings.push_back(
          fmt::format("{} slots with keys are served by no node of the map", unserved_));
    }
    warn_of_hot_slots(slot_load, total);
  }

  // A slot is the smallest part that a cluster can move: one above a node's mean load leaves that
  // node above it on every map.
  void warn_of_hot_slots(const std::vector<double>& slot_load, double total) {
    if (seen_.size() < kKeysPerNode * lint_.nodes.size()) return;
    const auto nodes = static_cast<double>(lint_.nodes.size());
    std::vector<std::pair<double, std::uint32_t>> hot;
    for (std::uint32_t slot = 0; slot < kHashSlots; ++slot) {
      const double times_mean = slot_load[slot] / total * nodes;
      if (nodes > 1 && times_mean > 1) hot.emplace_back(-times_mean, slot);
    }
    std::sort(hot.begin(), hot.end());
    for (std::size_t i = 0; i < std::min(hot.size(), kShownHotSlots); ++i) {
      lint_.warnings.push_back(fmt::format(
          "hot slot {}: {:.1f} % of the {}; its node carries at least {:.2f} times the mean, "
          "wherever the slot goes",
          hot[i].second, -hot[i].first / nodes * 100, lint_.measure, -hot[i].first));
    }
  }

  Verdict verdict() const {
    bool unknown = list_.patterns.empty() && list_.sets.empty();
    for (const SetFinding& set : lint_.sets) {
      if (set.verdict == Verdict::violated) return Verdict::violated;
      unknown = unknown || set.verdict == Verdict::unknown;
    }
    return unknown ? Verdict::unknown : Verdict::holds;
  }

  const KeyList& list_;
  KeyLint lint_;
  SlotLoads loads_;
  std::set<std::string> seen_;
  std::uint64_t unserved_ = 0;
};

}  // namespace

KeyLint lint_keys(const KeyList& list) { return Linter(list).run(); }

}  // namespace nandi::sim
