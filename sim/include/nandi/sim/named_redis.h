// NamedRedis: RedisModel behind names of keys, commands and replies, as clients see a Redis.
//
// RedisModel counts by (group, interval number). This adapter turns names of keys into these and
// answers commands in the bytes of the Redis protocol (RESP 2), so that the same command history
// can be put to it and to a real server and the answers compared byte by byte. It knows what the
// registration script can meet: the script itself, counters, and what others may put in their
// place (strings that are no counters, lists). Source: a redis-server 7.0.15, against which the
// conformance tests run. Not for worlds: it allocates and compares names.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/engine/script.h"
#include "nandi/engine/tick.h"
#include "nandi/engine/time.h"
#include "nandi/sim/redis_model.h"

namespace nandi::sim {

/// A whole number in the one spelling that Redis takes for one; nothing for any other text.
[[nodiscard]] inline std::optional<std::int64_t> redis_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (std::to_string(value) != text) return std::nullopt;  // "007", "-0"
  return value;
}

/// Model: RedisModel<HeapCounters>, or a broken variant of it that a test has to tell apart.
template <class Model = RedisModel<HeapCounters>>
class NamedRedis {
 public:
  /// What the server's clock shows, in microseconds since 1970.
  void set_clock(std::int64_t microseconds) {
    now_us_ = microseconds;
    now_ = StoreTime(microseconds * 1000);
  }

  /// The reply to a command, in RESP 2. An error of a command within the script ends, as the
  /// server's does, in " script: " and where; here that is all. Throws std::invalid_argument for a
  /// command that is not modelled.
  std::string ask(const std::vector<std::string>& words) {
    const std::string& name = words.at(0);
    if (name == "EVALSHA" || name == "EVAL") return evaluate(words);
    if (name == "SCRIPT") return script(words);
    if (name == "TIME") return time();
    if (name == "FLUSHALL") {
      model_.flush_all();
      foreign_.clear();
      return "+OK\r\n";
    }
    const std::string& key = words.at(1);
    if (name == "GET") return get(key);
    if (name == "SET") return set(words);
    if (name == "INCR") return increment(key);
    if (name == "RPUSH") return push(key);
    if (name == "DEL") return integer(remove(key) ? 1 : 0);
    if (name == "EXISTS") return integer(look_up(key) ? 1 : 0);
    if (name == "TYPE") return type(key);
    if (name == "PTTL") return time_to_live(key, 1);
    if (name == "TTL") return time_to_live(key, 1000);
    throw std::invalid_argument("no command that is modelled: " + name);
  }

  [[nodiscard]] const Model& model() const { return model_; }

 private:
  /// Where a counter key is in the model.
  struct Place {
    GroupId group = 0;
    IntervalNumber interval = 0;
  };
  /// What a key holds.
  struct Value {
    std::string text;
    std::size_t length = 0;  ///< of a list; 0: a string
    StoreTime expires;
  };

  static constexpr std::string_view kWrongType =
      "-WRONGTYPE Operation against a key holding the wrong kind of value";
  static constexpr std::string_view kNoInteger = "-ERR value is not an integer or out of range";

  static LeaseTiming timing_of(std::int64_t interval_ms) {
    LeaseTiming timing;
    timing.interval = Duration(interval_ms * kNanosecondsPerMillisecond);
    timing.resolution = Duration(kNanosecondsPerMillisecond);
    return timing;
  }

  static std::string integer(std::int64_t value) { return ":" + std::to_string(value) + "\r\n"; }
  static std::string bulk(std::string_view text) {
    return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
  }
  static std::string error(std::string_view text, bool in_script = false) {
    return std::string(text) + (in_script ? " script: \r\n" : "\r\n");
  }

  [[nodiscard]] std::int64_t now_ms() const { return now_us_ / 1000; }

  std::optional<Place> place_of(const std::string& key) {
    const std::size_t colon = key.rfind(':');
    if (colon == std::string::npos) return std::nullopt;
    const auto number = redis_integer(std::string_view(key).substr(colon + 1));
    if (!number) return std::nullopt;
    const std::string registry = key.substr(0, colon);
    const auto [found, is_new] =
        groups_.try_emplace(registry, static_cast<GroupId>(groups_.size()));
    return Place{found->second, *number};
  }

  /// Forgets a foreign value whose time is up, as a server does when it is asked for the key.
  std::optional<Value> look_up(const std::string& key) {
    if (const std::optional<Place> place = place_of(key)) {
      if (const auto c = model_.find(place->group, place->interval, timing_of(1), now_)) {
        return Value{std::to_string(c->value), 0, c->expires};
      }
      // It may be there past its time; a server would remove it now.
      model_.erase(place->group, place->interval);
    }
    const auto found = foreign_.find(key);
    if (found == foreign_.end()) return std::nullopt;
    if (found->second.expires < StoreTime(now_ms() * kNanosecondsPerMillisecond)) {
      foreign_.erase(found);
      return std::nullopt;
    }
    return found->second;
  }

  bool remove(const std::string& key) {
    const bool was_there = look_up(key).has_value();
    if (const std::optional<Place> place = place_of(key)) {
      model_.erase(place->group, place->interval);
    }
    foreign_.erase(key);
    return was_there;
  }

  /// A counter goes to the model, anything else beside it.
  void store(const std::string& key, const Value& value) {
    const std::optional<Place> place = place_of(key);
    const auto number = value.length == 0 ? redis_integer(value.text) : std::nullopt;
    foreign_.erase(key);
    if (place && number && *number >= 0 && *number <= std::int64_t{kMaxCount}) {
      model_.put(Counter{place->interval, value.expires, static_cast<std::uint32_t>(*number),
                         place->group});
      return;
    }
    if (place) model_.erase(place->group, place->interval);
    foreign_[key] = value;
  }

