#include "lane_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "nandi/sim/property.h"
#include "terminal.h"

namespace nandi::sim::cli {
namespace {

char index_digit(std::uint32_t index) {
  constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  return kDigits[index % 36];
}

/// First moment of column `column` of `columns` over [0, end].
TrueTime column_begin(std::size_t column, std::size_t columns, TrueTime end) {
  return TrueTime(static_cast<std::int64_t>(Int128{end.count()} * static_cast<Int128>(column) /
                                            static_cast<Int128>(columns)));
}

std::size_t column_of(TrueTime at, std::size_t columns, TrueTime end) {
  if (end.count() == 0) return 0;
  const auto column =
      static_cast<std::size_t>(Int128{at.count()} * static_cast<Int128>(columns) / end.count());
  return std::min(column, columns - 1);
}

std::string ruler(const Scenario& scenario, TrueTime end, std::size_t columns) {
  constexpr std::int64_t kColumnsPerMark = 10;
  std::string text(columns, ' ');
  const Duration interval = scenario.group.interval;
  const std::int64_t intervals = end.count() / interval.count();
  const std::int64_t step = intervals * kColumnsPerMark / static_cast<std::int64_t>(columns) + 1;
  for (std::int64_t n = 0; n <= intervals; n += step) {
    const std::string mark = "|" + duration_text(interval * n);
    const std::size_t column = column_of(TrueTime(0) + interval * n, columns, end);
    if (column + mark.size() <= columns) text.replace(column, mark.size(), mark);
  }
  return text;
}

/// "label line" without spaces at its end.
std::string labelled(const std::string& label, std::size_t width, const std::string& line) {
  std::string text = padded(label, width) + " " + line;
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace

void LaneView::turn(Lane& lane, TrueTime at, char state) {
  if (lane.turns.empty() ? state == ' ' : lane.turns.back().state == state) return;
  lane.turns.push_back({at, state});
}

void LaneView::record(const TraceRecord& record) {
  const TrueTime at = record.step.at;
  if (record.kind == RecordKind::fault_begins) {
    bands_.push_back({std::string(record.fault), record.fault_number, at, at, false});
  } else if (record.kind == RecordKind::fault_ends) {
    for (Band& band : bands_) {
      if (band.number == record.fault_number && !band.ended) {
        band.to = at;
        band.ended = true;
      }
    }
  } else if (concerns_worker(record.step.action.kind)) {
    note(record);
  }
}

void LaneView::note(const TraceRecord& record) {
  const TrueTime at = record.step.at;
  const Action& action = record.step.action;
  const bool is_fork = action.kind == ActionKind::fork;
  const WorkerId worker = is_fork ? static_cast<WorkerId>(action.value) : action.worker;
  if (worker >= lanes_.size()) lanes_.resize(worker + std::size_t{1});
  Lane& lane = lanes_[worker];
  if (is_fork || action.kind == ActionKind::join) lane.present = true;
  if (!lane.present) return;  // its clock is set before it joins; its ghosts come after it has gone
  // A lease that ran out while its process stalled ended before anything was done about it.
  if (lane.lease_ends < at) turn(lane, lane.lease_ends, lane.stalled ? '~' : '.');
  switch (record.lease_change) {
    case LeaseChange::granted:
    case LeaseChange::renewed:
    case LeaseChange::revived:
      lane.lease = index_digit(record.lease.index);
      lane.lease_ends = record.lease_ends;
      break;
    case LeaseChange::lost:
      lane.lease = '.';
      lane.lease_ends = TrueTime::max();
      break;
    case LeaseChange::none: break;
  }
  if (action.kind == ActionKind::pause) lane.stalled = true;
  if (action.kind == ActionKind::resume) lane.stalled = false;
  if (record.departed) lane = Lane{std::move(lane.turns), '.', TrueTime::max(), false, false};
  const bool holds = lane.lease != '.' && at < lane.lease_ends;
  turn(lane, at, !lane.present ? ' ' : holds ? lane.lease : lane.stalled ? '~' : '.');
}

/// Each column shows the state that lasted longest in it.
std::string LaneView::cells(const Lane& lane, TrueTime end, std::size_t columns) {
  std::string cells(columns, ' ');
  std::size_t next = 0;
  char state = ' ';
  for (std::size_t column = 0; column < columns; ++column) {
    const TrueTime to = column_begin(column + 1, columns, end);
    TrueTime since = column_begin(column, columns, end);
    Duration longest(-1);
    for (bool more = true; more;) {
      more = next < lane.turns.size() && lane.turns[next].at < to;
      const TrueTime until = more ? std::max(lane.turns[next].at, since) : to;
      if (until - since > longest) {
        longest = until - since;
        cells[column] = state;
      }
      if (more) {
        since = until;
        state = lane.turns[next++].state;
      }
    }
  }
  return cells;
}

std::string LaneView::draw(const Scenario& scenario, TrueTime end, int width,
                           std::size_t most) const {
  constexpr int kLeastWidth = 40;
  std::size_t label = 4;
  for (const Band& band : bands_) label = std::max(label, band.name.size());
  const std::size_t columns =
      static_cast<std::size_t>(std::max(width, kLeastWidth)) - std::min<std::size_t>(label + 1, 30);

  std::string text = labelled("", label, ruler(scenario, end, columns));
  const std::size_t shown = std::min(lanes_.size(), most);
  for (std::size_t w = 0; w < shown; ++w) {
    text += labelled(worker_name(static_cast<WorkerId>(w)), label, cells(lanes_[w], end, columns));
  }
  if (shown < lanes_.size()) {
    text += labelled("", label, fmt::format("and {} more", lanes_.size() - shown));
  }
  for (const Band& band : bands_) {
    const std::size_t from = column_of(band.from, columns, end);
    const std::size_t to = column_of(std::min(band.to, end), columns, end);
    const bool is_moment = band.from == band.to;
    text += labelled(band.name, label,
                     std::string(from, ' ') + (is_moment ? "^" : std::string(to - from + 1, '=')));
  }
  return text + labelled("", label, "a digit: the index held   . no lease   ~ stalled");
}

}  // namespace nandi::sim::cli
