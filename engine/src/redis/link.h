// One connection to one server, from looking up its address to its end.
//
//   closed -> locating -> connecting -> securing -> greeting -> ready -> closed
//
// Greeting is AUTH and SELECT where the URL asks for them, or else a PING: nothing is asked of a
// server that has not answered on this very connection. A server that hangs, or accepts
// connections without serving them, so never gets a registration that it would count later. A
// server that sentinels name has to call itself the primary (ROLE), and a cluster's node has to
// serve the group's key (a GET of it, a key that nobody writes); where it names another, the link
// goes there, a few times at most.
//
// Every step ends by the deadline given to open(). Nothing here blocks; the descriptors that an
// event may come from are registered with the owner's epoll set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/engine/redis/redis_options.h"
#include "nandi/engine/redis/resp_reader.h"
#include "nandi/engine/store.h"
#include "redis/endpoint_source.h"
#include "redis/file_descriptor.h"
#include "redis/stream.h"

namespace nandi::redis {

/// The bytes of one command.
[[nodiscard]] std::string encode_command(std::initializer_list<std::string_view> words);

class Link {
 public:
  enum class State : std::uint8_t { closed, locating, connecting, securing, greeting, ready };

  /// `epoll` outlives the link.
  Link(int epoll, const RedisUrl& url, std::unique_ptr<EndpointSource> source,
       std::unique_ptr<StreamFactory> streams);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool ready() const { return state_ == State::ready; }

  /// The key that a cluster's node has to serve. Precondition: closed.
  void serve(const std::string& key) { key_ = key; }

  /// Precondition: closed.
  void open(LocalTime now, LocalTime deadline);

  /// Takes the steps that can be taken; a passed deadline closes the link.
  void advance(LocalTime now);

  /// When advance() is to be called even without an event; LocalTime::max() for never.
  [[nodiscard]] LocalTime next_wakeup() const;

  /// Bytes for the server; what the socket does not take now follows later. Precondition: ready.
  void send(std::string_view bytes);
  /// Keeps what send() is given until flush().
  void hold() { held_ = true; }
  void flush();

  /// Reads what has arrived, once; false: there is nothing, or the link has failed.
  bool fill();
  /// True when the last fill() left nothing to be read.
  [[nodiscard]] bool drained() const { return drained_; }
  /// The next complete reply, valid until the next call of anything else. A malformed one closes
  /// the link.
  [[nodiscard]] std::optional<RespReply> next_reply();

  void close();
  /// Closes because the server is the wrong one; the source hears of it.
  void refuse(const Failure& failure);
  /// True: the next open() goes where the server says.
  [[nodiscard]] bool redirect(const Redirect& redirect) {
    return source_->redirected(redirect, endpoint());
  }
  /// Whether the server takes commands for the key behind an ASKING only.
  [[nodiscard]] bool asking() const { return endpoint().asking; }

  /// Why the link closed itself, once.
  [[nodiscard]] std::optional<Failure> take_failure();

  /// For messages: what the link is waiting for, or the server's address when it is ready.
  [[nodiscard]] std::string step() const;
  [[nodiscard]] const std::string& server() const { return server_; }
  /// Sockets opened so far.
  [[nodiscard]] std::uint64_t connects() const { return connects_; }

 private:
  /// One command that greets, and what it is called in messages.
  struct Greeting {
    std::string name;
    std::string bytes;
  };

  [[nodiscard]] const Endpoint& endpoint() const { return endpoints_[endpoint_]; }
  void locate(LocalTime now);
  void fail(ErrorClass error, std::string detail);
  void try_endpoint(LocalTime now);
  void next_endpoint(LocalTime now, std::string problem);
  void finish_connect(LocalTime now);
  void secure();
  void begin_greeting();
  void greet(LocalTime now);
  bool accept_greeting(const RespReply& reply, LocalTime now);
  void watch();
  bool write_out();
  void drop_socket();
  void forget_source();

  int epoll_;
  RedisKind kind_;
  std::vector<Greeting> login_;  ///< AUTH and SELECT
  std::string key_;
  Secret password_;
  std::unique_ptr<EndpointSource> source_;
  std::unique_ptr<StreamFactory> streams_;

  State state_ = State::closed;
  LocalTime deadline_;
  LocalTime endpoint_deadline_;
  std::vector<Endpoint> endpoints_;
  std::size_t endpoint_ = 0;
  std::string server_;
  FileDescriptor socket_;
  std::unique_ptr<Stream> stream_;
  std::uint32_t watched_ = 0;  ///< events of the socket that the epoll set waits for
  bool source_watched_ = false;
  bool held_ = false;
  bool drained_ = false;
  bool write_failed_ = false;
  std::vector<Greeting> greetings_;
  std::size_t greeted_ = 0;  ///< replies to them so far
  int hops_ = 0;             ///< nodes that named another since open()
  std::string out_;
  std::size_t out_begin_ = 0;
  RespReader reader_;
  std::size_t read_size_ = 0;
  std::optional<Failure> failure_;
  std::uint64_t connects_ = 0;
};

}  // namespace nandi::redis
