// What a timeline says in words and tables: who owned what, when and why the group stood down.
#pragma once

#include <string>
#include <vector>

#include "nandi/reports/report.h"

namespace nandi::reports {

/// When an event or a change was: "12.345 s" or "interval 3, tick 2".
[[nodiscard]] std::string when_text(const Timeline& timeline, std::int64_t at);
/// A stretch of time, with intervals where that helps: "5.02 s (1.00 I)".
[[nodiscard]] std::string length_text(const Timeline& timeline, std::int64_t length);

/// One sentence for each time at which workers stood down, those within an interval together.
[[nodiscard]] std::vector<std::string> stand_down_sentences(const Timeline& timeline);

/// What is worth telling of the focus's workers in the intervals before it.
[[nodiscard]] std::vector<StoryLine> story_of(const Timeline& timeline);

/// A row for each lease: whose, which pair, from when until when, and why it ended.
[[nodiscard]] Section ownership_section(const Timeline& timeline);

}  // namespace nandi::reports
