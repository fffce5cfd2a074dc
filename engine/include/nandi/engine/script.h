// The registration: one server-side script, and how its reply is read.
//
// It is the whole wire format, compatible with the npm package n-and-i at the level of keys and
// counters (README.md, "The protocol").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "nandi/engine/tick.h"
#include "nandi/engine/time.h"

namespace nandi {

/// KEYS[1]: group_key(), the only declared key. ARGV[1]: the interval in milliseconds.
/// Returns {N, raw count of N, count of N-1, now_ms}: integers, except that the count of N-1 is
/// the string that the key holds, or nil (Lua's false: a nil bulk, which does not cut the array
/// short) when there is no such key.
///
/// The interval comes from the server's clock, so that every member counts in the same one. Lua
/// 5.1 counts in doubles: a quotient of integers below 2^53 is rounded down correctly, and %.0f
/// prints such an integer in full, where tostring() would stop after 14 digits.
inline constexpr std::string_view kRegistrationScript =
    R"(local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local interval = tonumber(ARGV[1])
local n = math.floor(now / interval)
local key = KEYS[1] .. string.format(':%.0f', n)
local count = redis.call('INCR', key)
redis.call('PEXPIRE', key, string.format('%.0f', 3 * interval))
local previous = redis.call('GET', KEYS[1] .. string.format(':%.0f', n - 1))
return {n, count, previous, now}
)";

/// What EVALSHA names the script by: the SHA1 of its text, in lower-case hexadecimal.
inline constexpr std::string_view kRegistrationScriptSha1 =
    "a21c5eb8dd26c923830176a2a3c913f0cf905f53";

/// The four values of a reply, already of the right types.
struct RegistrationReply {
  std::int64_t interval = 0;
  std::int64_t count = 0;
  std::optional<std::int64_t> previous_count;
  std::int64_t now_ms = 0;
};

/// Checks a reply against what the script can return and turns it into a tick in nanoseconds; or
/// says what is wrong with it (ErrorClass::bad_reply). Refused: a clock outside [0, 2^53) ms,
/// where Lua's arithmetic is no longer exact, or past what 64-bit nanoseconds hold; an interval
/// that is not floor(now / interval); counters below 1 or above kMaxCount.
/// Precondition: interval_ms > 0.
[[nodiscard]] std::variant<Tick, std::string> tick_of(const RegistrationReply& reply,
                                                      std::int64_t interval_ms);

}  // namespace nandi
