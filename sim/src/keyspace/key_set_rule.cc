#include "key_set_rule.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace nandi::sim {

namespace {

// How far ahead names that hold the number of an interval are looked at.
constexpr std::int64_t kIntervals = 1000;
constexpr std::uint64_t kMaxCombinations = 200'000;
constexpr std::uint64_t kMaxCombinationsEachInterval = 2'000;

const char* const kAdvice =
    "put the part that they share into the first braces of every key, as in {group}:rest";

bool has_brace(const std::string& text) { return text.find_first_of("{}") != std::string::npos; }

bool lists_braces(const KeyList& list, const std::string& name) {
  const auto found = list.values.find(name);
  return found != list.values.end() &&
         std::any_of(found->second.begin(), found->second.end(), has_brace);
}

// The keys of one set under one binding.
class Placed {
 public:
  Placed(const KeySet& set, const KeyList& list, const KeyBinding& binding) : list_(list) {
    for (const KeyPattern& each : set.declared) keys_.push_back(each.fill(binding));
    declared_ = keys_.size();
    for (const KeyPattern& each : set.built) keys_.push_back(each.fill(binding));
    for (const std::string& key : keys_) slots_.push_back(key_slot(key));
  }

  bool one_slot() const { return first_in_another_slot(0) == slots_.size(); }

  // Whether the cluster lets the set run: one slot for what is declared, one node for the rest.
  bool fits() const { return first_unfit() == slots_.size(); }

  // Why not, on the example of one key.
  std::string fault() const {
    const std::size_t at = first_unfit();
    return fmt::format("`{}` is in slot {}{}, `{}` in slot {}{}", keys_[0], slots_[0],
                       node_text(slots_[0]), keys_[at], slots_[at], node_text(slots_[at]));
  }

  bool refused() const { return first_unfit() < declared_; }

 private:
  std::size_t first_in_another_slot(std::size_t from) const {
    for (std::size_t i = from; i < slots_.size(); ++i) {
      if (slots_[i] != slots_[0]) return i;
    }
    return slots_.size();
  }

  std::size_t first_unfit() const {
    const std::size_t crossing = first_in_another_slot(0);
    if (crossing < declared_ || !list_.slots) return crossing;
    for (std::size_t i = declared_; i < slots_.size(); ++i) {
      if (node(slots_[i]) != node(slots_[0])) return i;
    }
    return slots_.size();
  }

  std::uint32_t node(std::uint32_t slot) const { return list_.slots->node_of(slot); }

  std::string node_text(std::uint32_t slot) const {
    if (!list_.slots) return "";
    if (node(slot) == SlotMap::kUnserved) return " (served by nobody)";
    return fmt::format(" on {}", list_.slots->nodes()[node(slot)].name);
  }

  const KeyList& list_;
  std::vector<std::string> keys_;
  std::vector<std::uint32_t> slots_;
  std::size_t declared_ = 0;
};

struct Tally {
  std::uint64_t combinations = 0;
  std::uint64_t fits = 0;
  bool one_slot = true;
  bool refused = false;
  std::optional<std::string> first_fault;
  std::int64_t fault_interval = 0;
  std::int64_t intervals = 1;
  std::int64_t whole_intervals = 0;  // in which every combination fits
};

class SetRule {
 public:
  SetRule(const KeySet& set, const KeyList& list) : set_(set), list_(list) {
    for (const auto* patterns : {&set.declared, &set.built}) {
      for (const KeyPattern& pattern : *patterns) add(pattern);
    }
  }

  SetFinding judge() const {
    SetFinding finding{set_.line, set_.name, Verdict::holds, "", ""};
    if (parts_.size() < 2) {
      finding.statement = "one key alone crosses nothing";
    } else if (alike_) {
      finding.statement = always_text();
    } else if (const auto open = unlisted_of(list_, names_); !open.empty()) {
      finding.verdict = Verdict::violated;
      finding.statement = fmt::format("one slot only by chance, 1 in {}: {}, for any <{}>",
                                      kHashSlots, differing_text(), fmt::join(open, ">, <"));
    } else if (const std::optional<Tally> tally = tally_up()) {
      describe(*tally, finding);
    } else {
      finding.verdict = Verdict::unknown;
      finding.statement = "too many combinations of values to look at: " + differing_text();
    }
    if (finding.verdict == Verdict::violated) finding.advice = kAdvice;
    if (finding.verdict == Verdict::unknown) finding.advice = "list fewer values";
    return finding;
  }

 private:
  void add(const KeyPattern& pattern) {
    const KeyPattern part = pattern.hashed().part;
    alike_ = alike_ && (parts_.empty() || parts_[0] == part);
    parts_.push_back(part);
    by_interval_ = by_interval_ || part.uses_interval();
    const std::vector<std::string> hashed = part.names();
    for (const std::string& name : pattern.names()) {
      // A value with braces moves the tag, wherever it stands.
      const bool braces = lists_braces(list_, name);
      alike_ = alike_ && !braces;
      if (!braces && std::find(hashed.begin(), hashed.end(), name) == hashed.end()) {
        others_.push_back(name);
      } else if (std::find(names_.begin(), names_.end(), name) == names_.end()) {
        names_.push_back(name);
      }
    }
  }

