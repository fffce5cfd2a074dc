// nandi-worker as a program: its arguments, outputs, signals, commands and metrics.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "worker_process.h"

namespace nandi {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::RedisServer;
using test::ScratchDirectory;
using test::WorkerProcess;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Arguments of a worker with a short interval, and some more.
std::vector<std::string> quick(const RedisServer& server, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"--redis",        "redis+unix://" + server.socket_path(),
                                     "--name",         "g",
                                     "--interval",     "300ms",
                                     "--first-spread", "0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(NandiWorker, writes_exactly_the_pairs_on_standard_output) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  WorkerProcess worker(quick(server), server.directory(), "worker");
  ASSERT_TRUE(eventually(20s, [&] { return worker.pair().has_value(); }));
  worker.process().signal(SIGINT);
  EXPECT_EQ(worker.process().wait(), 0);
  const auto lines = worker.output_lines();
  ASSERT_GE(lines.size(), 2U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i], i % 2 == 0 ? R"({"i":0,"n":1})" : R"({"i":null,"n":null})");
  }
  EXPECT_EQ(lines.size() % 2, 0U) << "idle is handed last";
  EXPECT_EQ(worker.log().front()["message"], "discover started");
  EXPECT_EQ(worker.log().back()["message"], "discover stopped");
}

TEST(NandiWorker, takes_the_positional_form) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  WorkerProcess worker({"127.0.0.1", std::to_string(server.port()), "g", "300", "0.2"},
                       server.directory(), "worker");
  ASSERT_TRUE(eventually(20s, [&] { return worker.pair().has_value(); }));
  EXPECT_EQ(worker.log().front()["gap"], 0.2);
  EXPECT_EQ(worker.log().front()["interval"], 300);
  EXPECT_THAT(server.ask({"KEYS", "*"}), HasSubstr("{g}:"));
}

/// Runs with arguments that cannot work; its exit status and what it said.
std::pair<int, std::string> refused(const std::vector<std::string>& arguments) {
  const ScratchDirectory directory;
  WorkerProcess worker(arguments, directory.path(), "worker");
  const int status = worker.process().wait();
  EXPECT_EQ(worker.output(), "");
  return {status, worker.errors()};
}

TEST(NandiWorker, refuses_wrong_usage_with_what_would_be_right) {
  using testing::Pair;
  EXPECT_THAT(refused({}), Pair(64, HasSubstr("no server: give --redis")));
  EXPECT_THAT(refused({"--redis", "redis://h", "--interval", "5s"}),
              Pair(64, HasSubstr("no group: give --name")));
  EXPECT_THAT(refused({"--redis", "redis://h", "--name", "g"}),
              Pair(64, HasSubstr("no interval: give --interval")));
  EXPECT_THAT(refused({"--redis", "redis://h", "--name", "g", "--interval", "5"}),
              Pair(64, HasSubstr("number with a unit")));
  EXPECT_THAT(refused({"--redis", "redis://h", "--name", "g", "--interval", "1s", "--gap", "0.5"}),
              Pair(64, HasSubstr("between 0 and 0.5")));
  EXPECT_THAT(
      refused({"--redis", "redis://h", "--name", "g", "--interval", "1s", "--timeout", "200ms"}),
      Pair(64, HasSubstr("50ms too late")));
  EXPECT_THAT(refused({"h", "1", "g"}), Pair(64, HasSubstr("HOST PORT NAME INTERVAL_MS")));
  EXPECT_THAT(refused({"h", "1", "g", "5s"}), Pair(64, HasSubstr("INTERVAL_MS")));
  EXPECT_THAT(refused({"h", "99999", "g", "5000"}), Pair(64, HasSubstr("port")));
  EXPECT_THAT(refused({"--redis", "http://h", "--name", "g", "--interval", "1s"}),
              Pair(64, HasSubstr("URL")));
  EXPECT_THAT(refused({"--redis", "redis://h", "--name", "g", "--interval", "1s", "--log", "loud"}),
              Pair(64, HasSubstr("trace, debug, info, warn, error")));
  EXPECT_THAT(refused({"--redis-file", "/nonexistent", "--name", "g", "--interval", "1s"}),
              Pair(65, HasSubstr("/nonexistent")));
  EXPECT_THAT(refused({"--interva", "1s"}), Pair(64, HasSubstr("--interva")));
}

TEST(NandiWorker, warns_about_a_gap_without_room_for_a_retry_and_works) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  WorkerProcess worker(quick(server, {"--gap", "0.1"}), server.directory(), "worker");
  ASSERT_TRUE(eventually(20s, [&] { return worker.count("option warning") == 1; }));
  EXPECT_TRUE(eventually(20s, [&] { return worker.pair().has_value(); }));
}

