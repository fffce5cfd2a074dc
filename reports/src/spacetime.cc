// The diagram around a focus: two workers, the store between them, messages as arrows.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "charts.h"
#include "nandi/sim/property.h"
#include "narrative.h"
#include "svg.h"

namespace nandi::reports {
namespace {

constexpr double kLeft = 70;
constexpr double kWidth = 800;  ///< narrower than other charts: a story may stand beside it
constexpr double kRight = kWidth - 10;
constexpr double kFirst = 46;    ///< top of the first worker's bar
constexpr double kStore = 160;   ///< the store's line
constexpr double kSecond = 246;  ///< top of the second worker's bar
constexpr double kBar = 26;
constexpr double kHeight = 320;

class Diagram {
 public:
  explicit Diagram(const Timeline& timeline) : timeline_(timeline), focus_(*timeline.focus) {
    // Long enough before to see both registrations that a lease rests on.
    from_ = std::max<std::int64_t>(focus_.at - 3 * timeline.interval - timeline.interval / 4, 0);
    to_ = std::min(focus_.at + timeline.interval + timeline.interval / 4, timeline.end);
    if (to_ <= from_) to_ = from_ + 1;
  }

  std::string draw() {
    body_ += columns();
    const sim::WorkerId later = focus_.workers.front();
    const bool are_two = focus_.workers.size() > 1;
    const sim::WorkerId earlier = are_two ? focus_.workers[1] : later;
    if (are_two) body_ += worker(earlier, kFirst, true);
    body_ += worker(later, kSecond, false);
    body_ += svg_line(kLeft, kStore, kRight, kStore, "ink");
    body_ += svg_text(4, kStore + 5, "bold", "store");
    if (are_two) body_ += between(earlier, later);
    const double at = x(focus_.at);
    const char* kind = focus_.is_violation ? "alarm" : "near";
    body_ += svg_line(at, 24, at, kHeight - 26, kind);
    const std::string moment = fmt::format("{}: {}", when_text(timeline_, focus_.at), focus_.text);
    const double half = text_width(moment) / 2;  // bold is a little wider: hence the room of 1.1
    const double middle =
        half * 2.2 < kWidth ? std::clamp(at, half * 1.1, kWidth - half * 1.1) : kWidth / 2;
    body_ += svg_text(middle, kHeight - 8, fmt::format("{}-text", kind), moment, "middle");
    return svg_frame(kHeight, description(), body_, kWidth);
  }

 private:
  [[nodiscard]] double x(std::int64_t at) const {
    const double share = static_cast<double>(at - from_) / static_cast<double>(to_ - from_);
    return kLeft + std::clamp(share, 0.0, 1.0) * (kRight - kLeft);
  }
  [[nodiscard]] bool is_visible(std::int64_t at) const { return at >= from_ && at <= to_; }
  [[nodiscard]] const Lane* lane(sim::WorkerId worker) const {
    const auto found = std::find_if(timeline_.lanes.begin(), timeline_.lanes.end(),
                                    [&](const Lane& l) { return l.worker == worker; });
    return found == timeline_.lanes.end() ? nullptr : &*found;
  }

  std::string columns() const {
    std::string text;
    for (std::size_t c = 0; c < timeline_.columns.size(); ++c) {
      const auto [at, number] = timeline_.columns[c];
      const std::int64_t next =
          c + 1 < timeline_.columns.size() ? timeline_.columns[c + 1].first : timeline_.end;
      if (next <= from_ || at >= to_) continue;
      if (number % 2 == 0) text += svg_rect(x(at), 20, x(next) - x(at), kHeight - 46, "column");
      if (is_visible(at)) text += svg_line(x(at), 20, x(at), kHeight - 26, "axis");
      if (x(next) - x(at) > 70) {
        text += svg_text(x(at) + 4, 14, "muted", fmt::format("interval {}", number));
      }
    }
    return text;
  }

  std::string worker(sim::WorkerId id, double top, bool is_above) {
    const Lane* shown = lane(id);
    if (shown == nullptr) return "";
    std::string text =
        svg_text(4, top + 18, focus_.is_violation ? "alarm-text" : "near-text", shown->name);
    for (const LanePart& part : shown->parts) {
      if (part.to < from_ || part.from > to_) continue;
      text += lane_part(part, top, is_above);
    }
    const double edge = is_above ? top + kBar : top;
    for (const Message& message : timeline_.messages) {
      if (message.worker == id) text += arrows(message, edge, is_above);
    }
    return text;
  }

  std::string lane_part(const LanePart& part, double top, bool is_above) const {
    const double width = x(part.to) - x(part.from);
    if (part.state == LaneState::holds) {
      std::string text = svg_rect(x(part.from), top, std::max(width, 1.0), kBar,
                                  fmt::format("holding tone{}", part.pair.index % 8 + 1));
      if (width > 44) {
        text +=
            svg_text(x(part.from) + 5, top + 18, "bold",
                     width > 120 ? fmt::format("holds {} of {}", part.pair.index, part.pair.count)
                                 : sim::pair_text(part.pair));
      }
      return text;
    }
    std::string text = part.state == LaneState::stalled
                           ? svg_rect(x(part.from), top, std::max(width, 1.0), kBar, "stalled")
                           : svg_rect(x(part.from), top + 11, std::max(width, 1.0), 3, "idle");
    if (!part.cause.empty() && width > static_cast<double>(part.cause.size()) * 6.6) {
      text += svg_text(x(part.from) + 4, is_above ? top - 4 : top + kBar + 13, "muted", part.cause);
    }
    return text;
  }

