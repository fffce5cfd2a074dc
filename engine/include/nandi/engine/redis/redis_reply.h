// What a reply of the server means: a tick, or a class of error with its wording and handling.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

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

struct Refusal {
  Failure failure;
  RefusalAction action = RefusalAction::keep;
};

/// Classifies the text of an error reply (without its '-'), whether the server raised it itself or
/// a command inside the script did; up to Redis 6 the latter is wrapped in "ERR Error running
/// script". The detail quotes the server, cut to a line and without what it echoes of a command's
/// arguments (a server without AUTH would echo the password), and says what to do.
[[nodiscard]] Refusal classify_error(std::string_view text);

/// The script's reply as a tick; anything else that is not an error is ErrorClass::bad_reply.
/// Precondition: the reply's first value is not an error; interval_ms > 0.
[[nodiscard]] std::variant<Tick, Failure> read_registration(RespReply reply,
                                                            std::int64_t interval_ms);

}  // namespace nandi
