#include "trial_registration.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <charconv>
#include <optional>
#include <vector>

#include "nandi/engine/script.h"

namespace nandi::tools {
namespace {

constexpr const char* kIntervalMs = "1000";

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// TIME's reply: seconds and microseconds.
std::optional<StoreTime> time_in(const Reply& reply) {
  if (reply.elements.size() != 2) return std::nullopt;
  const auto seconds = number_in(reply.elements[0].text);
  const auto micros = number_in(reply.elements[1].text);
  constexpr std::int64_t kMostSeconds = 9'000'000'000;
  if (!seconds || !micros || *seconds < 0 || *seconds > kMostSeconds) return std::nullopt;
  return StoreTime(*seconds * kNanosecondsPerSecond + *micros * 1000);
}

}  // namespace

TrialGroup::TrialGroup(RedisSession& session, const Options& group, const std::string& label)
    : session_(session) {
  std::uint32_t bits = 0;
  [[maybe_unused]] const auto read = getrandom(&bits, sizeof bits, 0);
  key_ = fmt::format("{}:{}-{:08x}", group_key(group), label, bits);
}

std::variant<Trial, Refused> TrialGroup::once() {
  const std::vector<Words> questions{
      {"EVALSHA", std::string(kRegistrationScriptSha1), "1", key_, kIntervalMs}, {"TIME"}};
  auto result = session_.ask(questions);
  if (auto* answered = std::get_if<Answered>(&result);
      answered != nullptr && answered->replies[0].text.starts_with("NOSCRIPT")) {
    const Reply loaded =
        session_.ask({"EVAL", std::string(kRegistrationScript), "1", key_, kIntervalMs});
    if (loaded.is_error()) return Refused{loaded.text};
    result = session_.ask(questions);
  }
  if (const auto* failure = std::get_if<Failure>(&result)) return Refused{failure->detail, true};
  const Answered& answered = std::get<Answered>(result);
  for (const Reply& reply : answered.replies) {
    if (reply.is_error()) return Refused{reply.text};
  }
  const auto at = time_in(answered.replies[1]);
  if (answered.replies[0].elements.size() != 4 || !at) {
    return Refused{"ERR the reply is not what the script or TIME returns"};
  }
  return Trial{answered.sent, answered.received[0], answered.received[1], *at};
}

}  // namespace nandi::tools
