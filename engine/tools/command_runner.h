// Runs a command for as long as a pair is owned.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "nandi/engine/peer.h"

namespace nandi::tools {

/// Starts `sh -c COMMAND` in a process group of its own with NANDI_INDEX, NANDI_REPLICAS and
/// NANDI_TOKEN set, its standard output on our standard error. From one thread.
class CommandRunner {
 public:
  /// Told what happened: "command started", "command ended" with its attributes as JSON members.
  using Report =
      std::function<void(Level, std::string_view message, const std::string& attributes)>;

  CommandRunner(std::string command, std::chrono::milliseconds drain, Report report);
  /// Stops what still runs.
  ~CommandRunner();
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;

  /// Precondition: nothing runs, the peer is not idle.
  void start(const Peer& peer);
  /// SIGTERM to the group, SIGKILL after the drain time; returns when the command has ended.
  /// Nothing running: returns at once.
  void stop();

 private:
  void watch(pid_t child);
  bool wait_until_ended(std::chrono::milliseconds patience);

  std::string command_;
  std::chrono::milliseconds drain_;
  Report report_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false;  // guarded by mutex_
  pid_t group_ = -1;
  std::thread watcher_;
};

}  // namespace nandi::tools
