// Predicted against real: the setting that is chosen for round trips of 4 ms, run by real workers
// on a real Redis behind proxies that delay either direction by 2 ms, for 200 intervals.
//
// Compared are the time from the start until everybody holds a pair with n = 3, which has to lie
// within what the seeds predict, to 0.2 of an interval at either end (fidelity_test.cc says where
// that comes from), and the leases lost in 200 settled intervals, of which the prediction is none.
// A run in which the machine added more than a tenth of an interval to a round trip did not have
// the latencies that were simulated, and is not compared.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "delay_proxy.h"
#include "nandi/engine/options.h"
#include "nandi/engine/redis/redis_store.h"
#include "nandi/engine/start_draw.h"
#include "nandi/engine/worker.h"
#include "nandi/sim/tune/tune.h"
#include "redis_server.h"
#include "tune/tune_measure.h"

namespace nandi::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kWorkers = 3;
constexpr int kIntervals = 200;

TuneRequest request_of_the_proxies() {
  TuneRequest request;
  request.request = ConstantDelay{Duration(2 * kNanosecondsPerMillisecond)};
  request.reply = request.request;
  request.intervals = {Duration(450 * kNanosecondsPerMillisecond),
                       Duration(900 * kNanosecondsPerMillisecond)};
  request.gaps = {Fraction(1, 4)};
  request.most_losses_per_day = Fraction(100, 1);
  return request;
}

struct Outcome {
  std::optional<double> ready;  ///< seconds
  int losses = 0;
  Duration noise{0};
};

class RealGroup {
 public:
  RealGroup(const test::RedisServer& server, const TuneSetting& setting) {
    options_.name = "tuned";
    options_.interval = std::chrono::nanoseconds(setting.interval.count());
    options_.gap = setting.gap;
    for (std::size_t number = 0; number < kWorkers; ++number) {
      Member& member = members_[number];
      member.proxy = std::make_unique<test::DelayProxy>(server.port());
      member.proxy->requests({.delay = 2ms});
      member.proxy->replies({.delay = 2ms});
      RedisOptions redis;
      redis.url.host = "127.0.0.1";
      redis.url.port = member.proxy->port();
      member.store = std::make_unique<RedisStore>(
          redis, RedisGroup{group_key(options_), interval_ms(options_)});
      member.worker = std::make_unique<nandi::Worker<BootClock, RedisStore>>(
          timing_of(options_), draw_start(options_, 20261201 + number), BootClock{}, *member.store,
          [this](const Diagnostic& d, const ReportContext& context) { note(d, context); });
    }
  }

  Outcome run() {
    const auto begin = Clock::now();
    const auto since = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    auto end = begin + 12 * options_.interval;
    while (Clock::now() < end) {
      step();
      if (outcome_.ready || !is_whole()) continue;
      outcome_.ready = since();
      end = Clock::now() + kIntervals * options_.interval;
    }
    return outcome_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Member {
    std::unique_ptr<test::DelayProxy> proxy;
    std::unique_ptr<RedisStore> store;
    std::unique_ptr<nandi::Worker<BootClock, RedisStore>> worker;
    std::optional<Pair> pair;
  };

  void note(const Diagnostic& d, const ReportContext& context) {
    if (d.code == DiagnosticCode::registration_failed) outcome_.noise = Duration::max();
    // The first registration of a worker makes the connection, too.
    if (d.code != DiagnosticCode::registration_completed || d.attempt == 1) return;
    constexpr Duration kProxies{4 * kNanosecondsPerMillisecond};
    outcome_.noise = std::max(
        outcome_.noise, context.reading->received - context.reading->sent - kProxies + context.lag);
  }

  [[nodiscard]] bool is_whole() const {
    return std::all_of(members_.begin(), members_.end(), [](const Member& member) {
      return member.pair && member.pair->count == kWorkers;
    });
  }

  void step() {
    std::vector<pollfd> polled;
    for (Member& member : members_) {
      member.worker->step();
      while (const auto next = member.worker->take()) {
        if (outcome_.ready && member.pair && !next->pair) ++outcome_.losses;
        member.pair = next->pair;
      }
      polled.push_back({member.worker->descriptor(), POLLIN, 0});
    }
    poll(polled.data(), polled.size(), 1);
  }

  Options options_;
  std::array<Member, kWorkers> members_;
  Outcome outcome_;
};

TEST(TuneFidelity, TheChosenSettingDoesOnARealRedisWhatWasPredicted) {
  NANDI_NEEDS_REDIS();
  const TuneRequest request = request_of_the_proxies();
  TuneOptions options;
  const TuneResult result = run_tune(request, options);
  ASSERT_TRUE(result.recommendation);
  const TuneSetting setting = result.cells[result.recommendation->cell].setting;
  const TuneMeasures& predicted = result.recommendation->validated;
  ASSERT_EQ(predicted.losses_per_day.value, 0);

  const SettingRuns runs(request, setting, kWorkers);
  Duration least = Duration::max();
  Duration most{0};
  constexpr std::uint64_t kSeeds = 1000;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Duration ready = runs.run(seed).ready;
    least = std::min(least, ready);
    most = std::max(most, ready);
  }

  test::RedisServer server;
  const Outcome real = RealGroup(server, setting).run();
  if (real.noise > setting.interval / 10) {
    GTEST_SKIP() << "this machine is too busy: it adds more than a tenth of an interval of "
                 << setting.interval.count() << " ns to a round trip: " << real.noise.count()
                 << " ns";
  }
  ASSERT_TRUE(real.ready);
  const auto seconds = [](Duration d) { return static_cast<double>(d.count()) / 1e9; };
  const double tolerance = 0.2 * seconds(setting.interval);
  EXPECT_GE(*real.ready, seconds(least) - tolerance);
  EXPECT_LE(*real.ready, seconds(most) + tolerance);
  EXPECT_EQ(real.losses, 0);
  RecordProperty("ready", std::to_string(*real.ready));
}

}  // namespace
}  // namespace nandi::sim
