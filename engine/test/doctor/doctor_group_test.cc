// What is wrong with a group, its user or its timing is planted and found, and nothing else is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "delay_proxy.h"
#include "doctor_case.h"
#include "nandi/engine/script.h"
#include "worker_process.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tools::examine;
using tools::exit_status;

constexpr const char* kNeeded = "~{grp}* +evalsha +eval +time +incr +pexpire +get";

class DoctorGroup : public ::testing::Test {
 protected:
  void SetUp() override {
    NANDI_NEEDS_REDIS();
    server_ = std::make_unique<RedisServer>(kSound);
  }
  /// What is found as a user with these rights alone.
  tools::DoctorReport as_user(const std::vector<std::string>& rights) {
    std::vector<std::string> words{"ACL", "SETUSER", "limited", "reset", "on", ">secret"};
    words.insert(words.end(), rights.begin(), rights.end());
    EXPECT_EQ(server_->ask(words), "OK");
    auto request = request_for(server_->unix_socket());
    request.redis.url.user = "limited";
    request.redis.url.password = Secret("secret");
    return examine(request);
  }
  std::unique_ptr<RedisServer> server_;
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

TEST_F(DoctorGroup, the_acl_line_is_enough_for_the_script_and_what_it_leaves_unknown_is_said) {
  const auto report = as_user(words_of(kNeeded));
  EXPECT_EQ(found_in(report), "unknown info, unknown keys");
  EXPECT_EQ(exit_status(report), 2);
  EXPECT_THAT(tools::report_text(report), HasSubstr(kNeeded));
}

TEST_F(DoctorGroup, each_right_of_the_acl_line_is_needed) {
  for (const char* right : {"+evalsha", "+eval", "+time", "+incr", "+pexpire", "+get"}) {
    std::vector<std::string> rights = words_of(kNeeded);
    std::erase(rights, right);
    const auto report = as_user(rights);
    EXPECT_THAT(found_in(report), HasSubstr("error acl")) << right;
    EXPECT_THAT(found_in(report), Not(HasSubstr("script"))) << right;
    EXPECT_THAT(tools::report_text(report),
                AllOf(HasSubstr(std::string("the user limited lacks ") + right),
                      HasSubstr(std::string("ACL SETUSER limited ") + kNeeded)));
  }
}

TEST_F(DoctorGroup, a_pattern_without_the_declared_key_is_found) {
  const auto report =
      as_user({"~{grp}:*", "+evalsha", "+eval", "+time", "+incr", "+pexpire", "+get"});
  EXPECT_THAT(found_in(report), HasSubstr("error acl"));
  EXPECT_THAT(tools::report_text(report), HasSubstr("lacks the group's keys"));
}

TEST_F(DoctorGroup, two_intervals_under_one_name_are_found) {
  server_->ask({"EVAL", std::string(kRegistrationScript), "1", "{grp}", "20000"});
  EXPECT_EQ(found_on(server_->unix_socket()), "");
  server_->ask({"EVAL", std::string(kRegistrationScript), "1", "{grp}", "3000"});
  const auto report = examine(request_for(server_->unix_socket()));
  EXPECT_EQ(found_in(report), "error two-intervals");
  EXPECT_THAT(first_words(report), AllOf(HasSubstr("of 20000 ms"), HasSubstr("about 3000 ms")));
}

TEST_F(DoctorGroup, a_key_that_is_no_counter_is_found) {
  auto request = request_for(server_->unix_socket());
  request.group.interval = 24h * 20;  // so that the interval does not end meanwhile
  const std::string seconds = server_->ask({"TIME"});
  const std::int64_t current = std::stoll(seconds) / (20 * 24 * 3600);
  server_->ask({"RPUSH", "{grp}:" + std::to_string(current), "x"});
  EXPECT_EQ(found_in(examine(request)), "error key-content");
}

TEST_F(DoctorGroup, names_that_break_the_hash_tag_say_what_counts_instead) {
  auto request = request_for(server_->unix_socket());
  request.group.prefix = "foo{bar}";
  const auto report = examine(request);
  EXPECT_EQ(found_in(report), "error prefix");
  EXPECT_THAT(first_words(report), HasSubstr("hashes of foo{bar}{grp}:N only \"bar\""));
  request = request_for(server_->unix_socket());
  request.group.name = "a}b";
  EXPECT_EQ(found_in(examine(request)), "error name");
}

TEST_F(DoctorGroup, timings_that_a_worker_refuses_or_warns_about_are_found) {
  auto request = request_for(server_->unix_socket());
  request.group.gap = Fraction(1, 8);
  EXPECT_EQ(found_in(examine(request)), "warning gap");
  request = request_for(server_->unix_socket());
  request.group.attempt_timeout = 4s;  // the gap is 3 s
  const auto report = examine(request);
  EXPECT_EQ(found_in(report), "error attempt_timeout");
  EXPECT_THAT(first_words(report), HasSubstr("1000ms too late"));
}

// Interval 5 s, gap 750 ms less 1 ms for the clock's resolution: the first retry leaves after 625
// ms, two round trips of 80 ms do not fit behind it.
TEST_F(DoctorGroup, a_round_trip_that_leaves_no_room_for_a_retry_is_warned_about) {
  DelayProxy proxy(server_->port());
  auto request = request_for(server_->tcp());
  request.redis.url.port = proxy.port();
  request.group.interval = 5s;
  EXPECT_EQ(found_in(examine(request)), "");
  proxy.requests({.delay = 40ms});
  proxy.replies({.delay = 40ms});
  const auto report = examine(request);
  EXPECT_EQ(found_in(report), "warning retry");
  EXPECT_THAT(first_words(report), AllOf(HasSubstr("625.00 ms"), HasSubstr("749.00 ms")));
}

// Interval 500 ms: two round trips of 80 ms are more than the 74 ms of the gap.
TEST_F(DoctorGroup, a_round_trip_of_half_the_gap_is_an_error) {
  DelayProxy proxy(server_->port());
  proxy.replies({.delay = 80ms});
  auto request = request_for(server_->tcp());
  request.redis.url.port = proxy.port();
  request.group.interval = 500ms;
  const auto report = examine(request);
  EXPECT_EQ(found_in(report), "error round-trip");
  EXPECT_THAT(first_words(report), HasSubstr("74.00 ms"));
}

TEST_F(DoctorGroup, the_program_exits_by_severity_and_writes_json) {
  ScratchDirectory directory;
  const auto run = [&](const std::string& name, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "doctor");
    WorkerProcess process(arguments, directory.path(), name);
    return process.process().wait();
  };
  const std::string url = "redis+unix://" + server_->socket_path();
  const std::string file = directory.path() + "/found.json";
  EXPECT_EQ(run("sound", {"--redis", url, "--name", "grp", "--interval", "20s"}), 0);
  EXPECT_EQ(run("gap", {"--redis", url, "--name", "grp", "--interval", "20s", "--gap", "0.1",
                        "--json", file}),
            2);
  const auto json = nlohmann::json::parse(read_file(file));
  EXPECT_EQ(json.at("nandi_doctor"), 1);
  EXPECT_EQ(json.at("exit"), 2);
  ASSERT_EQ(json.at("findings").size(), 1U);
  EXPECT_EQ(json.at("findings")[0].at("code"), "gap");
  EXPECT_EQ(json.at("findings")[0].at("severity"), "warning");
  EXPECT_EQ(run("bad", {"--redis", url, "--name", "g}p", "--interval", "20s"}), 1);
  EXPECT_EQ(run("half", {"--redis", url, "--name", "grp"}), 64);
  EXPECT_EQ(run("nowhere", {"--redis", "redis://127.0.0.1:" + std::to_string(free_port())}), 69);
  EXPECT_EQ(run("unwritable", {"--redis", url, "--json", "/nonexistent/x.json"}), 65);
}

}  // namespace
}  // namespace nandi::test
