#include "redis/exchange.h"

#include <sys/epoll.h>
#include <sys/random.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "nandi/engine/script.h"

namespace nandi::redis {
namespace {

constexpr Duration kFirstPause{10 * kNanosecondsPerMillisecond};
constexpr int kMostHops = 4;
constexpr std::string_view kAsking = "*1\r\n$6\r\nASKING\r\n";

FileDescriptor make_epoll() {
  FileDescriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) throw std::system_error(errno, std::generic_category(), "creating an epoll set");
  return epoll;
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    throw std::system_error(errno, std::generic_category(), "reading the random source");
  }
  return seed;
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
std::uint64_t draw(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

std::string registration(std::string_view command, std::string_view script,
                         const RedisGroup& group) {
  return encode_command({command, script, "1", group.key, std::to_string(group.interval_ms)});
}

}  // namespace

Exchange::Exchange(const RedisOptions& options, Duration silence,
                   std::unique_ptr<EndpointSource> source)
    : epoll_(make_epoll()),
      link_(epoll_.get(), options.url, source ? std::move(source) : make_source(options),
            make_streams(options)),
      silence_(silence),
      random_(options.seed ? *options.seed : random_seed()),
      kind_(options.url.kind) {
  epoll_event event{};
  event.events = EPOLLIN;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.descriptor(), &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "watching a timer");
  }
}

RedisCounters Exchange::counters() const {
  RedisCounters result = counters_;
  result.connects = link_.connects();
  return result;
}

std::uint32_t Exchange::join(const RedisGroup& group, std::uint64_t tag) {
  if (group.interval_ms <= 0) throw std::invalid_argument("RedisGroup::interval_ms is not above 0");
  if (kind_ == RedisKind::cluster) {
    const auto other = std::find_if(seats_.begin(), seats_.end(), [&](const Seat& seat) {
      return !seat.group.key.empty() && seat.group.key != group.key;
    });
    if (other != seats_.end()) {
      throw std::invalid_argument(fmt::format(
          "a connection to a cluster serves one key, here {}: the node of {} may be another; use a "
          "connection for each group",
          other->group.key, group.key));
    }
    link_.serve(group.key);
  }
  if (free_seats_.empty()) {
    free_seats_.push_back(static_cast<std::uint32_t>(seats_.size()));
    seats_.emplace_back();
  }
  const std::uint32_t index = free_seats_.back();
  free_seats_.pop_back();
  Seat& seat = seats_[index];
  seat.command = registration("EVALSHA", kRegistrationScriptSha1, group);
  seat.source.clear();
  seat.group = group;
  seat.tag = tag;
  return index;
}

void Exchange::leave(std::uint32_t index) {
  Seat& seat = seats_[index];
  if (seat.serial != 0) abandon(index, seat.attempt);
  if (seat.done) abandon(index, seat.done->attempt);
  seat.group = RedisGroup{};
  seat.server.clear();
  free_seats_.push_back(index);
}

void Exchange::submit(std::uint32_t index, const Attempt& attempt) {
  const LocalTime now = clock_.now();
  Seat& seat = seats_[index];
  assert(seat.serial == 0 && !seat.done && "the attempt before was completed or abandoned");
  seat.serial = ++last_serial_;
  seat.attempt = attempt.id;
  seat.deadline = attempt.deadline;
  seat.sent = false;
  seat.hops = 0;
  const Ticket ticket{index, seat.serial};
  while (!dues_.empty() && !live(dues_.top().ticket)) dues_.pop();
  const std::uint32_t undelivered = undelivered_;
  drained_ = false;
  if (now >= attempt.deadline) {
    fail(ticket, {ErrorClass::timeout, "the deadline had passed before anything was sent"}, now);
  } else if (link_.ready() && !redirected_) {
    dues_.push({attempt.deadline, ticket});
    send(ticket, false, now);
  } else {
    dues_.push({attempt.deadline, ticket});
    waiting_.push_back(ticket);
    connect_for_waiting(now);
  }
  if (undelivered_ > undelivered) woken_ = true;
  arm();
}

