#include "redis/link.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "nandi/engine/redis/redis_reply.h"

namespace nandi::redis {
namespace {

// A registration's reply has some 60 bytes; a connection that many share sees more at once.
constexpr std::size_t kSmallestRead = 1024;
constexpr std::size_t kLargestRead = 64 * 1024;
// A redirection leads to the owner of a hash slot; a second one is a topology that changes
// meanwhile.
constexpr int kMostHops = 4;

std::string message_of(int error) { return std::generic_category().message(error); }

void set_no_delay(int socket, int family) {
  if (family == AF_UNIX) return;
  const int on = 1;
  // A failure costs latency only.
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// Whatever a server or a library puts into its words: the password does not get into ours.
void hide(std::string& text, const Secret& password) {
  if (password.empty()) return;
  for (std::size_t at = text.find(password.reveal()); at != std::string::npos;
       at = text.find(password.reveal(), at + 3)) {
    text.replace(at, password.reveal().size(), "***");
  }
}

}  // namespace

std::string encode_command(std::initializer_list<std::string_view> words) {
  std::string bytes = fmt::format("*{}\r\n", words.size());
  for (const std::string_view word : words) {
    bytes += fmt::format("${}\r\n", word.size());
    bytes += word;
    bytes += "\r\n";
  }
  return bytes;
}

Link::Link(int epoll, const RedisUrl& url, std::unique_ptr<EndpointSource> source,
           std::unique_ptr<StreamFactory> streams)
    : epoll_(epoll),
      kind_(url.kind),
      password_(url.password),
      source_(std::move(source)),
      streams_(std::move(streams)) {
  if (!url.password.empty()) {
    login_.push_back({"AUTH", url.user.empty()
                                  ? encode_command({"AUTH", url.password.reveal()})
                                  : encode_command({"AUTH", url.user, url.password.reveal()})});
  }
  if (url.database != 0) {
    login_.push_back({"SELECT", encode_command({"SELECT", std::to_string(url.database)})});
  }
}

Link::~Link() { close(); }

void Link::open(LocalTime now, LocalTime deadline) {
  failure_.reset();
  deadline_ = deadline;
  hops_ = 0;
  locate(now);
  advance(now);
}

void Link::locate(LocalTime now) {
  endpoints_.clear();
  endpoint_ = 0;
  server_.clear();
  state_ = State::locating;
  source_->start(now, deadline_);
  if (source_->descriptor() >= 0) {
    epoll_event event{};
    event.events = EPOLLIN;
    source_watched_ = epoll_ctl(epoll_, EPOLL_CTL_ADD, source_->descriptor(), &event) == 0;
  }
}

void Link::advance(LocalTime now) {
  int hops = 0;
  do {
    hops = hops_;
    if (state_ == State::locating) {
      if (std::optional<Located> located = source_->poll(now)) {
        forget_source();
        if (Failure* failure = std::get_if<Failure>(&*located)) {
          fail(failure->error, std::move(failure->detail));
          return;
        }
        endpoints_ = std::move(std::get<std::vector<Endpoint>>(*located));
        try_endpoint(now);
      }
    }
    if (state_ == State::connecting) finish_connect(now);
    if (state_ == State::securing) secure();
    if (state_ == State::greeting) greet(now);
  } while (hops != hops_);
  if (state_ == State::ready) {
    if (!out_.empty() && !held_) write_out();
    return;
  }
  if (state_ != State::closed && now >= deadline_) {
    fail(ErrorClass::timeout, fmt::format("no answer in time while {}", step()));
  }
}

LocalTime Link::next_wakeup() const {
  switch (state_) {
    case State::closed:
    case State::ready: return LocalTime::max();
    case State::connecting: return std::min(deadline_, endpoint_deadline_);
    default: return deadline_;
  }
}

void Link::try_endpoint(LocalTime now) {
  drop_socket();
  const Endpoint& target = endpoint();
  // One address that swallows everything must not cost the others their turn.
  const auto left = static_cast<std::int64_t>(endpoints_.size() - endpoint_);
  endpoint_deadline_ = now + (deadline_ - now) / left;
  server_ = target.text;
  state_ = State::connecting;
  const int family = target.address.ss_family;
  socket_ = FileDescriptor(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_) {
    next_endpoint(now, message_of(errno));
    return;
  }
  ++connects_;
  set_no_delay(socket_.get(), family);
  const auto* address = reinterpret_cast<const sockaddr*>(&target.address);
  if (connect(socket_.get(), address, target.size) != 0 && errno != EINPROGRESS) {
    next_endpoint(now, errno == EAGAIN ? "its queue of connections is full" : message_of(errno));
    return;
  }
  watch();
}

void Link::next_endpoint(LocalTime now, std::string problem) {
  if (++endpoint_ < endpoints_.size() && now < deadline_) {
    try_endpoint(now);
    return;
  }
  fail(ErrorClass::connection, fmt::format("cannot connect to {}: {}", server_, problem));
}

void Link::finish_connect(LocalTime now) {
  pollfd ready{socket_.get(), POLLOUT, 0};
  if (poll(&ready, 1, 0) <= 0) {
    if (now >= endpoint_deadline_ && endpoint_ + 1 < endpoints_.size()) {
      next_endpoint(now, "no answer in time");
    }
    return;
  }
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    next_endpoint(now, message_of(error));
    return;
  }
  stream_ = streams_->make(socket_.get(), endpoint().host);
  reader_.reset();
  read_size_ = kSmallestRead;
  state_ = State::securing;
}

void Link::secure() {
  switch (stream_->handshake()) {
    case IoStatus::done: break;
    case IoStatus::again: watch(); return;
    case IoStatus::closed:
      fail(ErrorClass::tls, fmt::format("{} closed the connection during the TLS handshake; does "
                                        "it speak TLS on this port?",
                                        server_));
      return;
    case IoStatus::failed:
      fail(ErrorClass::tls, fmt::format("TLS with {}: {}", server_, stream_->problem()));
      return;
  }
  begin_greeting();
}

void Link::begin_greeting() {
  greetings_ = login_;
  switch (kind_) {
    case RedisKind::server:
      if (greetings_.empty()) greetings_.push_back({"PING", encode_command({"PING"})});
      break;
    case RedisKind::sentinel: greetings_.push_back({"ROLE", encode_command({"ROLE"})}); break;
    case RedisKind::cluster:
      if (asking()) greetings_.push_back({"ASKING", encode_command({"ASKING"})});
      greetings_.push_back({"GET", encode_command({"GET", key_})});
      break;
  }
  state_ = State::greeting;
  greeted_ = 0;
  out_.clear();
  for (const Greeting& greeting : greetings_) out_ += greeting.bytes;
  out_begin_ = 0;
  write_out();
}

void Link::greet(LocalTime now) {
  if (!out_.empty() && !write_out()) return;
  do {
    while (std::optional<RespReply> reply = next_reply()) {
      if (!accept_greeting(*reply, now)) return;
      if (++greeted_ == greetings_.size()) {
        state_ = State::ready;
        watch();
        return;
      }
    }
  } while (state_ == State::greeting && fill());
}

/// False when the link has failed or gone elsewhere.
bool Link::accept_greeting(const RespReply& reply, LocalTime now) {
  const RespValue& first = reply.front();
  const std::string& command = greetings_[greeted_].name;
  if (first.type == RespType::error) {
    Refusal refusal = classify_error(first.text);
    if (refusal.redirect && hops_ < kMostHops && redirect(*refusal.redirect)) {
      ++hops_;
      close();
      locate(now);
      return false;
    }
    // An answer is an answer: a user without the right to PING may still register, and a node that
    // holds something else under the key serves it.
    if (command == "PING" && refusal.failure.error == ErrorClass::noperm) return true;
    if (command == "GET" && first.text.starts_with("WRONGTYPE")) return true;
    refusal.failure.detail =
        fmt::format("{} answered {}: {}", server_, command, refusal.failure.detail);
    source_->refused(refusal.failure);
    fail(refusal.failure.error, std::move(refusal.failure.detail));
    return false;
  }
  if (command == "ROLE") {
    const std::string_view role = reply.size() > 1 ? reply[1].text : std::string_view();
    if (first.type == RespType::array && role == "master") return true;
    Failure failure{ErrorClass::readonly,
                    fmt::format("{} is not the primary that the sentinels call it; they are asked "
                                "again",
                                server_)};
    source_->refused(failure);
    fail(failure.error, std::move(failure.detail));
    return false;
  }
  const bool is_value = first.type == RespType::bulk || first.type == RespType::null;
  if (command == "GET" ? is_value : first.type == RespType::simple) return true;
  fail(ErrorClass::bad_reply,
       fmt::format("{} answered {} with something else than was asked for; is it a Redis?", server_,
                   command));
  return false;
}

void Link::watch() {
  std::uint32_t wanted = EPOLLIN | EPOLLRDHUP;
  const bool writing = state_ == State::connecting || (!out_.empty() && !held_ && !write_failed_) ||
                       (stream_ && stream_->wants_to_write());
  if (writing) wanted |= EPOLLOUT;
  if (wanted == watched_) return;
  epoll_event event{};
  event.events = wanted;
  epoll_ctl(epoll_, watched_ == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket_.get(), &event);
  watched_ = wanted;
}

void Link::send(std::string_view bytes) {
  if (out_.empty() && !held_ && !write_failed_) {
    const IoResult result = stream_->write(bytes);
    if (result.status == IoStatus::done) {
      if (result.bytes == bytes.size()) return;
      bytes.remove_prefix(result.bytes);
    } else if (result.status != IoStatus::again) {
      // Not the end yet: the server may have said why before it closed, and fill() finds out.
      write_failed_ = true;
    }
  }
  out_ += bytes;
  watch();
}

void Link::flush() {
  held_ = false;
  if (!out_.empty()) write_out();
}

/// False when something is left to write.
bool Link::write_out() {
  while (out_begin_ < out_.size() && !write_failed_) {
    const IoResult result = stream_->write(std::string_view(out_).substr(out_begin_));
    if (result.status == IoStatus::again) break;
    if (result.status != IoStatus::done) {
      write_failed_ = true;
      break;
    }
    out_begin_ += result.bytes;
  }
  if (out_begin_ == out_.size()) {
    out_.clear();
    out_begin_ = 0;
  }
  watch();
  return out_.empty() || write_failed_;
}

bool Link::fill() {
  if (!stream_) return false;
  const std::string write_problem = write_failed_ ? stream_->problem() : std::string();
  const std::span<char> room = reader_.prepare(read_size_);
  const IoResult result = stream_->read(room);
  switch (result.status) {
    case IoStatus::done:
      reader_.commit(result.bytes);
      drained_ = result.drained;
      if (result.bytes == room.size()) read_size_ = std::min(2 * read_size_, kLargestRead);
      return true;
    case IoStatus::again:
      drained_ = true;
      if (write_failed_) {
        fail(ErrorClass::connection, fmt::format("cannot write to {}: {}", server_, write_problem));
      } else if (stream_->wants_to_write()) {
        watch();
      }
      return false;
    case IoStatus::closed:
      fail(ErrorClass::connection, fmt::format("{} closed the connection", server_));
      return false;
    case IoStatus::failed:
      fail(ErrorClass::connection,
           fmt::format("cannot read from {}: {}", server_, stream_->problem()));
      return false;
  }
  return false;
}

std::optional<RespReply> Link::next_reply() {
  switch (reader_.next()) {
    case RespReader::Status::complete: return reader_.reply();
    case RespReader::Status::incomplete: return std::nullopt;
    case RespReader::Status::malformed:
      fail(ErrorClass::bad_reply,
           fmt::format("{} does not speak the Redis protocol: {}; check host and port", server_,
                       reader_.problem()));
      return std::nullopt;
  }
  return std::nullopt;
}

void Link::fail(ErrorClass error, std::string detail) {
  hide(detail, password_);
  const bool was_reaching =
      state_ == State::connecting || state_ == State::securing || state_ == State::greeting;
  // Whoever answered with an error was reached.
  if (was_reaching && (error == ErrorClass::connection || error == ErrorClass::timeout)) {
    source_->unreachable();
  }
  close();
  failure_ = Failure{error, std::move(detail)};
}

void Link::refuse(const Failure& failure) {
  source_->refused(failure);
  close();
}

std::optional<Failure> Link::take_failure() { return std::exchange(failure_, std::nullopt); }

void Link::drop_socket() {
  stream_.reset();
  // Closing takes it out of the epoll set: nothing else refers to it (close-on-exec, no dup).
  if (watched_ != 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, socket_.get(), nullptr);
  socket_.reset();
  watched_ = 0;
  out_.clear();
  out_begin_ = 0;
  write_failed_ = false;
  drained_ = false;
}

void Link::close() {
  if (state_ == State::locating) source_->cancel();
  forget_source();
  drop_socket();
  state_ = State::closed;
}

void Link::forget_source() {
  if (source_watched_) epoll_ctl(epoll_, EPOLL_CTL_DEL, source_->descriptor(), nullptr);
  source_watched_ = false;
}

std::string Link::step() const {
  switch (state_) {
    case State::closed: return "not connected";
    case State::locating: return source_->step();
    case State::connecting: return "connecting to " + server_;
    case State::securing:
      return fmt::format("securing the connection to {} (does this port speak TLS?)", server_);
    case State::greeting:
      return fmt::format("waiting for {} to answer {}", server_, greetings_[greeted_].name);
    case State::ready: return "waiting for " + server_;
  }
  return {};
}

}  // namespace nandi::redis
