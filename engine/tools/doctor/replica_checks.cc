#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "doctor/doctor.h"

namespace nandi::tools {
namespace {

/// What the server's clock shows less what this machine's boot clock shows, in microseconds.
struct Offset {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

std::optional<Offset> offset_of(RedisSession& session) {
  constexpr int kSamples = 5;
  constexpr std::int64_t kPerMicrosecond = 1000;
  const Words question{"TIME"};
  std::optional<Offset> offset;
  for (int i = 0; i < kSamples; ++i) {
    const auto result = session.ask(std::span<const Words>(&question, 1));
    const auto* answered = std::get_if<Answered>(&result);
    if (answered == nullptr || answered->replies.front().elements.size() != 2) return std::nullopt;
    const auto& parts = answered->replies.front().elements;
    const std::int64_t at = number_of(parts[0].text, 0) * 1'000'000 + number_of(parts[1].text, 0);
    const std::int64_t least = at - answered->received.front().count() / kPerMicrosecond - 1;
    const std::int64_t most = at + 1 - answered->sent.count() / kPerMicrosecond;
    if (!offset) offset = Offset{least, most};
    offset = Offset{std::max(offset->least, least), std::min(offset->most, most)};
  }
  return offset;
}

struct Replica {
  std::string host;
  std::uint16_t port = 0;
  std::string state;
  std::int64_t lag_s = 0;
};

/// "ip=10.0.0.7,port=6380,state=online,offset=14,lag=0"
Replica replica_of(std::string_view text) {
  Replica replica;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    if (name == "ip") replica.host = value;
    if (name == "port") replica.port = static_cast<std::uint16_t>(number_of(value, 0));
    if (name == "state") replica.state = value;
    if (name == "lag") replica.lag_s = number_of(value, 0);
  }
  return replica;
}

void check_lag(Examination& examination, const Replica& replica) {
  // An idle primary hears from its replicas once a second.
  const Duration margin = gap_margin(examination.timing);
  const std::int64_t allowed_s = 1 + margin.count() / kNanosecondsPerSecond + 1;
  if (replica.state == "online" && replica.lag_s <= allowed_s) return;
  examination.report.warning(
      "replica-lag",
      fmt::format("replica {}:{} is {} and was last heard of {} s ago", replica.host, replica.port,
                  replica.state, replica.lag_s),
      "A failover to a replica that lacks the last registrations counts them again: an index is "
      "given out twice.",
      "Bring the replica up to date, or keep it from being promoted (replica-priority 0).");
}

void check_clock_of(Examination& examination, const Replica& replica) {
  RedisOptions options = examination.request.redis;
  options.url.path.clear();
  options.url.kind = RedisKind::server;
  options.url.host = replica.host;
  options.url.port = replica.port;
  constexpr std::chrono::milliseconds kPatience{1000};
  RedisSession session(options, kPatience);
  const std::string name = fmt::format("replica {}:{}", replica.host, replica.port);
  std::optional<Offset> theirs;
  if (!session.connect()) theirs = offset_of(session);
  const std::optional<Offset> ours = theirs ? offset_of(examination.session) : std::nullopt;
  if (!ours) {
    examination.report.fact(name, "its clock is not known: it cannot be reached from here");
    return;
  }
  const std::int64_t least = theirs->least - ours->most;
  const std::int64_t most = theirs->most - ours->least;
  const std::int64_t surely = least > 0 ? least : std::max<std::int64_t>(-most, 0);
  examination.report.fact(
      name, fmt::format("{}, its clock between {} us and {} us ahead of the primary's",
                        replica.state, least, most));
  constexpr std::int64_t kPerMicrosecond = 1000;
  const std::int64_t margin_us = gap_margin(examination.timing).count() / kPerMicrosecond;
  if (surely <= margin_us) return;
  examination.report.warning(
      "replica-clock",
      fmt::format("the clock of {} is at least {} us {} the primary's, more than the gap of {} us",
                  name, surely, least > 0 ? "ahead of" : "behind", margin_us),
      "A failover would step the group's clock by that much while leases are in force: intervals "
      "are skipped or come twice.",
      "Let a time daemon (chrony) keep the clocks of all servers.");
}

}  // namespace

void check_replication(Examination& examination) {
  const std::string role = examination.known("role");
  if (role == "slave") {
    examination.report.error(
        "replica",
        fmt::format("this is a replica of {}:{}", examination.known("master_host"),
                    examination.known("master_port")),
        "A replica refuses every registration (READONLY).",
        "Name the primary, or a Sentinel that knows it.");
  }
  if (role != "master") return;
  const std::int64_t replicas = number_of(examination.known("connected_slaves"), 0);
  for (std::int64_t i = 0; i < replicas; ++i) {
    const Replica replica = replica_of(examination.known(fmt::format("slave{}", i)));
    if (replica.port == 0) continue;
    check_lag(examination, replica);
    if (replica.state == "online") check_clock_of(examination, replica);
  }
}

}  // namespace nandi::tools
