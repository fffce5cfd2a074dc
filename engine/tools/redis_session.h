// A blocking conversation with one Redis, for commands that ask it things once.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "nandi/engine/clock.h"
#include "nandi/engine/redis/redis_options.h"
#include "nandi/engine/redis/resp_reader.h"
#include "nandi/engine/store.h"
#include "redis/file_descriptor.h"
#include "redis/link.h"

namespace nandi::tools {

/// One value of a reply, with what it holds.
struct Reply {
  RespType type = RespType::null;
  std::int64_t integer = 0;
  std::string text;  ///< simple, error (without its '-'), bulk
  std::vector<Reply> elements;

  [[nodiscard]] bool is_error() const { return type == RespType::error; }
};

using Words = std::vector<std::string>;

/// Requests that left in one write, and when. One reply each.
struct Answered {
  std::vector<Reply> replies;
  LocalTime sent;                   ///< read before the request could leave
  std::vector<LocalTime> received;  ///< per reply, read after it was parsed
};

class RedisSession {
 public:
  /// `patience`: of connecting and of each question. Errors: as RedisConnection.
  RedisSession(const RedisOptions& options, std::chrono::milliseconds patience);

  /// Nothing when the server has answered; otherwise why it did not. Precondition of ask().
  [[nodiscard]] std::optional<Failure> connect();
  /// Connects again if the connection was lost. Error replies are replies.
  [[nodiscard]] std::variant<Answered, Failure> ask(std::span<const Words> questions);
  /// One question; a Failure is turned into an error reply that begins with its class.
  [[nodiscard]] Reply ask(const Words& question);

  [[nodiscard]] const std::string& server() const { return link_->server(); }

 private:
  void wait(LocalTime until) const;

  RedisOptions options_;
  Duration patience_;
  BootClock clock_;
  redis::FileDescriptor epoll_;
  std::unique_ptr<redis::Link> link_;
};

}  // namespace nandi::tools
