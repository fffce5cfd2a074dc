// How to reach a Redis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nandi/engine/redis/redis_url.h"

namespace nandi {

/// Applies to rediss:// URLs, to every connection of one. File names; an empty one is left out.
struct TlsOptions {
  std::string ca_file;           ///< PEM; empty: the system's certificate authorities
  std::string certificate_file;  ///< PEM chain of the client, with its key_file
  std::string key_file;
  std::string server_name;  ///< SNI and the name to verify; empty: the host connected to
  bool verify = true;       ///< of the server's certificate and name; turn off in tests only
};

struct RedisOptions {
  RedisUrl url;
  TlsOptions tls;
  /// Seed of the reconnection jitter; without one it comes from the kernel's random source, so that
  /// equal containers differ.
  std::optional<std::uint64_t> seed;
};

}  // namespace nandi
