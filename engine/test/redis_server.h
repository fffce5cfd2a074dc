// A redis-server of the test's own: on a free loopback port and a unix socket, in a directory of
// its own, stopped by its process id. Without the binary, NANDI_NEEDS_REDIS() skips the test.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "nandi/engine/redis/redis_options.h"

namespace nandi::test {

/// A port of 127.0.0.1 that nobody listens on at this moment.
[[nodiscard]] std::uint16_t free_port();

/// The path of a program, or nullopt when it is not installed.
[[nodiscard]] std::optional<std::string> find_program(std::string_view name);

/// A child process in a directory; its output goes to `<directory>/<name>.log`. It ends with the
/// thread that made it.
class ChildProcess {
 public:
  ChildProcess(const std::vector<std::string>& command, const std::string& directory,
               const std::string& log_name);
  ~ChildProcess();  ///< SIGKILL and wait
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  void signal(int number) const;
  /// The exit status; -signal when a signal ended it.
  int wait();
  /// True once it has ended; never blocks.
  bool ended();
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

/// A directory that is removed with everything in it.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A plain blocking client for what a test does to the server behind the workers' backs.
/// Independent of the code under test.
class RedisClient {
 public:
  explicit RedisClient(const std::string& socket_path);
  ~RedisClient();
  RedisClient(const RedisClient&) = delete;
  RedisClient& operator=(const RedisClient&) = delete;
  /// Sends without waiting for the reply.
  void send(const std::vector<std::string>& words) const;
  /// The reply in one line: strings as they are, errors with their '-', nil as "(nil)", arrays with
  /// their elements separated by blanks. Throws std::runtime_error when the server does not answer
  /// within ten seconds.
  std::string ask(const std::vector<std::string>& words);
  std::string read_reply();

 private:
  std::string read_line();
  std::string read_exactly(std::size_t size);
  int socket_ = -1;
  std::string buffer_;
};

class RedisServer {
 public:
  /// `settings`: further command line arguments, such as {"--maxclients", "3"}. `launcher`: what
  /// the command line begins with, such as {"/usr/bin/env", "TZ=UTC"}; it has to become the server.
  /// Returns once the server answers.
  explicit RedisServer(std::vector<std::string> settings = {},
                       std::vector<std::string> launcher = {});

  [[nodiscard]] static bool installed();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const std::string& socket_path() const { return socket_path_; }
  [[nodiscard]] RedisOptions tcp() const;
  [[nodiscard]] RedisOptions unix_socket() const;

  /// Through a connection of its own. See RedisClient::ask().
  std::string ask(const std::vector<std::string>& words);
  [[nodiscard]] std::unique_ptr<RedisClient> client() const;

  void stop();    ///< SIGSTOP
  void resume();  ///< SIGCONT
  void kill();    ///< SIGKILL, without saving
  /// After kill(): a server on the same port and socket, empty unless SAVE was asked for. Adds
  /// settings. Returns once it answers, be it with LOADING.
  void restart(const std::vector<std::string>& settings = {});
  [[nodiscard]] pid_t pid() const { return process_->pid(); }
  [[nodiscard]] const std::string& directory() const { return directory_.path(); }

 private:
  void start();

  ScratchDirectory directory_;
  std::vector<std::string> settings_;
  std::vector<std::string> launcher_;
  std::uint16_t port_;
  std::string socket_path_;
  std::unique_ptr<ChildProcess> process_;
  std::unique_ptr<RedisClient> client_;
};

}  // namespace nandi::test

#define NANDI_NEEDS_REDIS()                            \
  do {                                                 \
    if (!nandi::test::RedisServer::installed()) {      \
      GTEST_SKIP() << "redis-server is not installed"; \
    }                                                  \
  } while (false)
