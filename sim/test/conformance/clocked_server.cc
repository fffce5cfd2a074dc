#include "conformance/clocked_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace nandi::test {
namespace {

using Shown = std::atomic<std::int64_t>;
constexpr int kPatienceMs = 10'000;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

}  // namespace

RawClient::RawClient(const std::string& socket_path) {
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    close(socket_);
    fail("connecting to " + socket_path);
  }
}

RawClient::~RawClient() { close(socket_); }

void RawClient::send(const std::vector<std::vector<std::string>>& commands) const {
  std::string bytes;
  for (const std::vector<std::string>& words : commands) {
    bytes += "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& word : words) {
      bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    }
  }
  // A connection that was closed shows when the reply is read.
  if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0 && errno != EPIPE) {
    fail("writing to the server");
  }
}

std::optional<std::string> RawClient::read() {
  std::size_t end = 0;
  while ((end = end_of(0)) == std::string::npos) {
    await_reply();
    char bytes[4096];
    const ssize_t size = recv(socket_, bytes, sizeof bytes, 0);
    if (size == 0 || (size < 0 && errno == ECONNRESET)) return std::nullopt;
    if (size < 0) fail("reading from the server");
    buffer_.append(bytes, static_cast<std::size_t>(size));
  }
  std::string reply = buffer_.substr(0, end);
  buffer_.erase(0, end);
  return reply;
}

std::optional<std::string> RawClient::ask(const std::vector<std::string>& words) {
  send({words});
  return read();
}

void RawClient::await_reply() const {
  pollfd polled{socket_, POLLIN, 0};
  if (poll(&polled, 1, kPatienceMs) <= 0) throw std::runtime_error("the server does not answer");
}

std::size_t RawClient::end_of(std::size_t begin) const {
  const std::size_t line = buffer_.find("\r\n", begin);
  if (line == std::string::npos) return line;
  const char type = buffer_[begin];
  const long count =
      type == '$' || type == '*' ? std::stol(buffer_.substr(begin + 1, line - begin - 1)) : 0;
  std::size_t end = line + 2;
  if (type == '$' && count >= 0) {
    end += static_cast<std::size_t>(count) + 2;
    return end <= buffer_.size() ? end : std::string::npos;
  }
  for (long element = 0; type == '*' && element < count; ++element) {
    end = end_of(end);
    if (end == std::string::npos) return end;
  }
  return end;
}

ClockedServer::ClockedServer() {
  const std::string path = directory_.path() + "/clock";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(Shown)) != 0) fail("making " + path);
  shown_ = mmap(nullptr, sizeof(Shown), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (shown_ == MAP_FAILED) fail("mapping " + path);
  new (shown_) Shown(1'700'000'000'000'000);
  const std::string program = find_program("env").value_or("/usr/bin/env");
  server_ = std::make_unique<RedisServer>(
      std::vector<std::string>{}, std::vector<std::string>{program, "LD_PRELOAD=" NANDI_CLOCK_SHIM,
                                                           "NANDI_SERVER_CLOCK=" + path});
}

ClockedServer::~ClockedServer() {
  server_.reset();
  munmap(shown_, sizeof(Shown));
}

void ClockedServer::set_clock(std::int64_t microseconds) {
  static_cast<Shown*>(shown_)->store(microseconds);
}

std::unique_ptr<RawClient> ClockedServer::client() const {
  return std::make_unique<RawClient>(server_->socket_path());
}

}  // namespace nandi::test
