#include "nandi/engine/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace nandi {
namespace {

constexpr std::int64_t kMaxNowMs = [] {
  constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;
  // Room for the next two intervals, which a schedule looks ahead, of the longest kind.
  constexpr std::int64_t ahead_ms = 4 * std::int64_t{2'147'483'647};
  constexpr std::int64_t in_nanoseconds =
      std::numeric_limits<std::int64_t>::max() / kNanosecondsPerMillisecond - ahead_ms;
  return std::min(exact_in_double, in_nanoseconds);
}();

}  // namespace

std::variant<Tick, std::string> tick_of(const RegistrationReply& reply, std::int64_t interval_ms) {
  if (reply.now_ms < 0 || reply.now_ms >= kMaxNowMs) {
    return fmt::format("the server's clock shows {} ms, which is not between 0 and {}",
                       reply.now_ms, kMaxNowMs);
  }
  if (reply.interval != reply.now_ms / interval_ms) {
    return fmt::format("interval {} does not contain the server's time {} ms at {} ms an interval",
                       reply.interval, reply.now_ms, interval_ms);
  }
  if (reply.count < 1 || reply.count > kMaxCount) {
    return fmt::format("the counter of interval {} is {}, which no group of ours counts to",
                       reply.interval, reply.count);
  }
  if (reply.previous_count && (*reply.previous_count < 1 || *reply.previous_count > kMaxCount)) {
    return fmt::format("the counter of interval {} is {}, which no group of ours counts to",
                       reply.interval - 1, *reply.previous_count);
  }
  Tick tick;
  tick.interval = reply.interval;
  tick.index = static_cast<std::uint32_t>(reply.count - 1);
  if (reply.previous_count) {
    tick.previous_count = static_cast<std::uint32_t>(*reply.previous_count);
  }
  tick.at = StoreTime(reply.now_ms * kNanosecondsPerMillisecond);
  return tick;
}

}  // namespace nandi
