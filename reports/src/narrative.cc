#include "narrative.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/property.h"
#include "nandi/sim/quantity_text.h"

namespace nandi::reports {
namespace {

constexpr const char* kPairChanged = "its pair changed";

/// One worker's lease, and the time without one that follows it.
struct Tenure {
  const Lane* lane = nullptr;
  Pair pair;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::string cause;      ///< empty: it still holds at the end
  std::int64_t back = 0;  ///< when it held again; 0: never
};

std::vector<Tenure> tenures_of(const Lane& lane) {
  std::vector<Tenure> tenures;
  for (std::size_t p = 0; p < lane.parts.size(); ++p) {
    const LanePart& part = lane.parts[p];
    if (part.state != LaneState::holds) {
      if (tenures.empty() || part.cause.empty() || !tenures.back().cause.empty()) continue;
      if (part.from == tenures.back().to) tenures.back().cause = part.cause;
      continue;
    }
    if (!tenures.empty() && tenures.back().back == 0) tenures.back().back = part.from;
    tenures.push_back({&lane, part.pair, part.from, part.to, "", 0});
    const bool is_last = p + 1 == lane.parts.size();
    if (!is_last && lane.parts[p + 1].state == LaneState::holds) {
      tenures.back().cause = kPairChanged;
    }
  }
  return tenures;
}

std::vector<Tenure> all_tenures(const Timeline& timeline) {
  std::vector<Tenure> all;
  for (const Lane& lane : timeline.lanes) {
    for (Tenure& tenure : tenures_of(lane)) {
      if (tenure.cause.empty() && tenure.to < timeline.end) tenure.cause = "it was gone";
      all.push_back(std::move(tenure));
    }
  }
  return all;
}

/// "w1, w2 and w3".
std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t n = 0; n < names.size() && n < kMost; ++n) {
    text += (n == 0 ? "" : n + 1 == names.size() ? " and " : ", ") + names[n];
  }
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

/// Who came or went between the two moments: what explains a change of membership.
std::string occasion(const Timeline& timeline, std::int64_t from, std::int64_t to) {
  std::map<std::int64_t, std::vector<std::string>> came;
  std::map<std::int64_t, std::vector<std::string>> went;
  for (const Lane& lane : timeline.lanes) {
    if (lane.parts.empty()) continue;
    const std::int64_t starts = lane.parts.front().from;
    const std::int64_t ends = lane.parts.back().to;
    if (starts > from && starts <= to) came[starts].push_back(lane.name);
    if (ends >= from && ends < to && ends < timeline.end) went[ends].push_back(lane.name);
  }
  std::vector<std::string> clauses;
  for (const auto& [at, names] : came) {
    clauses.push_back(fmt::format("{} started at {}", joined(names), when_text(timeline, at)));
  }
  for (const auto& [at, names] : went) {
    clauses.push_back(fmt::format("{} {} gone from {} on", joined(names),
                                  names.size() == 1 ? "was" : "were", when_text(timeline, at)));
  }
  return joined(clauses);
}

/// "its index changed" and "its lease ran out", of one worker, said of several.
std::string of_several(const std::string& cause) {
  if (cause == "its lease ran out") return "their leases ran out";
  if (cause.rfind("its ", 0) == 0) return "their " + cause.substr(4);
  if (cause.rfind("it ", 0) == 0) return "they " + cause.substr(3);
  return cause;
}

std::string sentence_of(const Timeline& timeline, const std::vector<const Tenure*>& group,
                        std::int64_t since) {
  std::vector<std::string> names;
  for (const Tenure* tenure : group) names.push_back(tenure->lane->name);
  const std::int64_t first = group.front()->to;
  const std::int64_t last = group.back()->to;
  const std::string when = first == last ? "at " + when_text(timeline, first)
                                         : fmt::format("from {} to {}", when_text(timeline, first),
                                                       when_text(timeline, last));
  const std::string& cause = group.front()->cause;
  if (cause == kPairChanged) {
    return fmt::format("{} went from one pair straight to another, {}.", joined(names), when);
  }
  std::string text = fmt::format("{} stood down {}, because ", joined(names), when);
  const bool is_counted = cause.find("members") != std::string::npos;
  text += group.size() == 1 ? cause : of_several(cause);
  // A change of membership shows up two intervals after it.
  const std::string why = is_counted ? occasion(timeline, since, first) : "";
  if (!why.empty()) text += fmt::format(" ({})", why);
  std::int64_t back = 0;
  bool all_back = true;
  for (const Tenure* tenure : group) {
    all_back = all_back && tenure->back != 0;
    back = std::max(back, tenure->back);
  }
  if (all_back) {
    text += fmt::format("; {} a pair again by {}, {} after {}",
                        group.size() == 1 ? "it owned" : "all of them owned",
                        when_text(timeline, back), length_text(timeline, back - first),
                        group.size() == 1 ? "that" : "the first let go");
  }
  return text + ".";
}

}  // namespace