TEST(NandiWorker, shows_no_password_in_its_arguments_or_its_log) {
  NANDI_NEEDS_REDIS();
  RedisServer server({"--requirepass", "hush-hush"});
  WorkerProcess worker({"--redis", "redis+unix://:wrong-secret@" + server.socket_path(), "--name",
                        "g", "--interval", "300ms", "--first-spread", "0", "--log", "trace"},
                       server.directory(), "worker");
  EXPECT_TRUE(eventually(20s, [&] { return worker.count("registration failed") >= 2; }));
  EXPECT_THAT(worker.errors(), HasSubstr(R"("error":"noauth")"));
  EXPECT_THAT(worker.errors(), Not(HasSubstr("wrong-secret")));
  const std::string arguments =
      test::read_file(fmt::format("/proc/{}/cmdline", worker.process().pid()));
  EXPECT_THAT(arguments, HasSubstr("nandi-worker"));
  EXPECT_THAT(arguments, Not(HasSubstr("wrong-secret")));
  EXPECT_FALSE(worker.process().ended());
}

TEST(NandiWorker, takes_the_password_from_the_environment_or_a_file) {
  NANDI_NEEDS_REDIS();
  RedisServer server({"--requirepass", "hush-hush"});
  WorkerProcess by_environment(quick(server), server.directory(), "environment",
                               "NANDI_REDIS_PASSWORD=hush-hush");
  EXPECT_TRUE(eventually(20s, [&] { return by_environment.pair().has_value(); }));
  by_environment.process().signal(SIGTERM);
  by_environment.process().wait();

  const std::string file = server.directory() + "/password";
  std::ofstream(file) << "hush-hush\n";
  WorkerProcess by_file(quick(server, {"--password-file", file}), server.directory(), "file");
  EXPECT_TRUE(eventually(20s, [&] { return by_file.pair().has_value(); }));
}

TEST(NandiWorker, runs_a_command_for_as_long_as_it_owns_a_pair) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  const std::string trace = server.directory() + "/trace";
  const std::string script = fmt::format(
      "trap 'echo ended >>{0}; exit 0' TERM; "
      "echo $NANDI_INDEX $NANDI_REPLICAS $NANDI_TOKEN >>{0}; echo noise; "
      "while :; do sleep 0.05; done",
      trace);
  WorkerProcess worker(quick(server, {"--exec", script}), server.directory(), "worker");
  ASSERT_TRUE(eventually(20s, [&] { return test::read_file(trace).ends_with("\n"); }));
  EXPECT_THAT(test::read_file(trace), testing::MatchesRegex("0 1 [0-9]+\n"));
  worker.process().signal(SIGTERM);
  EXPECT_EQ(worker.process().wait(), 0);
  EXPECT_THAT(test::read_file(trace), HasSubstr("\nended\n"));
  EXPECT_THAT(worker.output(), Not(HasSubstr("noise")));
  EXPECT_THAT(worker.errors(), HasSubstr("noise"));
  EXPECT_GE(worker.count("command ended"), 1);
}

TEST(NandiWorker, kills_a_command_that_outlasts_the_drain_time_and_still_ends_within_it) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  WorkerProcess worker(quick(server, {"--drain", "1s", "--exec",
                                      "trap '' TERM; echo up; while :; do sleep 0.05; done"}),
                       server.directory(), "worker");
  ASSERT_TRUE(eventually(20s, [&] { return worker.errors().find("up\n") != std::string::npos; }));
  const auto before = std::chrono::steady_clock::now();
  worker.process().signal(SIGTERM);
  EXPECT_EQ(worker.process().wait(), 0);
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_GE(took, 700ms);
  EXPECT_LT(took, 5s);
  EXPECT_EQ(worker.count("command killed"), 1);
  EXPECT_EQ(worker.count("consumer overran"), 1);
}

