#include "delay_proxy.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace nandi::test {
namespace {

using namespace std::chrono_literals;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

DelayProxy::DelayProxy(std::uint16_t server_port)
    : server_port_(server_port),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      waker_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener_, 128) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("the proxy cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

DelayProxy::~DelayProxy() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake();
  thread_.join();
  for (const auto& pipe : pipes_) close_pipe(*pipe);
  close(listener_);
  close(waker_);
}

void DelayProxy::wake() { eventfd_write(waker_, 1); }

void DelayProxy::requests(Treatment treatment) {
  const std::lock_guard lock(mutex_);
  request_treatment_ = treatment;
  wake();
}

void DelayProxy::replies(Treatment treatment) {
  const std::lock_guard lock(mutex_);
  reply_treatment_ = treatment;
  wake();
}

void DelayProxy::cut() {
  const std::lock_guard lock(mutex_);
  for (const auto& pipe : pipes_) close_pipe(*pipe);
  pipes_.clear();
  wake();
}

void DelayProxy::half_open() {
  const std::lock_guard lock(mutex_);
  for (const auto& pipe : pipes_) pipe->forgotten = true;
  wake();
}

void DelayProxy::refuse(bool on) {
  const std::lock_guard lock(mutex_);
  refuse_ = on;
}

void DelayProxy::close_pipe(Pipe& pipe) {
  close(pipe.request.from);
  close(pipe.request.to);
}

void DelayProxy::accept_one() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client < 0) return;
  ++connections_;
  const linger reset{1, 0};
  const int server = refuse_ ? -1 : socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(server_port_);
  if (server < 0 ||
      connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(client);
    if (server >= 0) close(server);
    return;
  }
  const int on = 1;
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto pipe = std::make_unique<Pipe>();
  pipe->request.from = pipe->reply.to = client;
  pipe->request.to = pipe->reply.from = server;
  pipes_.push_back(std::move(pipe));
}

void DelayProxy::read_from(Direction& direction, const Treatment& treatment, TimePoint now) {
  std::vector<char> bytes(16384);
  const ssize_t size = recv(direction.from, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size < 0) {
    direction.ended = errno != EAGAIN && errno != EINTR;
    return;
  }
  if (size == 0) {
    direction.ended = true;
    return;
  }
  if (treatment.swallow) return;
  bytes.resize(static_cast<std::size_t>(size));
  direction.queue.push_back({now + treatment.delay, std::move(bytes)});
}

void DelayProxy::write_due(Direction& direction, const Treatment& treatment, TimePoint now) {
  if (treatment.hold) return;
  while (!direction.queue.empty() && direction.queue.front().due <= now) {
    Chunk& chunk = direction.queue.front();
    std::size_t size = chunk.bytes.size();
    if (treatment.drip > 0ms) {
      if (now < direction.last_byte + treatment.drip) return;
      size = 1;
      direction.last_byte = now;
    }
    // The chunks of a test fit into the socket's buffer: a blocking write does not block.
    if (send(direction.to, chunk.bytes.data(), size, MSG_NOSIGNAL) < 0) direction.ended = true;
    chunk.bytes.erase(chunk.bytes.begin(), chunk.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    if (chunk.bytes.empty()) direction.queue.erase(direction.queue.begin());
    if (treatment.drip > 0ms) return;
  }
  if (direction.ended && direction.queue.empty() && !direction.passed_on) {
    direction.passed_on = true;
    shutdown(direction.to, SHUT_WR);
  }
}

void DelayProxy::run() {
  for (;;) {
    std::vector<pollfd> polled{{listener_, POLLIN, 0}, {waker_, POLLIN, 0}};
    bool busy = false;
    {
      const std::lock_guard lock(mutex_);
      if (stop_) return;
      for (const auto& pipe : pipes_) {
        if (pipe->forgotten) continue;
        for (const Direction* direction : {&pipe->request, &pipe->reply}) {
          if (!direction->ended) polled.push_back({direction->from, POLLIN, 0});
          busy = busy || !direction->queue.empty();
        }
      }
    }
    poll(polled.data(), polled.size(), busy ? 1 : -1);
    eventfd_t ignored = 0;
    eventfd_read(waker_, &ignored);
    const std::lock_guard lock(mutex_);
    if (stop_) return;
    if (polled[0].revents != 0) accept_one();
    const TimePoint now = std::chrono::steady_clock::now();
    for (const auto& pipe : pipes_) {
      if (pipe->forgotten) continue;
      if (!pipe->request.ended) read_from(pipe->request, request_treatment_, now);
      if (!pipe->reply.ended) read_from(pipe->reply, reply_treatment_, now);
      write_due(pipe->request, request_treatment_, now);
      write_due(pipe->reply, reply_treatment_, now);
    }
    std::erase_if(pipes_, [this](const std::unique_ptr<Pipe>& pipe) {
      if (!pipe->request.passed_on || !pipe->reply.passed_on) return false;
      close_pipe(*pipe);
      return true;
    });
  }
}

}  // namespace nandi::test
