// What a reply of the server means: a tick, or a class of error with its wording and handling.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "nandi/engine/redis/redis_url.h"
#include "nandi/engine/redis/resp_reader.h"
#include "nandi/engine/store.h"
#include "nandi/engine/tick.h"

namespace nandi {

/// What an error reply asks of whoever holds the connection.
enum class RefusalAction : std::uint8_t {
  keep,         ///< the connection is as good as before
  send_source,  ///< NOSCRIPT: the server does not know the script; nothing was executed
  reconnect,    ///< this server, or this login, is the wrong one: look the address up again
};

/// Where a cluster says that a key's hash slot is. What was answered so was not executed.
struct Redirect {
  std::uint16_t slot = 0;
  std::string host;  ///< empty: the host of the node that says so
  std::uint16_t port = 0;
  /// The slot is moving there: the node takes a command for it only behind an ASKING.
  bool ask = false;
  friend bool operator==(const Redirect&, const Redirect&) = default;
};

struct Refusal {
  Failure failure;
  RefusalAction action = RefusalAction::keep;
  std::optional<Redirect> redirect = {};  ///< of a MOVED or ASK that names a node
};

/// "MOVED 3999 127.0.0.1:6381", "ASK 3999 [::1]:6381" and the like; nullopt for anything else.
[[nodiscard]] std::optional<Redirect> parse_redirect(std::string_view text);

/// Classifies the text of an error reply (without its '-'), whether the server raised it itself or
/// a command inside the script did; up to Redis 6 the latter is wrapped in "ERR Error running
/// script". The detail quotes the server, cut to a line and without what it echoes of a command's
/// arguments (a server without AUTH would echo the password), and says what to do.
[[nodiscard]] Refusal classify_error(std::string_view text);

/// What one sentinel says of a primary.
struct SentinelWord {
  RedisHost primary;
  std::uint64_t epoch = 0;  ///< of the failover that made it the primary; larger is newer
  friend bool operator==(const SentinelWord&, const SentinelWord&) = default;
};

/// The reply to SENTINEL MASTER, which is names and values in turn; nullopt for anything else.
/// Precondition: not empty.
[[nodiscard]] std::optional<SentinelWord> read_sentinel_word(RespReply reply);

/// The script's reply as a tick; anything else that is not an error is ErrorClass::bad_reply.
/// Precondition: the reply's first value is not an error; interval_ms > 0.
[[nodiscard]] std::variant<Tick, Failure> read_registration(RespReply reply,
                                                            std::int64_t interval_ms);

}  // namespace nandi