void Exchange::abandon(std::uint32_t index, AttemptId id) {
  Seat& seat = seats_[index];
  if (seat.done && seat.done->attempt == id) {
    seat.done.reset();
    --undelivered_;
    return;
  }
  if (seat.serial == 0 || seat.attempt != id) return;
  seat.serial = 0;
  if (seat.sent && !shared()) {
    drop({ErrorClass::timeout, fmt::format("no reply from {} in time", link_.server())},
         clock_.now());
    arm();
  }
}

std::optional<Completion> Exchange::next_completion(std::uint32_t index) {
  if (!seats_[index].done) {
    if (std::exchange(drained_, false)) {
      arm();
      return std::nullopt;
    }
    pump(clock_.now());
    // Whoever waits for the others' completions sees only the descriptor.
    if (undelivered_ > (seats_[index].done ? 1U : 0U)) wake();
  }
  Seat& seat = seats_[index];
  if (!seat.done) return std::nullopt;
  --undelivered_;
  return std::exchange(seat.done, std::nullopt);
}

std::optional<std::uint64_t> Exchange::next_ready() {
  if (undelivered_ == 0 || ready_.empty()) {
    if (std::exchange(drained_, false)) {
      arm();
      return std::nullopt;
    }
    pump(clock_.now());
  }
  while (!ready_.empty()) {
    const Ticket ticket = ready_.front();
    ready_.pop_front();
    const Seat& seat = seats_[ticket.seat];
    if (seat.done && seat.done_serial == ticket.serial) return seat.tag;
  }
  return std::nullopt;
}

void Exchange::pump(LocalTime now) {
  woken_ = false;
  link_.advance(now);
  if (link_.ready()) {
    send_waiting(now);
    read_replies();
  }
  if (std::optional<Failure> failure = link_.take_failure()) on_failure(*failure, now);
  go_where_redirected();
  pass_deadlines(now);
  end_silence(now);
  connect_for_waiting(now);
  arm();
}

void Exchange::read_replies() {
  while (link_.ready()) {
    std::optional<LocalTime> received;
    while (link_.ready()) {
      const std::optional<RespReply> reply = link_.next_reply();
      if (!reply) break;
      if (!received) received = clock_.now();
      answered_ = *received;
      on_reply(*reply, *received);
    }
    if (!link_.ready()) return;
    if (link_.drained() && received) {
      drained_ = true;
      return;
    }
    if (!link_.fill()) return;
  }
}

void Exchange::on_reply(RespReply reply, LocalTime received) {
  const bool refused = reply.front().type == RespType::error;
  Refusal refusal = refused ? classify_error(reply.front().text) : Refusal{};
  if (requests_.empty()) {
    if (!refused) {
      refusal.failure = {ErrorClass::bad_reply,
                         fmt::format("{} sent a reply that nobody asked for", link_.server())};
    }
    drop(refusal.failure, received);
    return;
  }
  const Request request = requests_.front();
  requests_.pop_front();
  if (request.asking) return;  // what it was refused for is said to the registration too
  if (refusal.redirect && follow(request.ticket, *refusal.redirect)) return;
  if (!live(request.ticket)) {
    ++counters_.discarded;
  } else if (refusal.action == RefusalAction::send_source && !request.with_source) {
    send(request.ticket, true, received);
    return;
  }
  Completion completion;
  completion.received = received;
  completion.script_loaded = request.with_source;
  if (refused) {
    completion.outcome = refusal.failure;
  } else {
    // The seat of a stale ticket may be anybody's: the reply is not looked at.
    if (!live(request.ticket)) return;
    std::variant<Tick, Failure> read =
        read_registration(reply, seats_[request.ticket.seat].group.interval_ms);
    if (const Failure* failure = std::get_if<Failure>(&read)) {
      // What stands in a reply's place may not be that reply.
      refusal = {*failure, RefusalAction::reconnect};
      completion.outcome = *failure;
    } else {
      completion.outcome = std::get<Tick>(read);
      failures_ = 0;
      note_server(seats_[request.ticket.seat], completion);
    }
  }
  complete(request.ticket, std::move(completion));
  if (refusal.action == RefusalAction::reconnect) {
    link_.refuse(refusal.failure);
    drop(refusal.failure, received);
  }
}

