// Bytes to and from a server over a connected, non-blocking socket: plain or TLS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "nandi/engine/redis/redis_options.h"

namespace nandi::redis {

enum class IoStatus : std::uint8_t {
  done,
  again,   ///< nothing can be done before the socket is ready
  closed,  ///< the other end closed the stream
  failed,  ///< problem() says how
};

struct IoResult {
  IoStatus status = IoStatus::again;
  std::size_t bytes = 0;  ///< done: at least 1
  bool drained = false;   ///< of a read: the socket had no more when it was asked
};

/// Never blocks, never raises SIGPIPE, does not own the socket.
class Stream {
 public:
  virtual ~Stream() = default;
  /// What precedes data; to be repeated until it does not say `again`.
  virtual IoStatus handshake() = 0;
  virtual IoResult read(std::span<char> room) = 0;
  virtual IoResult write(std::string_view bytes) = 0;
  /// True when the last `again` waits for the socket to become writable.
  [[nodiscard]] virtual bool wants_to_write() const = 0;
  [[nodiscard]] virtual std::string problem() const = 0;
};

/// Makes the streams of all connections of a RedisConnection.
class StreamFactory {
 public:
  virtual ~StreamFactory() = default;
  /// `host`: the name that the certificate is checked against and that is sent as SNI, unless the
  /// options name another.
  [[nodiscard]] virtual std::unique_ptr<Stream> make(int socket, const std::string& host) = 0;
};

[[nodiscard]] std::unique_ptr<StreamFactory> make_plain_streams();

/// Throws std::invalid_argument on files that cannot be used.
[[nodiscard]] std::unique_ptr<StreamFactory> make_tls_streams(const TlsOptions& options);

/// Whichever of the two the URL asks for.
[[nodiscard]] std::unique_ptr<StreamFactory> make_streams(const RedisOptions& options);

}  // namespace nandi::redis