// Case A22: the command does not stop when its lease is lost. The lease ends when it should, and
// the log says by how much the command outlasted it: the 0.8 s that a drain time of 1 s leaves to
// it.
TEST(NandiWorker, a_command_that_outlasts_its_lease_is_reported_with_by_how_much) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  WorkerProcess worker(quick(server, {"--log", "trace", "--drain", "1s", "--exec",
                                      "trap '' TERM; echo up; while :; do sleep 0.05; done"}),
                       server.directory(), "worker");
  ASSERT_TRUE(eventually(20s, [&] { return worker.errors().find("up\n") != std::string::npos; }));
  server.stop();
  EXPECT_TRUE(eventually(20s, [&] { return worker.count("consumer overran") >= 1; }));
  server.resume();
  std::int64_t end_us = 0;
  for (const auto& line : worker.log()) {
    if (line["message"] == "lease expired" && end_us == 0) {
      end_us = line["local_us"].get<std::int64_t>() -
               static_cast<std::int64_t>(line["noticed"].get<double>() * 1000);
      // Its slot plus gap, so within the interval after that of its registration.
      EXPECT_LE(line["store_us"][1].get<std::int64_t>(),
                (line["interval"].get<std::int64_t>() + 2) * 300'000);
    }
    if (line["message"] != "consumer overran") continue;
    EXPECT_GT(end_us, 0);
    EXPECT_GE(line["by"].get<double>(), 800.0);
    EXPECT_NEAR(line["by"].get<double>() * 1000,
                static_cast<double>(line["local_us"].get<std::int64_t>() - end_us), 5000.0);
    EXPECT_EQ(line["cause"], "error");
    break;
  }
}

TEST(NandiWorker, a_command_does_not_outlive_a_worker_that_is_killed) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  WorkerProcess worker(quick(server, {"--exec", "echo pid $$; while :; do sleep 0.05; done"}),
                       server.directory(), "worker");
  ASSERT_TRUE(eventually(20s, [&] { return worker.count("command started") == 1; }));
  pid_t command = -1;
  for (const auto& line : worker.log()) {
    if (line["message"] == "command started") command = line["pid"];
  }
  ASSERT_GT(command, 0);
  worker.process().signal(SIGKILL);
  worker.process().wait();
  // Gone, or a zombie that whoever inherits orphans has not collected.
  EXPECT_TRUE(eventually(10s, [&] {
    const std::string state = test::read_file(fmt::format("/proc/{}/stat", command));
    return state.empty() || state.find(") Z ") != std::string::npos;
  }));
}

TEST(NandiWorker, stops_when_nobody_reads_its_output) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  // The reader leaves at once; the first pair finds the pipe closed.
  const std::string command = fmt::format(
      "{} --redis redis+unix://{} --name g --interval 300ms --first-spread 0 2>{}/err | "
      "true",
      NANDI_WORKER_PROGRAM, server.socket_path(), server.directory());
  test::ChildProcess pipeline({"/bin/sh", "-c", command}, server.directory(), "pipeline");
  EXPECT_TRUE(eventually(20s, [&] { return pipeline.ended(); }));
  EXPECT_THAT(test::read_file(server.directory() + "/err"), HasSubstr("output closed"));
}

/// What 127.0.0.1:port answers to a GET.
std::string get(std::uint16_t port) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
    [[maybe_unused]] const auto written = write(connection, request.data(), request.size());
    std::array<char, 4096> buffer{};
    for (ssize_t size = 0; (size = read(connection, buffer.data(), buffer.size())) > 0;) {
      answer.append(buffer.data(), static_cast<std::size_t>(size));
    }
  }
  close(connection);
  return answer;
}

TEST(NandiWorker, publishes_metrics_on_a_loopback_port_and_in_a_file) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  const std::uint16_t port = test::free_port();
  WorkerProcess on_port(quick(server, {"--metrics", std::to_string(port)}), server.directory(),
                        "port");
  EXPECT_TRUE(eventually(20s, [&] {
    return get(port).find("\nnandi_lease_held{group=\"g\"} 1\n") != std::string::npos;
  }));
  EXPECT_THAT(get(port), HasSubstr("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(get(port), HasSubstr("\n# TYPE nandi_round_trip_seconds histogram\n"));

  const std::string file = server.directory() + "/metrics";
  WorkerProcess in_file(quick(server, {"--metrics", file}), server.directory(), "file");
  EXPECT_TRUE(eventually(20s, [&] {
    return test::read_file(file).find("\nnandi_lease_held{group=\"g\"} 1\n") != std::string::npos;
  }));
}

TEST(NandiWorker, refuses_a_metrics_target_that_cannot_be_used) {
  const auto [status, text] =
      refused({"--redis", "redis://h", "--name", "g", "--interval", "1s", "--metrics", "0"});
  EXPECT_EQ(status, 64);
  EXPECT_THAT(text, HasSubstr("from 1 to 65535"));
  EXPECT_THAT(refused({"--redis", "redis://h", "--name", "g", "--interval", "1s", "--metrics",
                       "/nonexistent/metrics"}),
              testing::Pair(65, HasSubstr("--metrics /nonexistent/metrics: cannot write it")));
}

}  // namespace
}  // namespace nandi
