// The non-blocking form of discover on a Redis (peer_feed.h says how to use it).
#pragma once

#include <memory>
#include <string>

#include "nandi/engine/options.h"
#include "nandi/engine/peer_feed.h"
#include "nandi/engine/redis/redis_options.h"
#include "nandi/engine/reporter.h"

namespace nandi {

/// One worker on a connection of its own. Nothing is connected before the first step() that is due.
/// Errors: InvalidOptions; std::invalid_argument for TLS files that cannot be used;
/// std::system_error without descriptors.
[[nodiscard]] std::unique_ptr<PeerFeed> redis_feed(const RedisOptions& redis,
                                                   const Options& options, Reporter reporter = {});

/// The same by URL. Errors: also std::invalid_argument for a URL that cannot be read.
[[nodiscard]] std::unique_ptr<PeerFeed> redis_feed(const std::string& redis_url,
                                                   const Options& options, Reporter reporter = {});

}  // namespace nandi
