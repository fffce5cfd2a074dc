#include "timeline_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <map>
#include <optional>

#include "nandi/sim/trace_writer.h"

namespace nandi::reports {
namespace {

using Out = std::back_insert_iterator<std::string>;

/// A string literal without "<", so that no text of a scenario ends the element it stands in.
std::string script_string(std::string_view text) {
  std::string out;
  for (const char c : sim::json_string(text)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

template <class T>
std::string or_null(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "null";
}

/// Writes the list's items with commas between them.
template <class List, class Write>
void write_list(std::string& text, std::string_view key, const List& list, const Write& write) {
  fmt::format_to(Out(text), "\"{}\":[", key);
  bool is_first = true;
  for (const auto& item : list) {
    if (!is_first) text += ',';
    is_first = false;
    write(item);
  }
  text += "],\n";
}

std::string counters_text(const std::vector<CounterView>& counters) {
  std::string text = "[";
  for (const CounterView& c : counters) {
    fmt::format_to(Out(text), "{}[{},{}]", text.size() > 1 ? "," : "", c.interval, c.value);
  }
  return text + "]";
}

std::string pair_fields(const std::optional<Pair>& pair) {
  return pair ? fmt::format("{},{}", pair->index, pair->count) : "null,null";
}

std::string view_text(const WorkerView& view) {
  return fmt::format("[\"{}\",{},{},{},{},{},\"{}\",{}]", view.process, pair_fields(view.lease),
                     or_null(view.lease_ends), pair_fields(view.acts), or_null(view.interval),
                     view.index, view.wire, view.ghosts);
}

/// Causes repeat; parts name them by number.
class Causes {
 public:
  int number(const std::string& cause) {
    if (cause.empty()) return -1;
    const auto [at, is_new] = numbers_.emplace(cause, static_cast<int>(list_.size()));
    if (is_new) list_.push_back(cause);
    return at->second;
  }
  [[nodiscard]] const std::vector<std::string>& list() const { return list_; }

 private:
  std::map<std::string, int> numbers_;
  std::vector<std::string> list_;
};

void write_lanes(std::string& text, const Timeline& timeline) {
  Causes causes;
  write_list(text, "lanes", timeline.lanes, [&](const Lane& lane) {
    fmt::format_to(Out(text), "{{\"worker\":{},\"name\":{},\"parts\":[", lane.worker,
                   script_string(lane.name));
    for (std::size_t p = 0; p < lane.parts.size(); ++p) {
      const LanePart& part = lane.parts[p];
      fmt::format_to(Out(text), "{}[{},{},{},{},{},{}]", p == 0 ? "" : ",", part.from, part.to,
                     part.state == LaneState::holds     ? 1
                     : part.state == LaneState::stalled ? 2
                                                        : 0,
                     part.pair.index, part.pair.count, causes.number(part.cause));
    }
    text += "]}";
  });
  write_list(text, "causes", causes.list(),
             [&](const std::string& c) { text += script_string(c); });
}

void write_events(std::string& text, const Timeline& timeline) {
  const std::vector<CounterView>* known = nullptr;
  write_list(text, "events", timeline.events, [&](const TimelineEvent& event) {
    const bool is_same = known != nullptr && *known == event.counters;
    known = &event.counters;
    fmt::format_to(Out(text), "\n[{},{},{},{},{},{}", event.at,
                   event.worker ? static_cast<std::int64_t>(*event.worker) : -1,
                   script_string(event.text), (event.is_told ? 1 : 0) + (event.is_change ? 2 : 0),
                   event.worker ? view_text(event.after) : "null",
                   is_same ? "null" : counters_text(event.counters));
    if (!event.possible.empty()) {
      text += ",[";
      for (std::size_t p = 0; p < event.possible.size(); ++p) {
        text += (p == 0 ? "" : ",") + script_string(event.possible[p]);
      }
      text += ']';
    }
    text += ']';
  });
}

void write_messages(std::string& text, const Timeline& timeline) {
  write_list(text, "messages", timeline.messages, [&](const Message& m) {
    fmt::format_to(Out(text), "[{},{},{},{},{},{},{},{},{},{},{}]", m.worker, m.attempt,
                   or_null(m.sent), or_null(m.executed), or_null(m.delivered), or_null(m.lost),
                   m.interval, m.index, or_null(m.previous), m.ghost ? 1 : 0, m.refused ? 1 : 0);
  });
}

void write_timeline(std::string& text, const Timeline& timeline) {
  const Out out(text);
  fmt::format_to(out, "{{\"unit\":\"{}\",\"end\":{},\"interval\":{},\n",
                 timeline.unit == TimeUnit::ticks ? "tick" : "ns", timeline.end, timeline.interval);
  fmt::format_to(out, "\"label\":{},\"allEvents\":{},\n", script_string(timeline.label),
                 timeline.all_events);
  write_list(text, "columns", timeline.columns, [&](const auto& column) {
    fmt::format_to(Out(text), "[{},{}]", column.first, column.second);
  });
  write_lanes(text, timeline);
  write_messages(text, timeline);
  write_list(text, "bands", timeline.bands, [&](const Band& band) {
    fmt::format_to(Out(text), "[{},{},{},[{}]]", script_string(band.name), band.from, band.to,
                   fmt::join(band.workers, ","));
  });
  write_list(text, "shares", timeline.shares, [&](const ShareStep& step) {
    fmt::format_to(Out(text), "[{},{:.4f}]", step.at, step.share);
  });
  write_events(text, timeline);
  text += "\"before\":{";
  for (std::size_t b = 0; b < timeline.before.size(); ++b) {
    fmt::format_to(Out(text), "{}\"{}\":{}", b == 0 ? "" : ",", timeline.before[b].first,
                   view_text(timeline.before[b].second));
  }
  text += "},\n\"focus\":";
  if (timeline.focus) {
    fmt::format_to(Out(text), "{{\"at\":{},\"workers\":[{}],\"violation\":{},\"text\":{}}}",
                   timeline.focus->at, fmt::join(timeline.focus->workers, ","),
                   timeline.focus->is_violation, script_string(timeline.focus->text));
  } else {
    text += "null";
  }
  fmt::format_to(Out(text), ",\n\"countersBefore\":{}}}", counters_text(timeline.counters_before));
}

}  // namespace

std::string timelines_json(const std::vector<Timeline>& timelines) {
  std::string text = "[";
  for (std::size_t t = 0; t < timelines.size(); ++t) {
    if (t > 0) text += ",\n";
    write_timeline(text, timelines[t]);
  }
  return text + "]";
}

}  // namespace nandi::reports
