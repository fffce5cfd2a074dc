// The HTML page of a report: one file that needs nothing else and asks for nothing.
//
// A pure function of the report: equal reports give equal bytes. Every text of a scenario is
// escaped; the page's own policy forbids it to load or to send anything.
#pragma once

#include <string>

#include "nandi/reports/report.h"

namespace nandi::reports {

[[nodiscard]] std::string html_page(const Report& report);

/// `text` with the characters that mean something to HTML written so that they mean themselves.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace nandi::reports
