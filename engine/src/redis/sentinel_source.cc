#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "nandi/engine/boot_timer.h"
#include "redis/endpoint_source.h"
#include "redis/file_descriptor.h"
#include "redis/link.h"

namespace nandi::redis {
namespace {

/// Asks all sentinels at once and believes the one that knows of the newest failover: one that was
/// cut off, or has just come back together with an old primary, still names that. Whoever has not
/// answered by half of the time is not waited for.
class SentinelSource final : public EndpointSource {
 public:
  explicit SentinelSource(const RedisOptions& options)
      : name_(options.url.primary),
        address_(address_of(options.url)),
        question_(encode_command({"SENTINEL", "MASTER", name_})),
        epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) throw std::system_error(errno, std::generic_category(), "creating an epoll set");
    watch(timer_.descriptor());
    for (const RedisHost& host : hosts_of(options.url)) {
      RedisOptions one;
      one.tls = options.tls;
      one.url.host = host.host;
      one.url.port = host.port;
      one.url.tls = options.url.tls;
      if (options.url.sentinel_auth) {
        one.url.user = options.url.user;
        one.url.password = options.url.password;
      }
      sentinels_.push_back(std::make_unique<Sentinel>(epoll_.get(), one));
    }
  }

  void start(LocalTime now, LocalTime deadline) override {
    cancel();
    asked_ = true;
    deadline_ = deadline;
    patience_ = now + (deadline - now) / 2;
    timer_.arm(patience_);
    for (const auto& sentinel : sentinels_) {
      sentinel->word.reset();
      sentinel->failure.reset();
      sentinel->asked = false;
      sentinel->link.open(now, patience_);
    }
  }

  std::optional<Located> poll(LocalTime now) override {
    if (!asked_) return std::nullopt;
    if (!primary_) {
      bool complete = true;
      for (const auto& sentinel : sentinels_) complete = advance(*sentinel, now) && complete;
      if (now >= patience_) timer_.arm(LocalTime::max());
      if (!complete && now < patience_) return std::nullopt;
      if (std::optional<Failure> failure = decide(now)) {
        cancel();
        return *failure;
      }
    }
    std::optional<Located> located = primary_->poll(now);
    if (located) cancel();
    return located;
  }

  void cancel() override {
    asked_ = false;
    timer_.arm(LocalTime::max());
    for (const auto& sentinel : sentinels_) sentinel->link.close();
    primary_.reset();
  }

  [[nodiscard]] int descriptor() const override { return epoll_.get(); }
  [[nodiscard]] std::string step() const override {
    if (primary_) return primary_->step();
    return fmt::format("asking the sentinels {} for the primary '{}'", address_, name_);
  }

 private:
  struct Sentinel {
    Sentinel(int epoll, const RedisOptions& options)
        : link(epoll, options.url, make_url_source(options.url), make_streams(options)) {}
    Link link;
    bool asked = false;
    std::optional<SentinelWord> word;
    std::optional<Failure> failure;
  };

  void watch(int descriptor) const {
    epoll_event event{};
    event.events = EPOLLIN;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
      throw std::system_error(errno, std::generic_category(), "watching a descriptor");
    }
  }

  /// True when there is nothing more to wait for.
  bool advance(Sentinel& sentinel, LocalTime now) const {
    if (sentinel.word || sentinel.failure) return true;
    sentinel.link.advance(now);
    if (sentinel.link.ready() && !std::exchange(sentinel.asked, true)) {
      sentinel.link.send(question_);
    }
    while (sentinel.link.ready()) {
      if (const std::optional<RespReply> reply = sentinel.link.next_reply()) {
        take(sentinel, *reply);
        sentinel.link.close();
        return true;
      }
      if (!sentinel.link.fill()) break;
    }
    sentinel.failure = sentinel.link.take_failure();
    return sentinel.failure.has_value();
  }

  void take(Sentinel& sentinel, RespReply reply) const {
    sentinel.word = read_sentinel_word(reply);
    if (sentinel.word) return;
    const RespValue& first = reply.front();
    if (first.type == RespType::error && first.text.find("No such master") == std::string::npos) {
      sentinel.failure = classify_error(first.text).failure;
      sentinel.failure->detail = fmt::format("the sentinel {} answered: {}", sentinel.link.server(),
                                             sentinel.failure->detail);
      return;
    }
    sentinel.failure =
        Failure{ErrorClass::resolve,
                fmt::format("the sentinel {} knows no primary '{}'; check the name in the URL",
                            sentinel.link.server(), name_)};
  }

  /// Begins to look up the primary of the newest word; or says why there is none.
  std::optional<Failure> decide(LocalTime now) {
    const SentinelWord* newest = nullptr;
    std::optional<Failure> failure;
    for (const auto& sentinel : sentinels_) {
      if (sentinel->word && (newest == nullptr || newest->epoch < sentinel->word->epoch)) {
        newest = &*sentinel->word;
      }
      if (!failure) failure = sentinel->failure;
      sentinel->link.close();
    }
    timer_.arm(LocalTime::max());
    if (newest == nullptr) {
      if (failure) return failure;
      return Failure{ErrorClass::timeout, "no answer in time while " + step()};
    }
    RedisUrl url;
    url.host = newest->primary.host;
    url.port = newest->primary.port;
    primary_ = make_url_source(url);
    watch(primary_->descriptor());
    primary_->start(now, deadline_);
    return std::nullopt;
  }

  std::string name_;
  std::string address_;
  std::string question_;
  FileDescriptor epoll_;
  BootTimer timer_;
  std::vector<std::unique_ptr<Sentinel>> sentinels_;
  std::unique_ptr<EndpointSource> primary_;  ///< once the sentinels have named it
  LocalTime deadline_;
  LocalTime patience_;  ///< with the sentinels
  bool asked_ = false;
};

}  // namespace

std::unique_ptr<EndpointSource> make_sentinel_source(const RedisOptions& options) {
  return std::make_unique<SentinelSource>(options);
}

}  // namespace nandi::redis
