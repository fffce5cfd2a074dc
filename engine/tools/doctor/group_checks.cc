#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "doctor/doctor.h"
#include "nandi/sim/keyspace/hash_slot.h"

namespace nandi::tools {
namespace {

constexpr std::int64_t kScanSeconds = 2;

struct Found {
  std::vector<std::int64_t> intervals;  ///< numbers of the counters there are
  std::string refused;                  ///< the server's words; empty: all were seen
};

void keep_counters(const Reply& keys, const std::string& prefix, Found& found) {
  for (const Reply& key : keys.elements) {
    if (!key.text.starts_with(prefix)) continue;
    const std::int64_t number = number_of(std::string_view(key.text).substr(prefix.size()), -1);
    if (number > 0) found.intervals.push_back(number);  // 0 is the doctor's own
  }
}

/// All keys of the hash slot in a cluster; elsewhere a scan of the database, not for ever.
Found find_counters(Examination& examination, const std::string& prefix) {
  Found found;
  RedisSession& session = examination.session;
  if (examination.known("cluster_enabled") == "1") {
    const std::string slot = std::to_string(sim::key_slot(prefix));
    const Reply keys = session.ask({"CLUSTER", "GETKEYSINSLOT", slot, "4000"});
    if (keys.is_error()) found.refused = keys.text;
    keep_counters(keys, prefix, found);
    return found;
  }
  const BootClock clock;
  const LocalTime end = clock.now() + Duration(kScanSeconds * kNanosecondsPerSecond);
  std::string cursor = "0";
  do {
    const Reply reply =
        session.ask({"SCAN", cursor, "MATCH", glob_literal(prefix) + "*", "COUNT", "1000"});
    if (reply.is_error() || reply.elements.size() != 2) {
      found.refused = reply.text;
      return found;
    }
    cursor = reply.elements[0].text;
    keep_counters(reply.elements[1], prefix, found);
    if (cursor != "0" && clock.now() >= end) {
      found.refused = fmt::format("not all keys were seen within {} s", kScanSeconds);
      return found;
    }
  } while (cursor != "0");
  return found;
}

/// Whether the counter will go away by itself: one that does not was not left by a worker.
bool expires(Examination& examination, const std::string& key) {
  const Reply reply = examination.session.ask({"PTTL", key});
  return reply.is_error() || reply.integer > 0;
}

void check_intervals(Examination& examination, const Found& found, const std::string& prefix,
                     std::int64_t now_ms) {
  const std::int64_t ours = interval_ms(examination.group);
  const std::int64_t current = now_ms / ours;
  // A counter lives for three intervals from its last registration.
  constexpr std::int64_t kKept = 4;
  std::map<std::int64_t, std::int64_t> others;  // by their interval in ms: a counter's number
  for (const std::int64_t number : found.intervals) {
    if (number >= current - kKept && number <= current + 1) continue;
    if (!expires(examination, prefix + std::to_string(number))) continue;
    others.emplace((now_ms + number / 2) / number, number);
  }
  if (others.empty()) return;
  const auto [interval, number] = *others.begin();
  examination.report.error(
      "two-intervals",
      fmt::format("{}{} is no counter of intervals of {} ms (now number {}), but of about {} ms",
                  prefix, number, ours, current, interval),
      "Workers with different intervals count in different counters: they are two groups that both "
      "own every task.",
      "Give all workers of the group the same --interval; when it is changed, stop all of them "
      "first.");
}

void check_contents(Examination& examination, const std::string& prefix, std::int64_t now_ms) {
  const std::int64_t current = now_ms / interval_ms(examination.group);
  for (const std::int64_t number : {current - 1, current, current + 1}) {
    const Reply value = examination.session.ask({"GET", prefix + std::to_string(number)});
    if (value.type == RespType::null) continue;
    const bool is_wrong_type = value.is_error() && value.text.starts_with("WRONGTYPE");
    if (value.is_error() && !is_wrong_type) continue;  // the access check says more
    const std::int64_t count = number_of(value.text, -1);
    if (!is_wrong_type && count >= 1 && count <= std::int64_t{kMaxCount}) continue;
    examination.report.error("key-content",
                             fmt::format("{}{} holds something that is no counter", prefix, number),
                             "Registrations in that interval are refused, or their replies are.",
                             "Use another name or prefix; something else writes to these keys.");
    return;
  }
}

}  // namespace

void check_options(const DoctorRequest& request, DoctorReport& report) {
  for (const OptionProblem& problem : check(request.group)) {
    std::string why = "nandi-worker refuses to start with it.";
    std::string advice = "Change the option; what was found says what would do.";
    const std::string text = fmt::format("{}: {}", problem.option, problem.text);
    if (problem.option == "name" || problem.option == "prefix") {
      const std::string key = group_key(request.group);
      const sim::HashedPart hashed = sim::hashed_part(key);
      why = fmt::format(
          "A Redis Cluster hashes of {}:N only \"{}\" (the first pair of braces that "
          "is not empty, or else the whole key).",
          key, hashed.text);
    }
    if (problem.severity == OptionProblem::Severity::warning) {
      why = "A worker runs with it, but not well.";
      report.warning(std::string(problem.option), text, why, advice);
    } else {
      report.error(std::string(problem.option), text, why, advice);
    }
  }
}

void check_keys(Examination& examination) {
  const bool is_wrong = examination.report.has("name") || examination.report.has("prefix") ||
                        examination.report.has("interval");
  if (!examination.request.has_group || is_wrong) return;
  const Reply time = examination.session.ask({"TIME"});
  if (time.elements.size() != 2) return;  // the access check says more
  const std::int64_t now_ms =
      number_of(time.elements[0].text, 0) * 1000 + number_of(time.elements[1].text, 0) / 1000;
  const std::string prefix = group_key(examination.group) + ":";
  check_contents(examination, prefix, now_ms);
  const Found found = find_counters(examination, prefix);
  check_intervals(examination, found, prefix, now_ms);
  if (!found.refused.empty()) {
    examination.report.unknown(
        "keys", fmt::format("the group's keys were not all listed: {}", found.refused),
        "Whether other workers use the name with another interval is not known.",
        "Run this once as a user with +scan +pttl (in a cluster: +cluster +pttl).");
  }
}

}  // namespace nandi::tools
