// The answer of a run or of a check, shared by simulator and checker.
//
// Three-valued: a bound that was reached, an interruption or a vacuous run is `unknown`, never a
// pass. A verdict is always shown together with its evidence; the exit status of a tool states it.
#pragma once

#include <string_view>

namespace nandi::sim {

enum class Verdict {
  holds,
  violated,
  unknown,
};

constexpr std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "holds";
    case Verdict::violated: return "violated";
    case Verdict::unknown: break;
  }
  return "unknown";
}

// The exit status of a process that ends with this verdict: 0, 1 or 2.
constexpr int exit_status(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return 0;
    case Verdict::violated: return 1;
    case Verdict::unknown: break;
  }
  return 2;
}

}  // namespace nandi::sim