  std::string arrows(const Message& m, double edge, bool is_above) {
    std::string text;
    const std::string_view lost = m.ghost || m.lost ? "message lost" : "message";
    if (m.sent && m.executed && (is_visible(*m.sent) || is_visible(*m.executed))) {
      text += arrow(*m.sent, edge, *m.executed, kStore, lost);
    } else if (m.sent && m.lost && is_visible(*m.sent)) {
      text += arrow(*m.sent, edge, *m.lost, (edge + kStore) / 2, "message lost");
      text += svg_text(x(*m.lost) + 3, (edge + kStore) / 2, "alarm-text", "lost");
    }
    if (!m.executed || !is_visible(*m.executed)) return text;
    if (m.delivered) text += arrow(*m.executed, kStore, *m.delivered, edge, "message");
    const double at = x(*m.executed);
    text += m.ghost ? fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" class=\"ghost\"/>\n",
                                  at, kStore)
                    : fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" class=\"solid\"/>\n",
                                  at, kStore);
    const std::string previous = m.previous ? fmt::format("{}", *m.previous) : "none";
    const std::string what = m.ghost ? fmt::format("ghost, index {}", m.index)
                                     : fmt::format("index {} after {}", m.index, previous);
    return text + label(at, what, is_above);
  }

  /// Beside its point on the store's line, in the first row where no earlier label stands.
  std::string label(double at, const std::string& what, bool is_above) {
    const double width = text_width(what);
    const bool is_right = at + 6 + width > kRight;
    const double from = is_right ? at - 6 - width : at + 6;
    std::array<double, kLabelRows>& taken = taken_[is_above ? 0 : 1];
    std::size_t row = 0;
    while (row + 1 < kLabelRows && taken[row] > from) ++row;
    taken[row] = std::max(taken[row], from + width + 4);
    const double away = 17 * static_cast<double>(row);
    const double y = is_above ? kStore - 7 - away : kStore + 16 + away;
    return svg_text(is_right ? at - 6 : at + 6, y, "halo", what, is_right ? "end" : "start");
  }

  std::string arrow(std::int64_t from, double y1, std::int64_t to, double y2,
                    std::string_view classes) const {
    const double end = x(to);
    const double head = y2 > y1 ? -7 : 7;
    return svg_line(x(from), y1, end, y2, classes) +
           fmt::format("<path d=\"M{:.1f} {:.1f}l-3.5 {}h7z\" class=\"solid\"/>\n", end, y2, head);
  }

  /// Where both hold the same index; or, without an overlap, how far apart their leases are.
  std::string between(sim::WorkerId earlier, sim::WorkerId later) const {
    const Lane* a = lane(earlier);
    const Lane* b = lane(later);
    if (a == nullptr || b == nullptr) return "";
    std::string text;
    for (const LanePart& p : a->parts) {
      for (const LanePart& q : b->parts) {
        if (p.state != LaneState::holds || q.state != LaneState::holds) continue;
        const std::int64_t from = std::max(p.from, q.from);
        const std::int64_t to = std::min(p.to, q.to);
        const bool is_shared = p.pair.index == q.pair.index || p.pair.count != q.pair.count;
        if (focus_.is_violation && is_shared && from < to && to > from_ && from < to_) {
          text += svg_rect(x(from), kFirst - 6, std::max(x(to) - x(from), 2.0),
                           kSecond + kBar + 12 - kFirst, "overlap", "both hold at once");
        }
        if (!focus_.is_violation && p.pair.index == q.pair.index && q.from == focus_.at &&
            p.to <= q.from && is_visible(p.to)) {
          constexpr double kMeasure = kFirst + kBar + 22;
          text += svg_line(x(p.to), kFirst, x(p.to), kMeasure + 4, "near");
          text += svg_line(x(p.to), kMeasure, x(q.from), kMeasure, "near");
          const std::string apart = length_text(timeline_, q.from - p.to) + " apart";
          const bool fits = x(q.from) - x(p.to) > text_width(apart) * 1.2;
          text += svg_text(fits ? (x(p.to) + x(q.from)) / 2 : x(p.to) - 6, kMeasure - 6,
                           "near-text halo", apart, fits ? "middle" : "end");
        }
      }
    }
    return text;
  }

  std::string description() const {
    std::string text = fmt::format("Spacetime diagram around {}: {}.",
                                   when_text(timeline_, focus_.at), focus_.text);
    return text + " The table of leases and the story have the same in words.";
  }

  const Timeline& timeline_;
  const Focus& focus_;
  std::int64_t from_ = 0;
  std::int64_t to_ = 0;
  std::string body_;
  static constexpr std::size_t kLabelRows = 3;
  std::array<std::array<double, kLabelRows>, 2> taken_{};  ///< above and below the store's line
};

}  // namespace

std::string spacetime_svg(const Timeline& timeline) {
  if (!timeline.focus || timeline.focus->workers.empty()) return "";
  return Diagram(timeline).draw();
}

}  // namespace nandi::reports
