// The store over TLS, with certificates made for the test by the openssl program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "delay_proxy.h"
#include "nandi/engine/redis/redis_store.h"
#include "redis/redis_driver.h"
#include "redis_server.h"
#include "tls_files.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const RedisGroup kGroup{"{mail}", 3'600'000};

class RedisTlsTest : public testing::Test {
 protected:
  void SetUp() override {
    NANDI_NEEDS_REDIS();
    if (!TlsFiles::can_be_made()) GTEST_SKIP() << "openssl is not installed";
    files = std::make_unique<TlsFiles>();
  }

  [[nodiscard]] std::string file(const std::string& name) const { return files->file(name); }

  std::unique_ptr<RedisServer> start(const std::string& authenticate_clients) {
    tls_port = free_port();
    return std::make_unique<RedisServer>(files->settings(tls_port, authenticate_clients));
  }

  RedisOptions options(const std::string& host = "127.0.0.1") const {
    RedisOptions result;
    result.url.host = host;
    result.url.port = tls_port;
    result.url.tls = true;
    result.tls.ca_file = file("ca.pem");
    return result;
  }

  std::unique_ptr<TlsFiles> files;
  std::uint16_t tls_port = 0;
};

TEST_F(RedisTlsTest, RegistersOverAVerifiedConnection) {
  const auto server = start("no");
  for (const char* host : {"127.0.0.1", "localhost"}) {
    RedisStore store(options(host), kGroup);
    for (AttemptId id = 1; id <= 3; ++id) {
      const auto done = register_once(store, id, 10s);
      EXPECT_NE(tick_in(done), nullptr) << host << ": " << detail_in(done);
    }
    EXPECT_EQ(store.counters().connections, 1U);
  }
  EXPECT_THAT(server->ask({"INFO", "commandstats"}), HasSubstr("cmdstat_evalsha:calls="));
}

TEST_F(RedisTlsTest, AnUnknownAuthorityIsRefused) {
  const auto server = start("no");
  files->make_authority("stranger");
  RedisOptions wrong = options();
  wrong.tls.ca_file = file("stranger.pem");
  RedisStore store(wrong, kGroup);
  const auto refused = register_once(store, 1, 10s);
  EXPECT_EQ(error_in(refused), ErrorClass::tls) << detail_in(refused);
  EXPECT_THAT(detail_in(refused), HasSubstr("certificate is refused"));
  EXPECT_EQ(store.counters().connections, 0U);
}

TEST_F(RedisTlsTest, ACertificateForAnotherNameIsRefusedUnlessItIsTheOneAskedFor) {
  const auto server = start("no");
  RedisOptions other = options();
  other.tls.server_name = "db.example.org";
  {
    RedisStore store(other, kGroup);
    const auto refused = register_once(store, 1, 10s);
    EXPECT_EQ(error_in(refused), ErrorClass::tls) << detail_in(refused);
  }
  other.tls.server_name = "localhost";
  {
    RedisStore store(other, kGroup);
    EXPECT_NE(tick_in(register_once(store, 1, 10s)), nullptr);
  }
  other.tls = {};
  other.tls.verify = false;
  RedisStore store(other, kGroup);
  EXPECT_NE(tick_in(register_once(store, 1, 10s)), nullptr) << "not verified on request";
}

TEST_F(RedisTlsTest, AServerThatAsksForACertificateGetsTheClients) {
  const auto server = start("yes");
  {
    RedisStore store(options(), kGroup);
    const auto refused = register_once(store, 1, 10s);
    EXPECT_NE(error_in(refused), ErrorClass::none) << "without one it does not serve";
  }
  RedisOptions with = options();
  with.tls.certificate_file = file("client.pem");
  with.tls.key_file = file("client.key");
  RedisStore store(with, kGroup);
  const auto done = register_once(store, 1, 10s);
  EXPECT_NE(tick_in(done), nullptr) << detail_in(done);
}

// Redis takes the handshake for the beginning of a long command line and waits for its end.
TEST_F(RedisTlsTest, APortThatSpeaksPlainRedisEndsAtTheDeadlineWithAHint) {
  const auto server = start("no");
  RedisOptions wrong = options();
  wrong.url.port = server->port();
  RedisStore store(wrong, kGroup);
  const auto refused = register_once(store, 1, 300ms);
  EXPECT_EQ(error_in(refused), ErrorClass::timeout) << detail_in(refused);
  EXPECT_THAT(detail_in(refused), HasSubstr("does this port speak TLS?"));
}

TEST_F(RedisTlsTest, APlainClientOnATlsPortIsToldSomethingAndGetsNothing) {
  const auto server = start("no");
  RedisOptions plain = options();
  plain.url.tls = false;
  RedisStore store(plain, kGroup);
  const auto refused = register_once(store, 1, 3s);
  EXPECT_NE(error_in(refused), ErrorClass::none);
  EXPECT_EQ(store.counters().registrations, 0U);
}

TEST_F(RedisTlsTest, AHandshakeThatHangsEndsAtTheDeadline) {
  const auto server = start("no");
  DelayProxy proxy(tls_port);
  proxy.replies({.hold = true});
  RedisOptions through = options();
  through.url.port = proxy.port();
  RedisStore store(through, kGroup);
  const auto begin = std::chrono::steady_clock::now();
  const auto late = register_once(store, 1, 200ms);
  EXPECT_EQ(error_in(late), ErrorClass::timeout) << detail_in(late);
  EXPECT_THAT(detail_in(late), HasSubstr("securing the connection"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
  proxy.replies({});
  const auto done = register_once(store, 2, 10s);
  EXPECT_NE(tick_in(done), nullptr) << detail_in(done);
}

TEST_F(RedisTlsTest, DrippingBytesAndACutAreSurvived) {
  const auto server = start("no");
  DelayProxy proxy(tls_port);
  RedisOptions through = options();
  through.url.port = proxy.port();
  RedisStore store(through, kGroup);
  ASSERT_NE(tick_in(register_once(store, 1, 10s)), nullptr);
  proxy.replies({.drip = 1ms});
  const auto slow = register_once(store, 2, 20s);
  EXPECT_NE(tick_in(slow), nullptr) << detail_in(slow);
  proxy.replies({});
  proxy.cut();
  EXPECT_EQ(wait_completion(store, 100ms), std::nullopt);
  const auto done = register_once(store, 3, 10s);
  EXPECT_NE(tick_in(done), nullptr) << detail_in(done);
}

TEST_F(RedisTlsTest, FilesThatCannotBeUsedAreNamed) {
  RedisOptions wrong = options();
  wrong.tls.ca_file = file("missing.pem");
  const auto refusal = [&wrong] {
    try {
      const RedisStore store(wrong, kGroup);
      return std::string("accepted");
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refusal(), HasSubstr("missing.pem"));
  wrong = options();
  wrong.tls.certificate_file = file("client.pem");
  EXPECT_THAT(refusal(), HasSubstr("together"));
  wrong.tls.key_file = file("server.key");
  EXPECT_THAT(refusal(), HasSubstr("server.key"));
}

}  // namespace
}  // namespace nandi::test
