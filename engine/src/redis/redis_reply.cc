#include "nandi/engine/redis/redis_reply.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "nandi/engine/script.h"

namespace nandi {
namespace {

constexpr std::size_t kShownText = 200;

struct Rule {
  std::string_view code;    ///< first word of the error, or of the one inside the script's
  std::string_view phrase;  ///< where not empty: the rule needs it somewhere in the text
  ErrorClass error;
  RefusalAction action;
  std::string_view advice;
};

// In order: the first rule that fits decides. Codes and phrases as redis-server 7.0 and its
// forerunners write them.
constexpr std::array kRules{
    Rule{"NOSCRIPT", "", ErrorClass::other, RefusalAction::send_source,
         "the server forgot the script again before it could run"},
    Rule{"READONLY", "", ErrorClass::readonly, RefusalAction::reconnect,
         "this is a replica; the address is looked up again, as a failover may have moved it"},
    Rule{"MASTERDOWN", "", ErrorClass::readonly, RefusalAction::reconnect,
         "this is a replica without its primary; the address is looked up again"},
    Rule{"LOADING", "", ErrorClass::loading, RefusalAction::keep,
         "the server loads its data and answers later"},
    Rule{"BUSY", "", ErrorClass::busy, RefusalAction::keep,
         "another script blocks the server; SCRIPT KILL ends one that has not written"},
    Rule{"OOM", "", ErrorClass::oom, RefusalAction::keep,
         "the server is at its memory limit; raise maxmemory or remove data"},
    Rule{"NOAUTH", "", ErrorClass::noauth, RefusalAction::reconnect,
         "the server wants a password; write it into the URL (redis://USER:PASSWORD@HOST)"},
    Rule{"WRONGPASS", "", ErrorClass::noauth, RefusalAction::reconnect,
         "check user and password in the URL, and that the user is on"},
    Rule{"DENIED", "", ErrorClass::noauth, RefusalAction::reconnect,
         "protected mode: the server has no password and takes local connections only"},
    Rule{"NOPERM", "", ErrorClass::noperm, RefusalAction::keep,
         "the ACL user needs ~<prefix>{<name>}* +evalsha +eval +time +incr +pexpire +get"},
    Rule{"MOVED", "", ErrorClass::moved, RefusalAction::reconnect,
         "the key's hash slot is served by another node of the cluster"},
    Rule{"ASK", "", ErrorClass::moved, RefusalAction::reconnect,
         "the key's hash slot is moving to another node of the cluster"},
    Rule{"TRYAGAIN", "", ErrorClass::moved, RefusalAction::keep,
         "the key's hash slot is moving to another node of the cluster"},
    Rule{"CLUSTERDOWN", "", ErrorClass::cluster_down, RefusalAction::keep,
         "the cluster does not serve the key's hash slot; see CLUSTER INFO"},
    Rule{"MISCONF", "", ErrorClass::other, RefusalAction::keep,
         "the server refuses writes because it cannot save its data"},
    Rule{"NOREPLICAS", "", ErrorClass::other, RefusalAction::keep,
         "the server refuses writes because too few replicas are in touch"},
    Rule{"ERR", "max number of clients", ErrorClass::max_clients, RefusalAction::reconnect,
         "the server takes no more connections; raise maxclients or close some"},
    Rule{"ERR", "user executing the script can't", ErrorClass::noperm, RefusalAction::keep,
         "the ACL user needs ~<prefix>{<name>}* +evalsha +eval +time +incr +pexpire +get"},
    Rule{"ERR", "invalid password", ErrorClass::noauth, RefusalAction::reconnect,
         "check the password in the URL"},
    Rule{"ERR", "without any password configured", ErrorClass::noauth, RefusalAction::reconnect,
         "the URL has a password, the server has none"},
    Rule{"ERR", "no password is set", ErrorClass::noauth, RefusalAction::reconnect,
         "the URL has a password, the server has none"},
    Rule{"ERR", "after non deterministic commands", ErrorClass::other, RefusalAction::keep,
         "unsupported server: a script that reads TIME and writes needs Redis 5 or later"},
    Rule{"ERR", "unknown command", ErrorClass::other, RefusalAction::keep,
         "unsupported server: it does not know a command that a registration needs"},
    Rule{"ERR", "DB index is out of range", ErrorClass::other, RefusalAction::reconnect,
         "check the database in the URL against the server's 'databases' setting"},
    Rule{"ERR", "SELECT is not allowed in cluster mode", ErrorClass::other,
         RefusalAction::reconnect, "a cluster has database 0 only; leave it out of the URL"},
};

bool is_code(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(),
                                      [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

/// The error that a command inside the script raised, where an old server wraps it: behind
/// "@user_script: <line>: ", with or without a '-'.
std::string_view unwrap(std::string_view text) {
  if (text.substr(0, 24) != "ERR Error running script") return text;
  const std::size_t script = text.rfind("@user_script: ");
  if (script == std::string_view::npos) return text;
  const std::size_t colon = text.find(": ", script + 14);
  if (colon == std::string_view::npos) return text;
  std::string_view inner = text.substr(colon + 2);
  if (!inner.empty() && inner[0] == '-') inner.remove_prefix(1);
  return inner;
}

std::string shown(std::string_view text) {
  static constexpr std::string_view kEcho = ", with args beginning with";
  text = text.substr(0, text.find(kEcho));
  std::string result(text.substr(0, kShownText));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (text.size() > kShownText) result += "...";
  return result;
}

/// A decimal that fits and nothing else.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::optional<std::int64_t> integer_of(const RespValue& value) {
  if (value.type == RespType::integer) return value.integer;
  if (value.type != RespType::bulk) return std::nullopt;
  std::int64_t integer = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, integer);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return integer;
}

Failure bad_reply(std::string problem) {
  return {ErrorClass::bad_reply,
          fmt::format("not the registration script's reply: {}; is something else writing the "
                      "group's keys, or is this no Redis?",
                      problem)};
}

}  // namespace

Refusal classify_error(std::string_view text) {
  const std::string_view inner = unwrap(text);
  std::string_view code = first_word(inner);
  if (!is_code(code)) code = "ERR";
  for (const Rule& rule : kRules) {
    if (rule.code != code) continue;
    if (!rule.phrase.empty() && inner.find(rule.phrase) == std::string_view::npos) continue;
    return {{rule.error, fmt::format("{} ({})", shown(inner), rule.advice)},
            rule.action,
            parse_redirect(inner)};
  }
  return {{ErrorClass::other, shown(inner)}, RefusalAction::keep};
}

std::optional<Redirect> parse_redirect(std::string_view text) {
  constexpr std::uint16_t kSlots = 16384;
  constexpr std::size_t kLongestHost = 253;
  Redirect redirect;
  const std::string_view code = first_word(text);
  redirect.ask = code == "ASK";
  if (!redirect.ask && code != "MOVED") return std::nullopt;
  if (text.size() <= code.size()) return std::nullopt;
  text.remove_prefix(code.size() + 1);
  const std::string_view slot = first_word(text);
  if (text.size() <= slot.size()) return std::nullopt;
  const std::string_view place = text.substr(slot.size() + 1);
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = place.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const bool is_host = std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == ':';
  });
  const auto slot_number = number_of<std::uint16_t>(slot);
  const auto port = number_of<std::uint16_t>(place.substr(colon + 1));
  if (!slot_number || *slot_number >= kSlots || !port || *port == 0) return std::nullopt;
  if (!is_host || host.size() > kLongestHost) return std::nullopt;
  redirect.slot = *slot_number;
  redirect.host = std::string(host);
  redirect.port = *port;
  return redirect;
}

