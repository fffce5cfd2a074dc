// A TCP proxy of the test's own between a client and a server on this machine, which treats either
// direction badly on request: late, byte by byte, not at all.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace nandi::test {

/// What happens to the bytes of one direction, from the moment they are read.
struct Treatment {
  std::chrono::milliseconds delay{0};  ///< passed on that much later
  std::chrono::milliseconds drip{0};   ///< one byte per that time; 0: all at once
  bool hold = false;                   ///< kept until the treatment changes
  bool swallow = false;                ///< thrown away
};

class DelayProxy {
 public:
  /// Listens on a free port of 127.0.0.1 and forwards to `server_port` there.
  explicit DelayProxy(std::uint16_t server_port);
  ~DelayProxy();
  DelayProxy(const DelayProxy&) = delete;
  DelayProxy& operator=(const DelayProxy&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

  void requests(Treatment treatment);
  void replies(Treatment treatment);

  /// Closes the connections there are.
  void cut();
  /// Forgets the connections there are without closing them: each end waits for ever, as after a
  /// firewall lost its state. New ones are served.
  void half_open();
  /// New connections are reset at once.
  void refuse(bool on);

  /// Connections accepted so far, refused ones included.
  [[nodiscard]] int connections() const { return connections_; }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Chunk {
    TimePoint due;
    std::vector<char> bytes;
  };
  struct Direction {
    int from = -1;
    int to = -1;
    std::vector<Chunk> queue;
    TimePoint last_byte{};
    bool ended = false;      ///< `from` has ended
    bool passed_on = false;  ///< and `to` was told
  };
  struct Pipe {
    Direction request;
    Direction reply;
    bool forgotten = false;
  };

  void run();
  void accept_one();
  void read_from(Direction& direction, const Treatment& treatment, TimePoint now);
  void write_due(Direction& direction, const Treatment& treatment, TimePoint now);
  void close_pipe(Pipe& pipe);
  void wake();

  std::uint16_t server_port_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int waker_ = -1;
  std::mutex mutex_;  ///< of everything below
  Treatment request_treatment_;
  Treatment reply_treatment_;
  std::vector<std::unique_ptr<Pipe>> pipes_;
  bool refuse_ = false;
  bool stop_ = false;
  std::atomic<int> connections_{0};
  std::thread thread_;
};

}  // namespace nandi::test
