#include <netdb.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "redis/endpoint_source.h"
#include "redis/file_descriptor.h"

namespace nandi::redis {
namespace {

class UnixSource final : public EndpointSource {
 public:
  explicit UnixSource(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
    std::memcpy(&endpoint_.address, &address, sizeof address);
    endpoint_.size = sizeof address;
    endpoint_.text = path;
  }

  void start(LocalTime, LocalTime) override { asked_ = true; }
  void cancel() override { asked_ = false; }
  [[nodiscard]] int descriptor() const override { return -1; }
  [[nodiscard]] std::string step() const override { return "looking at " + endpoint_.text; }

  std::optional<Located> poll(LocalTime) override {
    if (!asked_) return std::nullopt;
    asked_ = false;
    return std::vector<Endpoint>{endpoint_};
  }

 private:
  Endpoint endpoint_;
  bool asked_ = false;
};

Located look_up(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    const std::string reason =
        error == EAI_SYSTEM ? std::generic_category().message(errno) : gai_strerror(error);
    return Failure{ErrorClass::resolve,
                   fmt::format("cannot look up {}: {}; check the host in the URL and the name "
                               "service",
                               host, reason)};
  }
  std::vector<Endpoint> endpoints;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    Endpoint endpoint;
    std::memcpy(&endpoint.address, entry->ai_addr, entry->ai_addrlen);
    endpoint.size = entry->ai_addrlen;
    char text[NI_MAXHOST] = "";
    getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    const bool brackets = entry->ai_family == AF_INET6;
    endpoint.host = host;
    endpoint.text = fmt::format("{}{}{}:{}", brackets ? "[" : "", text, brackets ? "]" : "", port);
    endpoints.push_back(std::move(endpoint));
  }
  freeaddrinfo(found);
  return endpoints;
}

/// getaddrinfo() cannot be interrupted and may hang for minutes, so it runs on a thread that owns
/// its part of the state and that nobody waits for. At most one at a time: a question that finds
/// the thread of an earlier one still hanging takes that one's answer.
class NameSource final : public EndpointSource {
 public:
  NameSource(std::string host, std::uint16_t port)
      : host_(std::move(host)), port_(port), shared_(std::make_shared<Shared>()) {}

  void start(LocalTime, LocalTime) override {
    answer_.reset();
    asked_ = true;
    Located numeric = look_up(host_, port_, AI_NUMERICHOST);
    if (std::holds_alternative<std::vector<Endpoint>>(numeric)) {
      answer_ = std::move(numeric);
      return;
    }
    const std::lock_guard lock(shared_->mutex);
    if (shared_->running) return;
    shared_->answer.reset();
    acknowledge();
    try {
      std::thread([shared = shared_, host = host_, port = port_] {
        Located located = look_up(host, port, 0);
        const std::lock_guard inner(shared->mutex);
        shared->answer = std::move(located);
        shared->running = false;
        eventfd_write(shared->event.get(), 1);
      }).detach();
      shared_->running = true;
    } catch (const std::system_error& error) {
      answer_ = Failure{ErrorClass::resolve, fmt::format("cannot look up {}: no thread for it ({})",
                                                         host_, error.code().message())};
    }
  }

  std::optional<Located> poll(LocalTime) override {
    if (!asked_) return std::nullopt;
    if (!answer_) {
      const std::lock_guard lock(shared_->mutex);
      if (!shared_->answer) return std::nullopt;
      answer_ = std::move(shared_->answer);
      shared_->answer.reset();
      acknowledge();
    }
    asked_ = false;
    return std::exchange(answer_, std::nullopt);
  }

  void cancel() override {
    asked_ = false;
    answer_.reset();
  }

  [[nodiscard]] int descriptor() const override { return shared_->event.get(); }
  [[nodiscard]] std::string step() const override { return "looking up " + host_; }

 private:
  struct Shared {
    Shared() : event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
      if (!event) throw std::system_error(errno, std::generic_category(), "creating an eventfd");
    }
    std::mutex mutex;
    FileDescriptor event;
    bool running = false;
    std::optional<Located> answer;
  };

  void acknowledge() {
    eventfd_t count = 0;
    eventfd_read(shared_->event.get(), &count);
  }

  std::string host_;
  std::uint16_t port_;
  std::shared_ptr<Shared> shared_;
  std::optional<Located> answer_;
  bool asked_ = false;
};

}  // namespace

std::unique_ptr<EndpointSource> make_url_source(const RedisUrl& url) {
  if (url.is_unix()) return std::make_unique<UnixSource>(url.path);
  return std::make_unique<NameSource>(url.host, url.port);
}

std::unique_ptr<EndpointSource> make_source(const RedisOptions& options) {
  switch (options.url.kind) {
    case RedisKind::server: break;
    case RedisKind::sentinel: return make_sentinel_source(options);
    case RedisKind::cluster: return make_cluster_source(options.url);
  }
  return make_url_source(options.url);
}

}  // namespace nandi::redis
