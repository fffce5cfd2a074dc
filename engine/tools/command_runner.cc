#include "command_runner.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace nandi::tools {
namespace {

constexpr int kCannotRun = 127;

/// The environment with our three variables set, made before fork(): after it, only
/// async-signal-safe calls are allowed.
std::vector<std::string> environment_for(const Peer& peer) {
  std::vector<std::string> result{fmt::format("NANDI_INDEX={}", peer.index()),
                                  fmt::format("NANDI_REPLICAS={}", peer.replicas()),
                                  fmt::format("NANDI_TOKEN={}", peer.token())};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const bool ours = text.starts_with("NANDI_INDEX=") || text.starts_with("NANDI_REPLICAS=") ||
                      text.starts_with("NANDI_TOKEN=");
    // The command has no business with the server's password.
    const bool secret =
        text.starts_with("NANDI_REDIS_PASSWORD=") || text.starts_with("NANDI_REDIS_URL=");
    if (!ours && !secret) result.emplace_back(text);
  }
  return result;
}

[[noreturn]] void become(const char* command, char* const* environment) {
  setpgid(0, 0);
  // The command does not outlive a worker that was killed: nobody would renew its lease.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // our standard output has pairs on it and nothing else
  const std::array<const char*, 4> words{"sh", "-c", command, nullptr};
  execve("/bin/sh", const_cast<char* const*>(words.data()), environment);
  _exit(kCannotRun);
}

std::string outcome(const siginfo_t& info) {
  return fmt::format(R"("{}":{})", info.si_code == CLD_EXITED ? "status" : "signal",
                     info.si_status);
}

}  // namespace

CommandRunner::CommandRunner(std::string command, std::chrono::milliseconds drain, Report report)
    : command_(std::move(command)), drain_(drain), report_(std::move(report)) {}

CommandRunner::~CommandRunner() { stop(); }

void CommandRunner::start(const Peer& peer) {
  const std::vector<std::string> environment = environment_for(peer);
  std::vector<char*> pointers;
  pointers.reserve(environment.size() + 1);
  for (const std::string& entry : environment) pointers.push_back(const_cast<char*>(entry.data()));
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) become(command_.c_str(), pointers.data());
  if (child < 0) {
    report_(Level::error, "command not started",
            fmt::format(R"("detail":"fork: {}")", std::strerror(errno)));
    return;
  }
  setpgid(child, child);  // in both processes, as either may be first
  report_(Level::info, "command started",
          fmt::format(R"("pid":{},"i":{},"n":{},"token":{})", child, peer.index(), peer.replicas(),
                      peer.token()));
  running_ = true;
  group_ = child;
  watcher_ = std::thread([this, child] { watch(child); });
}

void CommandRunner::watch(pid_t child) {
  // Not reaped here: as long as it is a zombie its number, which names the group, is not reused.
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  report_(Level::info, "command ended", fmt::format(R"("pid":{},{})", child, outcome(info)));
  const std::scoped_lock lock(mutex_);
  running_ = false;
  changed_.notify_one();
}

bool CommandRunner::wait_until_ended(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return !running_; });
}

void CommandRunner::stop() {
  if (group_ < 0) return;
  kill(-group_, SIGTERM);
  if (!wait_until_ended(drain_)) {
    report_(Level::warn, "command killed",
            fmt::format(R"("pid":{},"drain":{})", group_, drain_.count()));
    kill(-group_, SIGKILL);
  }
  watcher_.join();
  kill(-group_, SIGKILL);  // what the command left behind in its group
  waitpid(group_, nullptr, 0);
  group_ = -1;
}

}  // namespace nandi::tools
