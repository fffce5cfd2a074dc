// nandi-worker probe against a server of the test's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "delay_proxy.h"
#include "nandi/sim/latency_profile.h"
#include "nandi/sim/sampler.h"
#include "redis_server.h"
#include "worker_process.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

class Probe : public ::testing::Test {
 protected:
  void SetUp() override {
    NANDI_NEEDS_REDIS();
    server_ = std::make_unique<RedisServer>();
  }
  std::unique_ptr<WorkerProcess> start(std::vector<std::string> arguments, std::uint16_t port) {
    arguments.insert(arguments.begin(),
                     {"probe", "--redis", "redis://127.0.0.1:" + std::to_string(port)});
    return std::make_unique<WorkerProcess>(arguments, directory_.path(), "probe");
  }
  ScratchDirectory directory_;
  std::unique_ptr<RedisServer> server_;
};

// Both ways alike, 20 ms each: known to 20 ms and a little, and added up never below 40 ms.
TEST_F(Probe, a_profile_shows_the_delay_of_the_way) {
  DelayProxy proxy(server_->port());
  proxy.requests({.delay = 20ms});
  proxy.replies({.delay = 20ms});
  const std::string file = directory_.path() + "/p.yaml";
  const auto process = start({"--count", "20", "--every", "1ms", "--out", file}, proxy.port());
  ASSERT_EQ(process->process().wait(), 0) << process->errors();
  EXPECT_THAT(process->output(), HasSubstr("20 registrations, 0 failed"));
  EXPECT_THAT(process->errors(), Not(HasSubstr("\r")));  // no progress into a file
  const sim::LatencyProfile profile = sim::load_latency_profile(file);
  EXPECT_EQ(profile.samples, 20U);
  EXPECT_EQ(profile.failures, 0U);
  const Duration least(40 * kNanosecondsPerMillisecond);
  EXPECT_GE(profile.round_trip.from, least);
  ASSERT_TRUE(profile.directions);
  EXPECT_GE(profile.directions->known_to * 2 + Duration(2000), least);
  const Duration request = sim::Sampler(profile.request_delay()).sample(0);
  const Duration reply = sim::Sampler(profile.reply_delay()).sample(0);
  EXPECT_GE(request + reply + Duration(2000), least);
}

TEST_F(Probe, an_interrupted_measurement_writes_what_there_is) {
  const std::string file = directory_.path() + "/p.yaml";
  const auto process =
      start({"--duration", "10m", "--every", "1ms", "--out", file}, server_->port());
  ASSERT_TRUE(eventually(20s, [&] {
    return server_->ask({"KEYS", "{nandi-probe}:probe-*"}).find("probe-") != std::string::npos;
  }));
  process->process().signal(SIGINT);
  EXPECT_EQ(process->process().wait(), 0);
  EXPECT_GE(sim::load_latency_profile(file).samples, 1U);
}

TEST_F(Probe, what_cannot_be_measured_is_said) {
  EXPECT_EQ(start({"--count", "1"}, free_port())->process().wait(), 69);
  server_->ask({"ACL", "SETUSER", "default", "-eval"});
  const auto refused = start({"--count", "20", "--every", "1ms"}, server_->port());
  EXPECT_EQ(refused->process().wait(), 65);
  EXPECT_THAT(refused->errors(), HasSubstr("NOPERM"));
  EXPECT_EQ(start({"--count", "1", "--duration", "1s"}, server_->port())->process().wait(), 64);
  EXPECT_EQ(start({"--count", "0"}, server_->port())->process().wait(), 64);
}

}  // namespace
}  // namespace nandi::test