std::string when_text(const Timeline& timeline, std::int64_t at) {
  if (timeline.unit == TimeUnit::nanoseconds) return sim::time_text(sim::TrueTime(at));
  return fmt::format("tick {}", at);
}

std::string length_text(const Timeline& timeline, std::int64_t length) {
  if (timeline.unit == TimeUnit::ticks) return fmt::format("{} ticks", length);
  return fmt::format("{} ({} I)", sim::duration_text(Duration(length)),
                     sim::intervals_text(Duration(length), Duration(timeline.interval)));
}

std::vector<std::string> stand_down_sentences(const Timeline& timeline) {
  constexpr std::size_t kMost = 6;
  const std::vector<Tenure> tenures = all_tenures(timeline);
  std::vector<const Tenure*> ended;
  for (const Tenure& tenure : tenures) {
    if (!tenure.cause.empty()) ended.push_back(&tenure);
  }
  std::stable_sort(ended.begin(), ended.end(),
                   [](const Tenure* a, const Tenure* b) { return a->to < b->to; });
  std::vector<std::vector<const Tenure*>> groups;
  for (const Tenure* tenure : ended) {
    const bool joins = !groups.empty() && groups.back().front()->cause == tenure->cause &&
                       tenure->to - groups.back().front()->to <= timeline.interval;
    if (!joins) groups.emplace_back();
    groups.back().push_back(tenure);
  }
  std::vector<std::string> sentences;
  for (std::size_t g = 0; g < groups.size() && g < kMost; ++g) {
    // A change shows within three intervals; what is older belongs to an earlier stand-down.
    const std::int64_t since = groups[g].front()->to - 3 * timeline.interval;
    sentences.push_back(sentence_of(timeline, groups[g], since));
  }
  if (groups.size() > kMost) {
    sentences.push_back(fmt::format("{} further stand-downs are in the table of leases.",
                                    sim::grouped(groups.size() - kMost)));
  }
  if (groups.empty()) sentences.push_back("No worker stood down in this run.");
  return sentences;
}

std::vector<StoryLine> story_of(const Timeline& timeline) {
  constexpr std::size_t kLines = 14;
  constexpr std::int64_t kIntervals = 4;
  std::vector<StoryLine> lines;
  if (!timeline.focus) return lines;
  const Focus& focus = *timeline.focus;
  for (const TimelineEvent& event : timeline.events) {
    if (event.at < focus.at - kIntervals * timeline.interval || event.at > focus.at) continue;
    const bool is_theirs = !event.worker || std::find(focus.workers.begin(), focus.workers.end(),
                                                      *event.worker) != focus.workers.end();
    if (event.is_told && is_theirs) lines.push_back({when_text(timeline, event.at), event.text});
  }
  if (lines.size() > kLines) lines.erase(lines.begin(), lines.end() - kLines);
  return lines;
}

Section ownership_section(const Timeline& timeline) {
  constexpr std::size_t kMost = 200;
  Section section{"Who owned what, and why it ended", "", {}};
  Table table{"", "", {"worker", "pair", "from", "until", "for", "why it ended"}, {}};
  std::size_t all = 0;
  for (const Tenure& tenure : all_tenures(timeline)) {
    if (++all > kMost) continue;
    table.rows.push_back({tenure.lane->name,
                          fmt::format("{} of {}", tenure.pair.index, tenure.pair.count),
                          when_text(timeline, tenure.from),
                          tenure.cause.empty() ? "the end" : when_text(timeline, tenure.to),
                          length_text(timeline, tenure.to - tenure.from),
                          tenure.cause.empty() ? "still held when the run ended" : tenure.cause});
  }
  section.intro = fmt::format(
      "Every lease of {}. A pair \"i of n\" is the tasks whose id leaves the remainder i when "
      "divided by n. A worker takes up a pair when two closed intervals in a row gave it the same "
      "one, and lets go as soon as they no longer do or its lease runs out.",
      timeline.label);
  if (all > kMost) {
    table.note = fmt::format("The first {} of {} leases.", sim::grouped(kMost), sim::grouped(all));
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace nandi::reports