  std::string differing_text() const {
    for (const KeyPattern& part : parts_) {
      if (part == parts_[0]) continue;
      return fmt::format("`{}` is hashed for one key and `{}` for another", parts_[0].source(),
                         part.source());
    }
    return fmt::format("all hash `{}`, but a value holds braces", parts_[0].source());
  }

  std::string always_text() const {
    if (!parts_[0].names().empty() || by_interval_) {
      return fmt::format("one slot, always: every key hashes `{}`", parts_[0].source());
    }
    const std::uint32_t slot = crc16(parts_[0].fill({})) % kHashSlots;
    return fmt::format("one slot, always: every key hashes `{}`, slot {}", parts_[0].source(),
                       slot);
  }

  std::optional<Tally> tally_up() const {
    Tally tally;
    tally.intervals = by_interval_ ? kIntervals : 1;
    const std::uint64_t most = by_interval_ ? kMaxCombinationsEachInterval : kMaxCombinations;
    for (std::int64_t ahead = 0; ahead < tally.intervals; ++ahead) {
      bool whole = true;
      const bool done = for_bindings(list_, names_, most, [&](KeyBinding binding) {
        binding.interval = list_.interval + ahead;
        for (const std::string& name : others_) binding.values.emplace(name, name);
        const Placed placed(set_, list_, binding);
        ++tally.combinations;
        tally.one_slot = tally.one_slot && placed.one_slot();
        if (placed.fits()) {
          ++tally.fits;
          return;
        }
        whole = false;
        tally.refused = tally.refused || placed.refused();
        if (tally.first_fault) return;
        tally.first_fault = placed.fault();
        tally.fault_interval = ahead;
      });
      if (!done) return std::nullopt;
      tally.whole_intervals += whole ? 1 : 0;
    }
    return tally;
  }

  void describe(const Tally& tally, SetFinding& finding) const {
    const std::string scope =
        by_interval_ ? fmt::format("{} intervals from {} on", tally.intervals, list_.interval)
                     : fmt::format("{} combinations of values", tally.combinations);
    if (!tally.first_fault) {
      finding.statement = fmt::format(
          "one {} in all {}, but only by chance{}: {}", tally.one_slot ? "slot" : "node", scope,
          tally.one_slot ? "" : " and on this map of slots", differing_text());
      return;
    }
    finding.verdict = Verdict::violated;
    const std::string ending =
        tally.refused ? "refused with CROSSSLOT" : "the script fails while it runs";
    if (by_interval_ && tally.fault_interval > 0) {
      finding.statement = fmt::format(
          "works now (interval {}), fails in {}: {} ({}); {} of {} intervals work", list_.interval,
          tally.fault_interval == 1 ? std::string("the next interval")
                                    : fmt::format("{} intervals", tally.fault_interval),
          *tally.first_fault, ending, tally.whole_intervals, tally.intervals);
    } else if (by_interval_) {
      finding.statement =
          fmt::format("fails now (interval {}): {} ({}); {} of {} intervals work", list_.interval,
                      *tally.first_fault, ending, tally.whole_intervals, tally.intervals);
    } else if (tally.fits == 0) {
      finding.statement = fmt::format("never: {} ({})", *tally.first_fault, ending);
    } else {
      finding.statement = fmt::format("in {} of {} combinations of values; else {} ({})",
                                      tally.fits, tally.combinations, *tally.first_fault, ending);
    }
  }

  const KeySet& set_;
  const KeyList& list_;
  std::vector<KeyPattern> parts_;    // what is hashed, by key
  std::vector<std::string> names_;   // placeholders that decide the slots
  std::vector<std::string> others_;  // those that do not
  bool alike_ = true;
  bool by_interval_ = false;
};

}  // namespace

std::vector<std::string> unlisted_of(const KeyList& list, const std::vector<std::string>& names) {
  std::vector<std::string> unlisted;
  for (const std::string& name : names) {
    if (list.values.count(name) == 0) unlisted.push_back(name);
  }
  return unlisted;
}

bool for_bindings(const KeyList& list, const std::vector<std::string>& names, std::uint64_t most,
                  const std::function<void(const KeyBinding&)>& each) {
  std::uint64_t combinations = 1;
  for (const std::string& name : names) {
    combinations *= list.values.at(name).size();
    if (combinations > most) return false;
  }
  KeyBinding binding;
  binding.interval = list.interval;
  for (std::uint64_t index = 0; index < combinations; ++index) {
    std::uint64_t rest = index;
    for (std::size_t n = names.size(); n-- > 0;) {
      const std::vector<std::string>& values = list.values.at(names[n]);
      binding.values[names[n]] = values[rest % values.size()];
      rest /= values.size();
    }
    each(binding);
  }
  return true;
}

SetFinding judge_set(const KeySet& set, const KeyList& list) { return SetRule(set, list).judge(); }

}  // namespace nandi::sim