  std::string get(const std::string& key) {
    const std::optional<Value> value = look_up(key);
    if (!value) return "$-1\r\n";
    return value->length > 0 ? error(kWrongType) : bulk(value->text);
  }

  /// SET key value [PX milliseconds].
  std::string set(const std::vector<std::string>& words) {
    Value value{words.at(2), 0, StoreTime::max()};
    if (words.size() > 3) {
      value.expires = StoreTime((now_ms() + std::stoll(words.at(4))) * kNanosecondsPerMillisecond);
    }
    store(words.at(1), value);
    return "+OK\r\n";
  }

  std::string increment(const std::string& key, bool in_script = false) {
    Value value = look_up(key).value_or(Value{"0", 0, StoreTime::max()});
    if (value.length > 0) return error(kWrongType, in_script);
    const auto number = redis_integer(value.text);
    if (!number) return error(kNoInteger, in_script);
    if (*number == std::numeric_limits<std::int64_t>::max()) {
      return error("-ERR increment or decrement would overflow", in_script);
    }
    const std::int64_t counted = *number + 1;
    value.text = std::to_string(counted);
    store(key, value);
    // A script's numbers are doubles.
    return integer(in_script ? static_cast<std::int64_t>(static_cast<double>(counted)) : counted);
  }

  std::string push(const std::string& key) {
    const std::optional<Value> before = look_up(key);
    if (before && before->length == 0) return error(kWrongType);
    Value value = before.value_or(Value{{}, 0, StoreTime::max()});
    ++value.length;
    store(key, value);
    return integer(static_cast<std::int64_t>(value.length));
  }

  std::string type(const std::string& key) {
    const std::optional<Value> value = look_up(key);
    return !value ? "+none\r\n" : value->length > 0 ? "+list\r\n" : "+string\r\n";
  }

  std::string time_to_live(const std::string& key, std::int64_t milliseconds) {
    const std::optional<Value> value = look_up(key);
    if (!value) return integer(-2);
    if (value->expires == StoreTime::max()) return integer(-1);
    const std::int64_t left = value->expires.count() / kNanosecondsPerMillisecond - now_ms();
    return integer((left + milliseconds / 2) / milliseconds);
  }

  [[nodiscard]] std::string time() const {
    return "*2\r\n" + bulk(std::to_string(now_us_ / 1'000'000)) +
           bulk(std::to_string(now_us_ % 1'000'000));
  }

  std::string script(const std::vector<std::string>& words) {
    const std::string& what = words.at(1);
    if (what == "FLUSH") {
      model_.set_script_cached(false);
      return "+OK\r\n";
    }
    if (what == "LOAD" && words.at(2) == kRegistrationScript) {
      model_.set_script_cached(true);
      return bulk(kRegistrationScriptSha1);
    }
    if (what == "EXISTS" && words.at(2) == kRegistrationScriptSha1) {
      return "*1\r\n" + integer(model_.script_cached() ? 1 : 0);
    }
    throw std::invalid_argument("no SCRIPT command that is modelled: " + what);
  }

  /// EVALSHA sha 1 registry interval, or EVAL source 1 registry interval.
  std::string evaluate(const std::vector<std::string>& words) {
    const bool by_name = words.at(0) == "EVALSHA";
    if (words.at(1) != (by_name ? kRegistrationScriptSha1 : kRegistrationScript) ||
        words.at(2) != "1") {
      throw std::invalid_argument("no script that is modelled");
    }
    if (by_name && !model_.script_cached()) {
      return "-NOSCRIPT No matching script. Please use EVAL.\r\n";
    }
    model_.set_script_cached(true);
    const std::int64_t interval = redis_integer(words.at(4)).value_or(0);
    if (interval <= 0) throw std::invalid_argument("no interval: " + words.at(4));
    return register_worker(words.at(3), interval);
  }

  std::string register_worker(const std::string& registry, std::int64_t interval_ms) {
    const IntervalNumber number = now_ms() / interval_ms;
    const std::string open = registry + ":" + std::to_string(number);
    const std::string closed = registry + ":" + std::to_string(number - 1);
    const Place place = *place_of(open);
    std::string count;
    std::string previous = "$-1\r\n";
    const bool is_foreign = look_up(open) && foreign_.contains(open);
    const std::optional<Value> before = look_up(closed);
    if (is_foreign) {
      count = increment(open, true);
      if (count.front() == '-') return count;
      Value counted = *look_up(open);
      counted.expires =
          StoreTime((now_ms() + Model::kKeyLifetime * interval_ms) * kNanosecondsPerMillisecond);
      store(open, counted);
      if (before) previous = bulk(before->text);
    } else {
      const Tick tick = model_.register_worker(place.group, timing_of(interval_ms), now_, number);
      count = integer(std::int64_t{tick.index} + 1);
      if (tick.previous_count) previous = bulk(std::to_string(*tick.previous_count));
    }
    // What is in the place of the closed counter shows only once the open one has been counted.
    if (before && before->length > 0) return error(kWrongType, true);
    if (before && foreign_.contains(closed)) previous = bulk(before->text);
    return "*4\r\n" + integer(number) + count + previous + integer(now_ms());
  }

  Model model_;
  std::map<std::string, GroupId> groups_;
  std::map<std::string, Value> foreign_;
  StoreTime now_;
  std::int64_t now_us_ = 0;
};

}  // namespace nandi::sim
