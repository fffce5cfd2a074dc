// Command histories for the conformance suite: what clients and a bad day do to a server.
//
// A history is a list of numbers, one for each step, so that every part of it is a history again
// and a smaller number is a plainer step; 0 is a registration. Nothing in it depends on answers.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/arms.h"
#include "nandi/engine/options.h"
#include "nandi/engine/script.h"

namespace nandi::test {

struct TestedGroup {
  Options options;
  std::string registry;
  std::int64_t interval_us = 0;
};
/// Names and prefixes as users have them; the last one counts another interval under a name that
/// is taken.
const std::vector<TestedGroup>& tested_groups();

enum class StepKind : std::uint8_t {
  registration,     ///< EVALSHA, and the source after NOSCRIPT: what a worker does
  evalsha,          ///< by name only
  pass,             ///< time passes
  step_back,        ///< the server's clock is set back
  send_and_close,   ///< a registration whose client closes its socket at once
  send_and_killed,  ///< a registration whose client is killed before it reads the reply
  kill,
  del,
  set,  ///< SET of a counter key: to a count, another string, with or without expiry
  push,
  increment,
  get,
  type,
  time_to_live,
  flush_all,
  script_flush,
  script_load,
  time,
};

struct Step {
  StepKind kind = StepKind::registration;
  std::size_t client = 0;
  std::size_t group = 0;
  std::int64_t age = 0;  ///< of the interval whose counter is meant: 0 is the open one
  std::uint32_t detail = 0;
};
[[nodiscard]] Step step_of(std::uint32_t number);

/// One history in both arms.
template <class Model>
class History {
 public:
  History(RealArm& real, ModelArm<Model>& model) : real_(real), model_(model) {}

  /// What was asked and answered differently; nothing when all answers were equal.
  std::optional<std::string> run(const std::vector<std::uint32_t>& numbers) {
    real_.begin(clock_);
    model_.begin(clock_);
    for (const std::uint32_t number : numbers) {
      take(step_of(number));
      if (difference_) return difference_;
    }
    compare_all_keys();
    return difference_;
  }

  /// Answers compared.
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  static constexpr std::int64_t kStart = 1'700'000'000'000'123;

  void take(const Step& step) {
    const TestedGroup& group = tested_groups()[step.group];
    const std::string key = key_of(group.options, number_in(group) - step.age);
    switch (step.kind) {
      case StepKind::registration: register_worker(step, group); break;
      case StepKind::evalsha: ask(step, by_name(group)); break;
      case StepKind::pass: pass(step, group); break;
      case StepKind::step_back: step_back(step, group); break;
      case StepKind::send_and_close:
        note(group);
        real_.send_and_close(step.client, by_name(group));
        model_.send_and_close(step.client, by_name(group));
        story_ += fmt::format("client {} sends EVALSHA and closes\n", step.client);
        break;
      case StepKind::send_and_killed:
        note(group);
        compare("EVALSHA, then CLIENT KILL", real_.send_and_be_killed(step.client, by_name(group)),
                model_.send_and_be_killed(step.client, by_name(group)));
        break;
      case StepKind::kill:
        compare("CLIENT KILL", real_.kill(step.client), model_.kill(step.client));
        break;
      case StepKind::del: ask(step, {"DEL", key}); break;
      case StepKind::set: ask(step, set_command(step, group, key)); break;
      case StepKind::push: ask(step, {"RPUSH", key, "x"}); break;
      case StepKind::increment: ask(step, {"INCR", key}); break;
      case StepKind::get: ask(step, {"GET", key}); break;
      case StepKind::type: ask(step, {"TYPE", key}); break;
      case StepKind::time_to_live: ask(step, {step.detail % 2 == 0 ? "PTTL" : "TTL", key}); break;
      case StepKind::flush_all: ask(step, {"FLUSHALL"}); break;
      case StepKind::script_flush: ask(step, {"SCRIPT", "FLUSH"}); break;
      case StepKind::script_load:
        ask(step, {"SCRIPT", "LOAD", std::string(kRegistrationScript)});
        break;
      case StepKind::time: ask(step, {"TIME"}); break;
    }
    keys_.insert(key);
  }

