#include <sys/socket.h>

#include <cerrno>
#include <system_error>

#include "redis/stream.h"

namespace nandi::redis {
namespace {

class PlainStream final : public Stream {
 public:
  explicit PlainStream(int socket) : socket_(socket) {}

  IoStatus handshake() override { return IoStatus::done; }

  IoResult read(std::span<char> room) override {
    const ssize_t bytes = recv(socket_, room.data(), room.size(), MSG_DONTWAIT);
    if (bytes == 0) return {IoStatus::closed};
    if (bytes < 0) return {status_of_error()};
    const auto size = static_cast<std::size_t>(bytes);
    return {IoStatus::done, size, size < room.size()};
  }

  IoResult write(std::string_view bytes) override {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) return {status_of_error()};
    return {IoStatus::done, static_cast<std::size_t>(sent)};
  }

  [[nodiscard]] bool wants_to_write() const override { return false; }

  [[nodiscard]] std::string problem() const override {
    return std::generic_category().message(error_);
  }

 private:
  IoStatus status_of_error() {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return IoStatus::again;
    error_ = errno;
    return IoStatus::failed;
  }

  int socket_;
  int error_ = 0;
};

class PlainStreams final : public StreamFactory {
 public:
  std::unique_ptr<Stream> make(int socket, const std::string& /*host*/) override {
    return std::make_unique<PlainStream>(socket);
  }
};

}  // namespace

std::unique_ptr<StreamFactory> make_plain_streams() { return std::make_unique<PlainStreams>(); }

}  // namespace nandi::redis
