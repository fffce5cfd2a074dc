// Where to connect to: asked anew before every connection.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nandi/engine/redis/redis_options.h"
#include "nandi/engine/redis/redis_reply.h"
#include "nandi/engine/redis/redis_url.h"
#include "nandi/engine/store.h"
#include "nandi/engine/time.h"

namespace nandi::redis {

/// One address to try.
struct Endpoint {
  sockaddr_storage address{};
  socklen_t size = 0;
  std::string text;     ///< for messages
  std::string host;     ///< as it was looked up: the name that a certificate has to show
  bool asking = false;  ///< a cluster's node that takes the key's commands behind ASKING only
};

using Located = std::variant<std::vector<Endpoint>, Failure>;

/// Finds the endpoints of the server in charge. Used from one thread, one question at a time; must
/// not block. What answers at once and what asks a name service, a sentinel or a cluster look
/// alike.
class EndpointSource {
 public:
  virtual ~EndpointSource() = default;
  /// A new question; whatever was asked before is forgotten. `deadline`: nobody waits for longer.
  virtual void start(LocalTime now, LocalTime deadline) = 0;
  /// The answer, once: endpoints in the order to try them (at least one), or why there is none.
  [[nodiscard]] virtual std::optional<Located> poll(LocalTime now) = 0;
  /// Nobody waits for the answer any more.
  virtual void cancel() = 0;
  /// Readable when poll() may get further; the same for the source's life. -1: start() suffices.
  [[nodiscard]] virtual int descriptor() const = 0;
  /// What the source does between start() and the answer: "looking up db.example.org".
  [[nodiscard]] virtual std::string step() const = 0;
  /// The server found last turned out to be the wrong one (readonly, cluster-down, a wrong login).
  virtual void refused(const Failure& failure) { static_cast<void>(failure); }
  /// None of the endpoints found last could be connected to and answered.
  virtual void unreachable() {}
  /// `from` says who serves the key. True: from the next start() on that is the answer.
  [[nodiscard]] virtual bool redirected(const Redirect& redirect, const Endpoint& from) {
    static_cast<void>(redirect);
    static_cast<void>(from);
    return false;
  }
};

/// The URL's own host, resolved by the name service, or its unix socket.
[[nodiscard]] std::unique_ptr<EndpointSource> make_url_source(const RedisUrl& url);

/// The primary, by the newest word of the URL's sentinels. Errors: as RedisConnection.
[[nodiscard]] std::unique_ptr<EndpointSource> make_sentinel_source(const RedisOptions& options);

/// The node that a cluster last named, and else the URL's nodes in turn.
[[nodiscard]] std::unique_ptr<EndpointSource> make_cluster_source(const RedisUrl& url);

/// Whichever of these the URL asks for.
[[nodiscard]] std::unique_ptr<EndpointSource> make_source(const RedisOptions& options);

}  // namespace nandi::redis
