#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "doctor/doctor.h"
#include "nandi/engine/bounds.h"
#include "nandi/engine/redis/redis_reply.h"
#include "trial_registration.h"

namespace nandi::tools {
namespace {

constexpr int kTrials = 21;
constexpr std::chrono::milliseconds kBetween{25};
constexpr std::int64_t kPerMicrosecond = 1000;

void report_refusal(Examination& examination, const std::string& text) {
  DoctorReport& report = examination.report;
  // These say more than the refusal that follows from them.
  for (const char* reason : {"acl", "replica", "cluster-down", "slot-moving"}) {
    if (report.has(reason)) return;
  }
  if (text.find("undeclared key") != std::string::npos) {
    report.error("undeclared-keys", fmt::format("the script is refused: {}", text),
                 "The script takes the interval from the server's clock, so that it can name its "
                 "counters only while it runs.",
                 "Allow it: Dragonfly has --default_lua_flags=allow-undeclared-keys.");
    return;
  }
  if (text.find("non deterministic") != std::string::npos) {
    if (report.has("version")) return;
    report.error("version", fmt::format("the script is refused: {}", text),
                 "Before Redis 5 a script that has read the clock may not write.",
                 "Use Redis 5 or later, or Valkey.");
    return;
  }
  const Refusal refusal = classify_error(text);
  if (refusal.failure.error == ErrorClass::oom) {
    report.error("memory", "the registration is refused: the server has no memory left (OOM)",
                 "The whole group stands down until there is.",
                 "Raise maxmemory, or move other data elsewhere. A group needs some 200 bytes.");
    return;
  }
  report.error("script",
               fmt::format("the registration is refused ({}): {}",
                           nandi::to_string(refusal.failure.error), refusal.failure.detail),
               "Every worker is idle for as long as that lasts.",
               "See that the server runs scripts; EVAL and EVALSHA must not be renamed.");
}

void check_clock(Examination& examination, const std::vector<Trial>& trials) {
  const Trial& first = trials.front();
  const Trial& last = trials.back();
  const Duration shown = last.at - first.at;
  const Duration least = last.sent - first.clock_read_by;
  const Duration most = last.clock_read_by - first.sent;
  const Fraction drift = examination.timing.drift;
  const std::string figures =
      fmt::format("the server's clock went on by {} us in {} to {} us", shown.count() / 1000,
                  least.count() / 1000, most.count() / 1000);
  if (shown == Duration(0) && least > Duration(0)) {
    examination.report.error("clock-frozen", figures,
                             "No interval ever closes: no worker is ever given a pair.",
                             "Restart the server, and see what keeps its clock.");
    return;
  }
  const Duration slack(kPerMicrosecond);  // readings of whole microseconds
  if (shown + slack >= least - multiply_ceil(least, drift) &&
      shown - slack <= most + multiply_ceil(most, drift)) {
    return;
  }
  examination.report.error(
      "clock-rate",
      fmt::format("{}, more than the drift bound of {} apart", figures, nandi::to_string(drift)),
      "Leases are timed by both clocks: they overlap, or end early.",
      "Let a time daemon keep the server's clock, and see that nothing steps it.");
}

std::string in_ms(Duration duration) {
  return fmt::format("{:.2f} ms", static_cast<double>(duration.count()) / 1e6);
}

void check_round_trip(Examination& examination, const std::vector<Trial>& trials) {
  std::vector<Duration> trips;
  for (const Trial& trial : trials) trips.push_back(trial.received - trial.sent);
  std::sort(trips.begin(), trips.end());
  const Duration median = trips[trips.size() / 2];
  const Duration worst = trips.back();
  DoctorReport& report = examination.report;
  report.fact("round trip",
              fmt::format("{} median, {} worst of {}", in_ms(median), in_ms(worst), trips.size()));
  const LeaseTiming& timing = examination.timing;
  const Duration gap = gap_margin(timing);
  const Duration slack = renewal_slack(timing);
  const Duration retry = retry_delay(timing, 1);
  report.fact("renewal",
              fmt::format("two round trips take {} at worst, and there are {} for them "
                          "(gap {}, clock resolution {})",
                          in_ms(worst * 2), in_ms(slack), in_ms(gap), in_ms(timing.resolution)));
  report.fact("retry", fmt::format("after a refusal {} + two round trips of {}, of {}",
                                   in_ms(retry), in_ms(median), in_ms(slack)));
  if (!examination.request.has_group) return;
  const std::string sum = fmt::format(
      "two round trips of {} are {}, of the {} that a gap of {} "
      "leaves for them",
      in_ms(median), in_ms(median * 2), in_ms(slack), in_ms(gap));
  const std::string advice =
      "Use a longer interval: --interval such that a gap of it is well above two round trips.";
  if (median * 2 >= slack) {
    report.error("round-trip", sum, "No lease outlives a renewal.", advice);
  } else if (worst * 2 >= slack) {
    report.warning("round-trip",
                   fmt::format("the worst round trip of {} was {}; two of these are more than the "
                               "{} that a gap of {} leaves for them",
                               trips.size(), in_ms(worst), in_ms(slack), in_ms(gap)),
                   "Each of these costs a worker its lease.", advice);
  } else if (!report.has("gap") && retry + median * 2 >= slack) {
    report.warning("retry",
                   fmt::format("the first retry leaves {} after a failed registration; with two "
                               "round trips of {} that is more than the {} that a gap of {} leaves",
                               in_ms(retry), in_ms(median), in_ms(slack), in_ms(gap)),
                   "One refused registration costs the lease.",
                   "Use a longer interval or a wider --gap.");
  }
}

/// For people: nothing of a lease depends on this machine's wall clock.
void note_wall_clock(Examination& examination, const Trial& trial) {
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  const LocalTime now = BootClock{}.now();
  const std::int64_t wall_us =
      wall.tv_sec * std::int64_t{1'000'000} + wall.tv_nsec / kPerMicrosecond;
  const std::int64_t server_us = trial.at.count() / kPerMicrosecond;
  const std::int64_t sent_us = wall_us - (now - trial.sent).count() / kPerMicrosecond;
  const std::int64_t read_us = wall_us - (now - trial.clock_read_by).count() / kPerMicrosecond;
  examination.report.fact(
      "clock",
      fmt::format("between {} us and {} us ahead of this machine's; no lease depends on it",
                  server_us - read_us, server_us - sent_us));
}

}  // namespace

void check_registration(Examination& examination) {
  TrialGroup group(examination.session, examination.group, "doctor");
  std::vector<Trial> trials;
  for (int i = 0; i < kTrials; ++i) {
    auto tried = group.once();
    if (const auto* refused = std::get_if<Refused>(&tried)) {
      report_refusal(examination, refused->text);
      return;
    }
    trials.push_back(std::get<Trial>(tried));
    std::this_thread::sleep_for(kBetween);
  }
  check_clock(examination, trials);
  check_round_trip(examination, trials);
  note_wall_clock(examination, trials.back());
}

}  // namespace nandi::tools
