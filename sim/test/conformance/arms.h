// The two arms of the conformance suite: a real redis-server and the model of one, asked the same.
//
// Each has four clients and a controller that is never killed. Answers are the bytes of replies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/clocked_server.h"
#include "nandi/sim/named_redis.h"

namespace nandi::test {

inline constexpr std::size_t kClients = 4;
inline constexpr std::string_view kClosed = "closed";

using Words = std::vector<std::string>;

/// Where in a script a command failed is the server's own business: an error ends at " script: ".
inline std::string without_place(std::string reply) {
  constexpr std::string_view kPlace = " script: ";
  const std::size_t place = reply.find(kPlace);
  if (!reply.starts_with("-") || place == std::string::npos) return reply;
  return reply.substr(0, place + kPlace.size()) + "\r\n";
}

class RealArm {
 public:
  RealArm() : controller_(server_.client()) {}

  /// An empty server at `clock` (microseconds since 1970), with all clients connected.
  void begin(std::int64_t clock) {
    set_clock(clock);
    ask_all({{"FLUSHALL"}, {"SCRIPT", "FLUSH"}});
    for (Client& client : clients_) {
      if (client.killed) client = Client{};
      connect(client);
    }
  }
  void set_clock(std::int64_t clock) { server_.set_clock(clock); }

  /// The controller's, in one write.
  std::string ask_all(const std::vector<Words>& commands) {
    controller_->send(commands);
    std::string replies;
    for (std::size_t c = 0; c < commands.size(); ++c) replies += controller_->read().value();
    return replies;
  }

  /// A client that is not connected connects first.
  std::string ask(std::size_t number, const Words& words) {
    Client& client = clients_[number];
    connect(client);
    const std::optional<std::string> reply = client.connection->ask(words);
    if (!reply) client = Client{};
    return reply ? without_place(*reply) : std::string(kClosed);
  }

  /// The client sends and closes its socket; back when the server has noticed both.
  void send_and_close(std::size_t number, const Words& words) {
    Client& client = clients_[number];
    connect(client);
    client.connection->send({words});
    const std::string id = client.id;
    client = Client{};
    while (ask_all({{"CLIENT", "LIST", "ID", id}}) != "$0\r\n\r\n") {
    }
  }

  /// The controller kills the client.
  std::string kill(std::size_t number) {
    Client& client = clients_[number];
    if (!client.connection) return std::string(kClosed);
    client.killed = true;
    return ask_all({{"CLIENT", "KILL", "ID", client.id}});
  }

  /// The same after a command whose reply is there and was not read.
  std::string send_and_be_killed(std::size_t number, const Words& words) {
    Client& client = clients_[number];
    connect(client);
    client.connection->send({words});
    client.connection->await_reply();
    const std::string answer = kill(number);
    client = Client{};
    return answer;
  }

 private:
  struct Client {
    std::unique_ptr<RawClient> connection;
    std::string id;
    bool killed = false;
  };

  void connect(Client& client) {
    if (client.connection) return;
    client.connection = server_.client();
    const std::string id = client.connection->ask({"CLIENT", "ID"}).value();
    client.id = id.substr(1, id.size() - 3);
  }

  ClockedServer server_;
  std::unique_ptr<RawClient> controller_;
  std::array<Client, kClients> clients_;
};

/// Model: RedisModel or a broken variant.
template <class Model>
class ModelArm {
 public:
  void begin(std::int64_t clock) {
    *this = ModelArm{};
    set_clock(clock);
  }
  void set_clock(std::int64_t clock) { redis_.set_clock(clock); }

  std::string ask_all(const std::vector<Words>& commands) {
    std::string replies;
    for (const Words& words : commands) replies += redis_.ask(words);
    return replies;
  }
  std::string ask(std::size_t number, const Words& words) {
    if (clients_[number] == Connection::killed) {
      clients_[number] = Connection::none;
      return std::string(kClosed);
    }
    clients_[number] = Connection::open;
    return redis_.ask(words);
  }
  void send_and_close(std::size_t number, const Words& words) {
    if (clients_[number] != Connection::killed) redis_.ask(words);
    clients_[number] = Connection::none;
  }
  std::string kill(std::size_t number) {
    const Connection before = clients_[number];
    if (before == Connection::none) return std::string(kClosed);
    clients_[number] = Connection::killed;
    return before == Connection::open ? ":1\r\n" : ":0\r\n";
  }
  std::string send_and_be_killed(std::size_t number, const Words& words) {
    const bool is_killed = clients_[number] == Connection::killed;
    send_and_close(number, words);
    return is_killed ? ":0\r\n" : ":1\r\n";
  }

 private:
  enum class Connection : std::uint8_t { open, killed, none };
  sim::NamedRedis<Model> redis_;
  std::array<Connection, kClients> clients_{};
};

}  // namespace nandi::test