std::optional<SentinelWord> read_sentinel_word(RespReply reply) {
  if (reply.front().type != RespType::array) return std::nullopt;
  SentinelWord word;
  word.primary.port = 0;
  for (std::size_t i = 1; i + 1 < reply.size(); i += 2) {
    const std::string_view name = reply[i].text;
    const std::string_view value = reply[i + 1].text;
    if (name == "ip") word.primary.host = std::string(value);
    if (name == "port") word.primary.port = number_of<std::uint16_t>(value).value_or(0);
    if (name == "config-epoch") word.epoch = number_of<std::uint64_t>(value).value_or(0);
  }
  if (word.primary.host.empty() || word.primary.port == 0) return std::nullopt;
  return word;
}

std::variant<Tick, Failure> read_registration(RespReply reply, std::int64_t interval_ms) {
  if (reply.empty() || reply[0].type != RespType::array) return bad_reply("it is no array");
  if (reply[0].integer != 4 || reply.size() != 5) {
    return bad_reply(fmt::format("it has {} values instead of 4", reply[0].integer));
  }
  static constexpr std::array<std::string_view, 5> kNames{"", "the interval", "the count",
                                                          "the previous count", "the time"};
  std::array<std::optional<std::int64_t>, 5> integers;
  for (std::size_t i = 1; i <= 4; ++i) {
    if (i == 3 && reply[i].type == RespType::null) continue;
    if (i != 3 && reply[i].type != RespType::integer) {
      return bad_reply(fmt::format("{} is no integer", kNames[i]));
    }
    integers[i] = integer_of(reply[i]);
    if (!integers[i]) return bad_reply(fmt::format("{} is no integer", kNames[i]));
  }
  std::variant<Tick, std::string> tick =
      tick_of({*integers[1], *integers[2], integers[3], *integers[4]}, interval_ms);
  if (std::string* problem = std::get_if<std::string>(&tick)) return bad_reply(*problem);
  return std::get<Tick>(tick);
}

}  // namespace nandi
