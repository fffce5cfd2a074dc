// nandi-worker: discover as a program. --help describes it, engine/README.md documents its log.
#include <fmt/format.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "command_runner.h"
#include "doctor/doctor_command.h"
#include "line_writer.h"
#include "metrics.h"
#include "nandi/engine/clock.h"
#include "nandi/engine/discover.h"
#include "nandi/engine/log_line.h"
#include "nandi/engine/redis_feed.h"
#include "probe/probe_command.h"
#include "worker_arguments.h"

namespace nandi::tools {
namespace {

WallReading wall_reading() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::milliseconds>(wall).count(), BootClock{}.now()};
}

/// Unlike that of any other incarnation: the process number and 32 bits from the kernel.
std::string new_worker_name() {
  std::uint32_t bits = 0;
  [[maybe_unused]] const auto bytes = getrandom(&bits, sizeof bits, 0);
  return fmt::format("{}-{:08x}", getpid(), bits);
}

/// Everything the program says besides its standard output.
class Voice {
 public:
  explicit Voice(const WorkerArguments& arguments)
      : identity_{arguments.options, new_worker_name()},
        least_(arguments.log_level),
        metrics_(arguments.options.name),
        writer_(STDERR_FILENO) {}

  void report(const Diagnostic& diagnostic, const ReportContext& context) {
    metrics_.count(diagnostic, context);
    if (level(diagnostic.code) >= least_) {
      writer_.write(log_line(identity_, wall_reading(), diagnostic, context));
    }
    if (!context.reading) return;
    if (context.findings.clock_frozen) {
      say(Level::warn, "server clock frozen",
          fmt::format(R"("server_ms":{})",
                      context.reading->at.count() / kNanosecondsPerMillisecond));
    }
    if (context.findings.round_trip_slow) {
      constexpr std::int64_t kPerMicrosecond = 1000;
      say(Level::warn, "round trip slow",
          fmt::format(R"("round_trip_us":{},"gap_us":{},"detail":"a renewal needs room for two )"
                      R"(round trips within the gap: use a longer interval")",
                      (context.reading->received - context.reading->sent).count() / kPerMicrosecond,
                      gap_margin(timing_of(identity_.options)).count() / kPerMicrosecond));
    }
  }
  void say(Level level, std::string_view message, const std::string& attributes) {
    if (level < least_) return;
    writer_.write(log_line(identity_, wall_reading(), level, message, attributes));
  }
  [[nodiscard]] const Metrics& metrics() const { return metrics_; }

 private:
  LogIdentity identity_;
  Level least_;
  Metrics metrics_;
  LineWriter writer_;
};

/// Turns the first SIGTERM or SIGINT into a stop request. A second one, or the end of the drain
/// time, ends the process as it is.
class SignalWatch {
 public:
  explicit SignalWatch(std::chrono::milliseconds drain) {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGUSR1);  // our own, to end the thread
    // Before any other thread exists, so that all inherit the mask.
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    signal(SIGPIPE, SIG_IGN);
    thread_ = std::thread([this, drain] { watch(drain); });
  }
  ~SignalWatch() {
    done_.request_stop();
    pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
  void request_stop() { stop_.request_stop(); }

 private:
  void watch(std::chrono::milliseconds drain) {
    int number = SIGUSR1;
    while (number == SIGUSR1) {
      sigwait(&signals_, &number);
      if (done_.stop_requested()) return;
    }
    stop_.request_stop();
    const LocalTime end = BootClock{}.now() + Duration(drain.count() * kNanosecondsPerMillisecond);
    while (!done_.stop_requested() && BootClock{}.now() < end) {
      const std::int64_t left = std::max<std::int64_t>((end - BootClock{}.now()).count(), 0);
      const timespec patience{left / kNanosecondsPerSecond, left % kNanosecondsPerSecond};
      sigtimedwait(&signals_, nullptr, &patience);
    }
    if (!done_.stop_requested()) _exit(0);
  }

  sigset_t signals_{};
  std::stop_source stop_;
  std::stop_source done_;
  std::thread thread_;
};

/// A share of the drain time that is kept for what follows the command's end.
std::chrono::milliseconds command_drain(std::chrono::milliseconds drain) {
  return drain - std::min(drain / 5, std::chrono::milliseconds(200));
}

/// One line per pair, at once. Waits for a reader that is slow, but not past a stop's drain time.
WriteResult hand_out(const Peer& peer, const std::stop_token& stop,
                     std::chrono::milliseconds drain) {
  constexpr int kSliceMs = 100;  // how often a blocked writer looks for a stop
  const std::string line =
      peer.idle() ? "{\"i\":null,\"n\":null}\n"
                  : fmt::format("{{\"i\":{},\"n\":{}}}\n", peer.index(), peer.replicas());
  while (!stop.stop_requested()) {
    const WriteResult result = write_all(STDOUT_FILENO, line, kSliceMs);
    if (result != WriteResult::timed_out) return result;
  }
  return write_all(STDOUT_FILENO, line, static_cast<int>(command_drain(drain).count()));
}

int run(const WorkerArguments& arguments) {
  SignalWatch signals(arguments.drain);
  Voice voice(arguments);
  std::optional<MetricsPublisher> publisher;
  if (!arguments.metrics.empty()) publisher.emplace(voice.metrics(), arguments.metrics);
  for (const std::string& warning : arguments.warnings) {
    voice.say(Level::warn, "option warning", fmt::format(R"("detail":{})", json_string(warning)));
  }
  CommandRunner command(
      arguments.command, command_drain(arguments.drain),
      [&voice](Level level, std::string_view message, const std::string& attributes) {
        voice.say(level, message, attributes);
      });
  auto feed = redis_feed(arguments.redis, arguments.options,
                         [&voice](const Diagnostic& diagnostic, const ReportContext& context) {
                           voice.report(diagnostic, context);
                         });
  for (const Peer& peer : discover(std::move(feed), signals.token())) {
    command.stop();
    if (hand_out(peer, signals.token(), arguments.drain) == WriteResult::reader_gone) {
      voice.say(Level::error, "output closed", R"("detail":"nobody reads standard output")");
      signals.request_stop();
      continue;
    }
    if (!peer.idle() && !arguments.command.empty() && peer.still_valid()) command.start(peer);
  }
  return 0;
}

}  // namespace
}  // namespace nandi::tools

int main(int argc, char** argv) {
  using namespace nandi::tools;
  try {
    const std::string_view command = argc > 1 ? argv[1] : "";
    if (command == "doctor") return run_doctor(argc - 1, argv + 1);
    if (command == "probe") return run_probe(argc - 1, argv + 1);
    const auto arguments = parse_arguments(argc, argv);
    if (const auto* early = std::get_if<EarlyExit>(&arguments)) {
      std::fputs(early->text.c_str(), early->status == 0 ? stdout : stderr);
      return early->status;
    }
    return run(std::get<WorkerArguments>(arguments));
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "nandi-worker: {}\n", error.what());
    return kBadFile;
  } catch (const MetricsFileError& error) {
    fmt::print(stderr, "nandi-worker: {}\n", error.what());
    return kBadFile;
  } catch (const std::system_error& error) {
    fmt::print(stderr, "nandi-worker: {}\n", error.what());
    return kOwnBug;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "nandi-worker: {}\n", error.what());
    return kUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "nandi-worker: {}\n", error.what());
    return kOwnBug;
  }
}