/// The registration was not executed, but answered with who serves its key: it goes there. False:
/// nobody follows, so that it has failed.
bool Exchange::follow(const Ticket& ticket, const Redirect& redirect) {
  if (live(ticket) && seats_[ticket.seat].hops == kMostHops) return false;
  if (!link_.redirect(redirect)) return false;
  redirected_ = true;
  if (!live(ticket)) {
    ++counters_.discarded;
    return true;
  }
  Seat& seat = seats_[ticket.seat];
  ++seat.hops;
  seat.sent = false;
  waiting_.push_back(ticket);
  return true;
}

void Exchange::go_where_redirected() {
  if (!redirected_ || !requests_.empty()) return;
  redirected_ = false;
  usable_ = false;
  link_.close();
}

/// What another server than this seat's last one counted of an interval is not what this one
/// counts: a failover loses the newest writes, a hash slot that moves leaves the open counter
/// behind, and values repeat. The closed count is then no evidence, as if it were not there; the
/// next two intervals give new one.
void Exchange::note_server(Seat& seat, Completion& completion) const {
  if (kind_ == RedisKind::server) return;
  if (!seat.server.empty() && seat.server != link_.server()) {
    std::get<Tick>(completion.outcome).previous_count.reset();
    completion.server_change =
        fmt::format("{} answers instead of {}: what was counted before is no evidence",
                    link_.server(), seat.server);
  }
  seat.server = link_.server();
}

void Exchange::send(const Ticket& ticket, bool with_source, LocalTime now) {
  Seat& seat = seats_[ticket.seat];
  seat.sent = true;
  if (link_.asking()) {
    requests_.push_back({{}, now, false, true});
    link_.send(kAsking);
  }
  requests_.push_back({ticket, now, with_source, false});
  if (with_source) {
    ++counters_.sources;
    if (seat.source.empty()) seat.source = registration("EVAL", kRegistrationScript, seat.group);
    link_.send(seat.source);
  } else {
    ++counters_.registrations;
    link_.send(seat.command);
  }
}

/// Sends what waited for the connection, once it is ready.
void Exchange::send_waiting(LocalTime now) {
  if (std::exchange(usable_, true)) return;
  ++counters_.connections;
  answered_ = now;
  std::vector<Ticket> waiting;
  waiting.swap(waiting_);
  link_.hold();
  for (const Ticket& ticket : waiting) {
    if (live(ticket) && now < seats_[ticket.seat].deadline) send(ticket, false, now);
  }
  link_.flush();
}

/// Opens the link for the registrations that wait for it, or refuses those that cannot wait until
/// it may be tried again.
void Exchange::connect_for_waiting(LocalTime now) {
  if (link_.state() != Link::State::closed || waiting_.empty()) return;
  std::vector<Ticket> waiting;
  LocalTime latest{0};
  for (const Ticket& ticket : waiting_) {
    if (!live(ticket)) continue;
    const LocalTime deadline = seats_[ticket.seat].deadline;
    if (now < retry_at_ && deadline <= retry_at_) {
      fail(ticket,
           {last_failure_.error,
            fmt::format("{} (not tried again for {} ms)", last_failure_.detail,
                        (retry_at_ - now).count() / kNanosecondsPerMillisecond + 1)},
           now);
      continue;
    }
    latest = std::max(latest, deadline);
    waiting.push_back(ticket);
  }
  waiting_.swap(waiting);
  if (waiting_.empty() || now < retry_at_ || latest <= now) return;
  allowance_ = latest - now;
  link_.open(now, latest);
  if (link_.ready()) send_waiting(now);
  if (std::optional<Failure> failure = link_.take_failure()) {
    on_failure(*failure, now);
  }
}

