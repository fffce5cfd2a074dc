// Who asked what on a connection: the registrations under way and whose they are.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "nandi/engine/boot_timer.h"
#include "nandi/engine/clock.h"
#include "nandi/engine/redis/redis_connection.h"
#include "nandi/engine/redis/redis_reply.h"
#include "nandi/engine/redis/redis_store.h"
#include "redis/link.h"

namespace nandi::redis {

class Exchange {
 public:
  /// `silence` zero: one store only, and its connection ends with an abandoned registration.
  Exchange(const RedisOptions& options, Duration silence, std::unique_ptr<EndpointSource> source);

  [[nodiscard]] int descriptor() const { return epoll_.get(); }
  [[nodiscard]] RedisCounters counters() const;

  /// Errors: std::invalid_argument for an interval that is not above 0, or for a second key on a
  /// connection to a cluster.
  std::uint32_t join(const RedisGroup& group, std::uint64_t tag);
  void leave(std::uint32_t seat);

  void submit(std::uint32_t seat, const Attempt& attempt);
  void abandon(std::uint32_t seat, AttemptId id);
  [[nodiscard]] std::optional<Completion> next_completion(std::uint32_t seat);
  [[nodiscard]] std::optional<std::uint64_t> next_ready();
  void hold() { link_.hold(); }
  void flush() { link_.flush(); }

 private:
  /// Names one registration among all that the exchange was ever asked for. The numbers of attempts
  /// do not: another worker's on the same store begin at 1 again.
  using Serial = std::uint64_t;
  /// A store's place.
  struct Seat {
    std::string command;  ///< EVALSHA with this group's key and interval
    std::string source;   ///< EVAL likewise; built when first needed
    RedisGroup group;
    std::uint64_t tag = 0;
    bool sent = false;
    Serial serial = 0;      ///< of the registration under way; 0: none
    AttemptId attempt = 0;  ///< its number for the store's worker
    LocalTime deadline;
    int hops = 0;        ///< nodes of a cluster that named another for this registration
    std::string server;  ///< that answered its last registration; see note_server()
    std::optional<Completion> done;
    Serial done_serial = 0;
  };
  /// One registration of one seat; stale when the seat has gone on to something else.
  struct Ticket {
    std::uint32_t seat = 0;
    Serial serial = 0;
  };
  struct Request {
    Ticket ticket;
    LocalTime sent;
    bool with_source = false;
    bool asking = false;  ///< the ASKING before a registration: nobody's
  };
  struct Due {
    LocalTime deadline;
    Ticket ticket;
    friend bool operator>(const Due& a, const Due& b) { return a.deadline > b.deadline; }
  };

  [[nodiscard]] bool live(const Ticket& ticket) const {
    return seats_[ticket.seat].serial == ticket.serial;
  }
  [[nodiscard]] bool shared() const { return silence_ > Duration(0); }
  void pump(LocalTime now);
  void read_replies();
  void on_reply(RespReply reply, LocalTime received);
  bool follow(const Ticket& ticket, const Redirect& redirect);
  void go_where_redirected();
  void note_server(Seat& seat, Completion& completion) const;
  void send(const Ticket& ticket, bool with_source, LocalTime now);
  void send_waiting(LocalTime now);
  void connect_for_waiting(LocalTime now);
  void pass_deadlines(LocalTime now);
  void end_silence(LocalTime now);
  void on_failure(const Failure& failure, LocalTime now);
  void drop(const Failure& failure, LocalTime now);
  void back_off(LocalTime now);
  void complete(const Ticket& ticket, Completion completion);
  void fail(const Ticket& ticket, const Failure& failure, LocalTime now);
  [[nodiscard]] LocalTime silent_at() const;
  void arm();
  void wake() {
    woken_ = true;
    arm();
  }

  BootClock clock_;
  BootTimer timer_;
  FileDescriptor epoll_;
  Link link_;
  Duration silence_;
  std::vector<Seat> seats_;
  std::vector<std::uint32_t> free_seats_;
  std::deque<Request> requests_;  ///< sent, in the order of the replies to come
  std::vector<Ticket> waiting_;   ///< for the connection
  std::priority_queue<Due, std::vector<Due>, std::greater<>> dues_;
  std::deque<Ticket> ready_;  ///< seats with a completion; some may be stale
  LocalTime answered_;        ///< when the connection last answered anything
  LocalTime armed_ = LocalTime::max();
  LocalTime retry_at_{0};  ///< no connecting before
  Duration allowance_{0};  ///< the time that the registration that connects has
  Failure last_failure_;
  std::uint32_t failures_ = 0;  ///< of the connection in a row
  std::uint64_t random_;
  Serial last_serial_ = 0;
  std::uint32_t undelivered_ = 0;  ///< seats with a completion
  bool woken_ = false;             ///< the descriptor is to be readable for the undelivered
  bool drained_ = false;
  RedisKind kind_;
  bool redirected_ = false;  ///< the link goes elsewhere once nothing more is to come on it
  bool usable_ = false;      ///< the link has become ready, and what waited was sent
  RedisCounters counters_;
};

}  // namespace nandi::redis
