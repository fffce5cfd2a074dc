#include "doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "nandi/engine/redis/redis_reply.h"
#include "nandi/sim/keyspace/hash_slot.h"

namespace nandi::tools {
namespace {

constexpr std::chrono::milliseconds kPatience{5000};

/// A group with the request's rights that the server can be tried with, whatever is wrong with the
/// request's own.
Options usable_group(const DoctorRequest& request) {
  const auto problems = check(request.group);
  const auto is_wrong = [&](std::string_view option) {
    return std::any_of(problems.begin(), problems.end(), [&](const OptionProblem& problem) {
      return problem.severity == OptionProblem::Severity::error && problem.option == option;
    });
  };
  const Options usual;
  Options group = request.group;
  if (is_wrong("name")) group.name = "nandi-doctor";
  if (is_wrong("prefix")) group.prefix.clear();
  if (is_wrong("interval")) group.interval = std::chrono::seconds(5);
  if (is_wrong("gap")) group.gap = usual.gap;
  if (is_wrong("attempt_timeout")) group.attempt_timeout.reset();
  if (is_wrong("drift_bound")) group.drift_bound = usual.drift_bound;
  return group;
}

/// "MOVED 5061 127.0.0.1:6381": the address; empty for anything else.
std::string moved_to(const Reply& reply) {
  if (!reply.is_error() || !reply.text.starts_with("MOVED ")) return {};
  const std::size_t blank = reply.text.rfind(' ');
  return reply.text.substr(blank + 1);
}

DoctorReport examine_at(const DoctorRequest& request, bool may_move);

/// The examination of the node at `location` ("host:port"; no host: the same as before).
DoctorReport examine_node(DoctorRequest request, const std::string& location) {
  const std::size_t colon = location.rfind(':');
  const std::int64_t port = number_of(location.substr(colon + 1), 0);
  if (colon > 0 && colon != std::string::npos) request.redis.url.host = location.substr(0, colon);
  request.redis.url.port = static_cast<std::uint16_t>(port);
  request.redis.url.path.clear();
  request.redis.url.kind = RedisKind::server;
  DoctorReport report = examine_at(request, false);
  report.fact("node", fmt::format("{} serves the group's hash slot", location));
  return report;
}

bool was_reached(const std::optional<Failure>& failure, DoctorReport& report) {
  if (!failure) return true;
  if (failure->error != ErrorClass::noauth) {
    report.unreachable = failure;
    return false;
  }
  report.error("login", failure->detail, "Without a login no registration is answered.",
               "Put user and password into the URL, or the password into NANDI_REDIS_PASSWORD.");
  return false;
}

DoctorReport examine_at(const DoctorRequest& request, bool may_move) {
  DoctorReport report;
  report.server = address_of(request.redis.url);
  RedisSession session(request.redis, kPatience);
  if (!was_reached(session.connect(), report)) return report;
  check_options(request, report);
  Examination examination{request, session, report, usable_group(request), {}, {}};
  examination.timing = timing_of(examination.group);
  const std::string key = group_key(examination.group);
  const std::string location = moved_to(session.ask({"GET", key + ":0"}));
  if (!location.empty() && may_move) return examine_node(request, location);
  const Reply info = session.ask({"INFO"});
  if (info.is_error()) {
    report.unknown("info", fmt::format("INFO is refused: {}", info.text),
                   "Kind and version, eviction, persistence, replication and cluster mode are not "
                   "known.",
                   "Run this once as a user that may, with +info +config|get +cluster +scan "
                   "+pttl; workers need none of these.");
  }
  examination.info = parse_info(info.text);
  if (info.is_error()) examination.info.clear();
  report.fact("key", fmt::format("{}:N, hash slot {}", key, sim::key_slot(key)));
  report.fact("acl", acl_rules(examination.group, request.redis.url));
  check_kind(examination);
  check_access(examination);
  check_replication(examination);
  check_cluster(examination);
  check_registration(examination);
  check_memory(examination);
  check_persistence(examination);
  check_clients(examination);
  check_keys(examination);
  return report;
}

}  // namespace

std::string Examination::known(std::string_view name) const {
  const auto found = info.find(name);
  return found == info.end() ? std::string() : found->second;
}

std::map<std::string, std::string, std::less<>> parse_info(std::string_view text) {
  std::map<std::string, std::string, std::less<>> info;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.starts_with('#')) continue;
    info.emplace(line.substr(0, colon), line.substr(colon + 1));
  }
  return info;
}

std::int64_t number_of(std::string_view text, std::int64_t otherwise) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && number >= 0 ? number : otherwise;
}

DoctorReport examine(const DoctorRequest& request) { return examine_at(request, true); }

}  // namespace nandi::tools
