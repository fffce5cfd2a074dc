#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "nandi/engine/boot_timer.h"
#include "redis/endpoint_source.h"
#include "redis/file_descriptor.h"

namespace nandi::redis {
namespace {

/// One node's name, looked up together with the others'.
struct Lookup {
  RedisHost node;
  std::unique_ptr<EndpointSource> source;
  std::optional<Located> located;
};

class ClusterSource final : public EndpointSource {
 public:
  explicit ClusterSource(const RedisUrl& url)
      : address_(address_of(url)), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) throw std::system_error(errno, std::generic_category(), "creating an epoll set");
    watch(timer_.descriptor());
    for (const RedisHost& node : hosts_of(url)) seeds_.push_back(make_lookup(node));
  }

  void start(LocalTime now, LocalTime deadline) override {
    asked_ = true;
    // A name service that hangs for one node does not cost the others their turn.
    patience_ = now + (deadline - now) / 2;
    timer_.arm(patience_);
    for (Lookup* lookup : in_turn()) {
      lookup->located.reset();
      lookup->source->start(now, deadline);
    }
  }

  std::optional<Located> poll(LocalTime now) override {
    if (!asked_) return std::nullopt;
    bool complete = true;
    std::vector<Endpoint> endpoints;
    std::optional<Failure> failure;
    for (Lookup* lookup : in_turn()) {
      if (!lookup->located) lookup->located = lookup->source->poll(now);
      if (!lookup->located) {
        complete = false;
      } else if (const auto* found = std::get_if<std::vector<Endpoint>>(&*lookup->located)) {
        endpoints.insert(endpoints.end(), found->begin(), found->end());
        if (is_owner(*lookup)) {
          for (Endpoint& endpoint : endpoints) endpoint.asking = asking_;
        }
      } else if (!failure) {
        failure = std::get<Failure>(*lookup->located);
      }
    }
    if (now >= patience_) timer_.arm(LocalTime::max());
    if (!complete && (now < patience_ || endpoints.empty())) return std::nullopt;
    cancel();
    if (endpoints.empty() && failure) return *failure;
    return endpoints;
  }

  void cancel() override {
    if (!asked_) return;
    asked_ = false;
    timer_.arm(LocalTime::max());
    for (Lookup* lookup : in_turn()) lookup->source->cancel();
  }

  [[nodiscard]] int descriptor() const override { return epoll_.get(); }
  [[nodiscard]] std::string step() const override {
    return "looking up the cluster's nodes " + address_;
  }

  void refused(const Failure& failure) override {
    // One node's view of the cluster may be down alone.
    if (failure.error == ErrorClass::cluster_down) unreachable();
  }

  void unreachable() override {
    owner_.reset();
    asking_ = false;
    first_seed_ = (first_seed_ + 1) % seeds_.size();
  }

  bool redirected(const Redirect& redirect, const Endpoint& from) override {
    owner_ = make_lookup({redirect.host.empty() ? from.host : redirect.host, redirect.port});
    asking_ = redirect.ask;
    return true;
  }

 private:
  void watch(int descriptor) const {
    epoll_event event{};
    event.events = EPOLLIN;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
      throw std::system_error(errno, std::generic_category(), "watching a descriptor");
    }
  }

  [[nodiscard]] Lookup make_lookup(const RedisHost& node) const {
    RedisUrl url;
    url.host = node.host;
    url.port = node.port;
    Lookup lookup{node, make_url_source(url), std::nullopt};
    watch(lookup.source->descriptor());
    return lookup;
  }

  [[nodiscard]] bool is_owner(const Lookup& lookup) const { return owner_ && &*owner_ == &lookup; }

  /// In the order to try them.
  std::vector<Lookup*> in_turn() {
    std::vector<Lookup*> result;
    if (owner_) result.push_back(&*owner_);
    for (std::size_t i = 0; i < seeds_.size(); ++i) {
      Lookup& seed = seeds_[(first_seed_ + i) % seeds_.size()];
      if (!owner_ || seed.node != owner_->node) result.push_back(&seed);
    }
    return result;
  }

  std::string address_;
  FileDescriptor epoll_;
  BootTimer timer_;
  std::vector<Lookup> seeds_;
  std::optional<Lookup> owner_;  ///< whom the cluster named last
  bool asking_ = false;          ///< as long as the slot is moving there
  std::size_t first_seed_ = 0;
  LocalTime patience_;
  bool asked_ = false;
};

}  // namespace

std::unique_ptr<EndpointSource> make_cluster_source(const RedisUrl& url) {
  return std::make_unique<ClusterSource>(url);
}

}  // namespace nandi::redis
