#include "probe/direction_split.h"

#include <algorithm>

namespace nandi::tools {

std::optional<Split> split_directions(std::span<const Trial> trials, std::size_t window) {
  constexpr std::int64_t kReading = 1000;  // the server shows whole microseconds, rounded down
  Split split;
  for (std::size_t begin = 0; begin < trials.size(); begin += window) {
    const auto part = trials.subspan(begin, std::min(window, trials.size() - begin));
    std::int64_t least = part.front().at.count() - part.front().clock_read_by.count();
    std::int64_t most = part.front().at.count() + kReading - part.front().sent.count();
    for (const Trial& trial : part) {
      least = std::max(least, trial.at.count() - trial.clock_read_by.count());
      most = std::min(most, trial.at.count() + kReading - trial.sent.count());
    }
    if (least > most) return std::nullopt;
    const std::int64_t offset = least + (most - least) / 2;
    split.known_to = std::max(split.known_to, Duration((most - least + 1) / 2));
    for (const Trial& trial : part) {
      const Duration round_trip = trial.received - trial.sent;
      const Duration request(trial.at.count() - trial.sent.count() - offset);
      split.requests.push_back(std::clamp(request, Duration(0), round_trip));
    }
  }
  return split;
}

}  // namespace nandi::tools