void Exchange::pass_deadlines(LocalTime now) {
  bool sent = false;
  while (!dues_.empty() && (dues_.top().deadline <= now || !live(dues_.top().ticket))) {
    const Due due = dues_.top();
    dues_.pop();
    if (!live(due.ticket)) continue;
    const bool was_sent = seats_[due.ticket.seat].sent;
    sent = sent || was_sent;
    if (was_sent) {
      fail(due.ticket,
           {ErrorClass::timeout,
            fmt::format("no reply from {} in time; it may still count", link_.server())},
           now);
    } else if (link_.state() == Link::State::closed) {
      fail(due.ticket, last_failure_, now);
    } else {
      fail(due.ticket,
           {ErrorClass::timeout, fmt::format("no answer in time while {}", link_.step())}, now);
    }
  }
  if (sent && !shared()) {
    drop({ErrorClass::timeout, fmt::format("no reply from {} in time", link_.server())}, now);
  }
}

LocalTime Exchange::silent_at() const {
  if (!shared() || requests_.empty()) return LocalTime::max();
  return std::max(answered_, requests_.front().sent) + silence_;
}

void Exchange::end_silence(LocalTime now) {
  if (now < silent_at()) return;
  drop({ErrorClass::connection,
        fmt::format("{} has left everything on the connection unanswered for {} ms", link_.server(),
                    silence_.count() / kNanosecondsPerMillisecond)},
       now);
}

/// The link closed itself.
void Exchange::on_failure(const Failure& failure, LocalTime now) {
  // A timeout ends the wait of those whose time is over (pass_deadlines); anything else concerns
  // all who wait for this connection.
  if (failure.error != ErrorClass::timeout) {
    std::vector<Ticket> waiting;
    waiting.swap(waiting_);
    for (const Ticket& ticket : waiting) {
      if (live(ticket)) fail(ticket, failure, now);
    }
  }
  drop(failure, now);
}

/// The connection is given up: whatever was sent on it stays unanswered.
void Exchange::drop(const Failure& failure, LocalTime now) {
  if (link_.state() != Link::State::closed) link_.close();
  usable_ = false;
  redirected_ = false;
  std::deque<Request> requests;
  requests.swap(requests_);
  for (const Request& request : requests) {
    if (!request.asking && live(request.ticket)) fail(request.ticket, failure, now);
  }
  last_failure_ = failure;
  back_off(now);
}

/// Waits for 10 ms after the first failure, doubling, at most half of the time that a registration
/// has; of that, the second half at random, so that a fleet does not come back in one moment.
void Exchange::back_off(LocalTime now) {
  Duration pause = kFirstPause * (std::int64_t{1} << std::min(failures_, 16U));
  if (allowance_ > Duration(0)) pause = std::min(pause, allowance_ / 2);
  ++failures_;
  const auto half = static_cast<std::uint64_t>(pause.count() / 2);
  const auto jitter = static_cast<std::int64_t>(half == 0 ? 0 : draw(random_) % half);
  retry_at_ = now + pause / 2 + Duration(jitter);
}

void Exchange::complete(const Ticket& ticket, Completion completion) {
  if (!live(ticket)) return;
  Seat& seat = seats_[ticket.seat];
  completion.attempt = seat.attempt;
  seat.serial = 0;
  seat.done = std::move(completion);
  seat.done_serial = ticket.serial;
  ++undelivered_;
  if (shared()) ready_.push_back(ticket);
}

void Exchange::fail(const Ticket& ticket, const Failure& failure, LocalTime now) {
  Completion completion;
  completion.outcome = failure;
  completion.received = now;
  complete(ticket, std::move(completion));
}

void Exchange::arm() {
  LocalTime when = std::min(link_.next_wakeup(), silent_at());
  while (!dues_.empty() && !live(dues_.top().ticket)) dues_.pop();
  if (!dues_.empty()) when = std::min(when, dues_.top().deadline);
  if (!waiting_.empty() && link_.state() == Link::State::closed) when = std::min(when, retry_at_);
  woken_ = woken_ && undelivered_ > 0;
  if (woken_) when = LocalTime(0);
  // Setting the timer costs a system call. One that is set for an earlier moment is left to fire
  // while there is something to wait for, and set anew then; it is stopped only when the caller has
  // taken all completions, as the next registration often follows the last reply at once.
  if (when == LocalTime::max() && undelivered_ > 0 && armed_ > clock_.now()) return;
  if (when == armed_ || (when > armed_ && when != LocalTime::max() && armed_ > clock_.now()))
    return;
  armed_ = when;
  timer_.arm(when);
}

}  // namespace nandi::redis
