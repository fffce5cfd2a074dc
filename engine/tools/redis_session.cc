#include "redis_session.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "redis/endpoint_source.h"
#include "redis/stream.h"

namespace nandi::tools {
namespace {

std::string encode(const Words& words) {
  std::string bytes = fmt::format("*{}\r\n", words.size());
  for (const std::string& word : words) bytes += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return bytes;
}

Reply take(RespReply reply, std::size_t& position) {
  const RespValue& value = reply[position++];
  Reply taken{value.type, value.integer, std::string(value.text), {}};
  if (value.type != RespType::array) return taken;
  for (std::int64_t i = 0; i < value.integer; ++i) taken.elements.push_back(take(reply, position));
  return taken;
}

Failure no_answer(const std::string& server) {
  return {ErrorClass::timeout, fmt::format("no reply from {} in time", server)};
}

}  // namespace

RedisSession::RedisSession(const RedisOptions& options, std::chrono::milliseconds patience)
    : options_(options),
      patience_(patience.count() * kNanosecondsPerMillisecond),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw std::system_error(errno, std::generic_category(), "creating an epoll set");
  // Any node of a cluster answers questions about the cluster: the first is as good as another.
  RedisUrl& url = options_.url;
  if (url.kind == RedisKind::cluster) url.kind = RedisKind::server;
  link_ = std::make_unique<redis::Link>(epoll_.get(), url, redis::make_source(options_),
                                        redis::make_streams(options_));
}

std::optional<Failure> RedisSession::connect() {
  const LocalTime end = clock_.now() + patience_;
  if (link_->state() != redis::Link::State::closed) link_->close();
  link_->open(clock_.now(), end);
  while (!link_->ready()) {
    if (auto failure = link_->take_failure()) return failure;
    if (link_->state() == redis::Link::State::closed) return no_answer(link_->server());
    wait(std::min(end, link_->next_wakeup()));
    link_->advance(clock_.now());
  }
  return std::nullopt;
}

std::variant<Answered, Failure> RedisSession::ask(std::span<const Words> questions) {
  if (!link_->ready()) {
    if (auto failure = connect()) return *std::move(failure);
  }
  std::string bytes;
  for (const Words& question : questions) bytes += encode(question);
  Answered answered;
  answered.sent = clock_.now();
  const LocalTime end = answered.sent + patience_;
  link_->send(bytes);
  while (answered.replies.size() < questions.size()) {
    if (const auto reply = link_->next_reply()) {
      answered.received.push_back(clock_.now());
      std::size_t position = 0;
      answered.replies.push_back(take(*reply, position));
      continue;
    }
    if (link_->ready() && link_->fill()) continue;
    if (auto failure = link_->take_failure()) return *std::move(failure);
    const LocalTime now = clock_.now();
    if (!link_->ready() || now >= end) {
      // What comes later must not answer the next question.
      link_->close();
      return no_answer(link_->server());
    }
    wait(end);
    link_->advance(clock_.now());
  }
  return answered;
}

Reply RedisSession::ask(const Words& question) {
  auto result = ask(std::span<const Words>(&question, 1));
  if (auto* answered = std::get_if<Answered>(&result)) return std::move(answered->replies.front());
  const Failure& failure = std::get<Failure>(result);
  return {RespType::error, 0, fmt::format("{}: {}", to_string(failure.error), failure.detail), {}};
}

void RedisSession::wait(LocalTime until) const {
  const std::int64_t left = std::max<std::int64_t>((until - clock_.now()).count(), 0);
  constexpr std::int64_t kLongest = 1'000'000'000'000;
  pollfd entry{epoll_.get(), POLLIN, 0};
  poll(&entry, 1, static_cast<int>(std::min(left, kLongest) / kNanosecondsPerMillisecond) + 1);
}

}  // namespace nandi::tools
