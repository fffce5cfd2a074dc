// A redis-server whose wall clock the test sets, and clients that see its answers as bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redis_server.h"

namespace nandi::test {

/// One connection to a unix socket. Knows as little of replies as it takes to find their end.
class RawClient {
 public:
  explicit RawClient(const std::string& socket_path);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// Sends without waiting for replies; several commands at once are one write.
  void send(const std::vector<std::vector<std::string>>& commands) const;
  /// The bytes of the next reply; nothing when the server has closed the connection. Throws
  /// std::runtime_error when there is no answer within ten seconds.
  std::optional<std::string> read();
  std::optional<std::string> ask(const std::vector<std::string>& words);
  /// Until a reply has arrived, without reading it. Throws as read() does.
  void await_reply() const;

 private:
  /// One past the reply that begins at `begin`; npos when it is not all there yet.
  [[nodiscard]] std::size_t end_of(std::size_t begin) const;

  int socket_ = -1;
  std::string buffer_;
};

class ClockedServer {
 public:
  ClockedServer();
  ~ClockedServer();
  ClockedServer(const ClockedServer&) = delete;
  ClockedServer& operator=(const ClockedServer&) = delete;

  /// Microseconds since 1970. Takes effect before the next command.
  void set_clock(std::int64_t microseconds);
  [[nodiscard]] std::unique_ptr<RawClient> client() const;

 private:
  ScratchDirectory directory_;
  void* shown_ = nullptr;
  std::unique_ptr<RedisServer> server_;
};

}  // namespace nandi::test
