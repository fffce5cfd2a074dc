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

  std::uint32_t join(const RedisGroup& group, std::uint64_t tag);
  void leave(std::uint32_t seat);

  void submit(std::uint32_t seat, const Attempt& attempt);
  void abandon(std::uint32_t seat, AttemptId id);
  [[nodiscard]] std::optional<Completion> next_completion(std::uint32_t seat);
  [[nodiscard]] std::optional<std::uint64_t> next_ready();
  void hold() { link_.hold(); }
  void flush() { link_.flush(); }

 private:
  /// A store's place. `attempt` is 0 unless one is under way.
  struct Seat {
    std::string command;  ///< EVALSHA with this group's key and interval
    std::string source;   ///< EVAL likewise; built when first needed
    RedisGroup group;
    std::uint64_t tag = 0;
    std::uint32_t generation = 0;  ///< of the seat's holders
    bool taken = false;
    bool sent = false;
    AttemptId attempt = 0;
    LocalTime deadline;
    std::optional<Completion> done;
  };
  /// One registration of one seat; stale when the seat has gone on to something else.
  struct Ticket {
    std::uint32_t seat = 0;
    std::uint32_t generation = 0;
    AttemptId attempt = 0;
  };
  struct Request {
    Ticket ticket;
    LocalTime sent;
    bool with_source = false;
  };
  struct Due {
    LocalTime deadline;
    Ticket ticket;
    friend bool operator>(const Due& a, const Due& b) { return a.deadline > b.deadline; }
  };

  [[nodiscard]] bool live(const Ticket& ticket) const;
  [[nodiscard]] bool shared() const { return silence_ > Duration(0); }
  void pump(LocalTime now);
  void read_replies();
  void on_reply(RespReply reply, LocalTime received);
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
  std::uint32_t undelivered_ = 0;  ///< seats with a completion
  bool woken_ = false;             ///< the descriptor is to be readable for the undelivered
  bool drained_ = false;
  bool usable_ = false;  ///< the link has become ready, and what waited was sent
  RedisCounters counters_;
};

}  // namespace nandi::redis