  void register_worker(const Step& step, const TestedGroup& group) {
    if (!ask(step, by_name(group)).starts_with("-NOSCRIPT")) return;
    ask(step, {"EVAL", std::string(kRegistrationScript), "1", group.registry,
               std::to_string(interval_ms(group.options))});
  }

  Words by_name(const TestedGroup& group) {
    note(group);
    return {"EVALSHA", std::string(kRegistrationScriptSha1), "1", group.registry,
            std::to_string(interval_ms(group.options))};
  }

  static Words set_command(const Step& step, const TestedGroup& group, const std::string& key) {
    static const std::vector<std::string> kValues{"7",
                                                  "0",
                                                  "not a number",
                                                  "-1",
                                                  "-7",
                                                  "007",
                                                  " 5",
                                                  "1073741824",
                                                  "1073741825",
                                                  "9007199254740992",
                                                  "9223372036854775807",
                                                  "3.5",
                                                  ""};
    Words words{"SET", key, kValues[step.detail % kValues.size()]};
    const std::uint32_t expiry = step.detail / 16 % 4;
    if (expiry > 1) {
      const std::int64_t intervals = expiry == 2 ? 1 : 3;
      words.insert(words.end(), {"PX", std::to_string(intervals * interval_ms(group.options))});
    }
    return words;
  }

  /// The lengths at which something ends are met exactly, missed and passed by a millisecond, and
  /// by a microsecond, which the server's expiry does not see.
  void pass(const Step& step, const TestedGroup& group) {
    const std::int64_t interval = group.interval_us;
    const std::int64_t lengths[] = {interval / 7, interval,     2 * interval, 3 * interval,
                                    interval / 2, interval / 5, 4 * interval, 1};
    const std::int64_t nudges[] = {0, 0, 1000, -1000, 1, -1, 999, 500'000};
    const std::int64_t length = lengths[step.detail % 8] + nudges[step.detail / 8 % 8];
    clock_ += length > 0 ? length : 0;
    show_clock();
  }

  /// What has expired may have been removed or not, so both are asked for every key before.
  void step_back(const Step& step, const TestedGroup& group) {
    std::vector<Words> touched;
    for (const std::string& key : keys_) touched.push_back({"EXISTS", key});
    compare("EXISTS of all keys", real_.ask_all(touched), model_.ask_all(touched));
    const std::int64_t lengths[] = {1000, group.interval_us / 3, group.interval_us,
                                    2 * group.interval_us};
    clock_ -= lengths[step.detail % 4];
    show_clock();
  }

  void show_clock() {
    real_.set_clock(clock_);
    model_.set_clock(clock_);
    story_ += fmt::format("clock at {} us\n", clock_);
  }

  [[nodiscard]] IntervalNumber number_in(const TestedGroup& group) const {
    return clock_ / group.interval_us;
  }
  void note(const TestedGroup& group) { keys_.insert(key_of(group.options, number_in(group))); }

  std::string ask(const Step& step, const Words& words) {
    std::string asked = fmt::format("client {}:", step.client);
    for (const std::string& word : words) asked += " " + word.substr(0, 40);
    const std::string answer = real_.ask(step.client, words);
    compare(asked, answer, model_.ask(step.client, words));
    return answer;
  }

  /// Nothing that a history did stays hidden at its end.
  void compare_all_keys() {
    std::vector<Words> commands{{"SCRIPT", "EXISTS", std::string(kRegistrationScriptSha1)}};
    for (const std::string& key : keys_) {
      commands.push_back({"GET", key});
      commands.push_back({"PTTL", key});
    }
    compare("GET and PTTL of all keys", real_.ask_all(commands), model_.ask_all(commands));
  }

  void compare(const std::string& asked, const std::string& real, const std::string& model) {
    ++compared_;
    story_ += asked + " -> " + real + (real.ends_with("\n") ? "" : "\n");
    if (real == model || difference_) return;
    difference_ = story_ + "\nthe server answers\n" + real + "\nthe model answers\n" + model;
  }

  RealArm& real_;
  ModelArm<Model>& model_;
  std::int64_t clock_ = kStart;
  std::set<std::string> keys_;
  std::string story_;
  std::optional<std::string> difference_;
  std::uint64_t compared_ = 0;
};

/// History number `seed` of up to 24 steps, the same on every machine.
[[nodiscard]] std::vector<std::uint32_t> numbers_of(std::uint64_t seed);

}  // namespace nandi::test
