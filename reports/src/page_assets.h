// The page's own style, script and patterns, built in (reports/src/page/).
#pragma once

#include <string_view>

namespace nandi::reports {

extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
extern const std::string_view kPagePatterns;

}  // namespace nandi::reports
