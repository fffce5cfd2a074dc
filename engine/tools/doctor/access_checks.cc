#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "doctor/doctor.h"

namespace nandi::tools {
namespace {

std::string quoted(const std::string& word) {
  if (word.find_first_of(" \t\"'\\") == std::string::npos) return word;
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

bool is_forbidden(const Reply& reply) {
  return reply.is_error() && reply.text.find("NOPERM") != std::string::npos;
}

/// "this user has no permissions to access one of the keys", "No permissions to access a key".
bool is_about_keys(const Reply& reply) { return reply.text.find(" key") != std::string::npos; }

struct Rights {
  std::vector<std::string> commands;  ///< that the user lacks
  bool keys = true;                   ///< may use the group's keys
};

Rights rights_of(Examination& examination) {
  const std::string key = group_key(examination.group);
  const std::string counter = key + ":0";
  Rights rights;
  const auto may = [&](const char* command, const Words& words) {
    const Reply reply = examination.session.ask(words);
    if (!is_forbidden(reply)) return true;
    if (is_about_keys(reply)) {
      rights.keys = false;
    } else {
      rights.commands.emplace_back(command);
    }
    return false;
  };
  may("evalsha", {"EVALSHA", std::string(40, '0'), "1", key});
  may("eval", {"EVAL", "return 1", "1", key});
  may("time", {"TIME"});
  // A counter that cannot be made to expire must not be made.
  const bool may_expire = may("pexpire", {"PEXPIRE", counter, "1000"});
  if (may_expire && may("incr", {"INCR", counter})) {
    static_cast<void>(examination.session.ask({"PEXPIRE", counter, "1000"}));
  }
  may("get", {"GET", counter});
  return rights;
}

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "+" : " +") + word;
  return text;
}

}  // namespace

std::string glob_literal(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::string acl_rules(const Options& group, const RedisUrl& url) {
  const std::string pattern = "~" + glob_literal(group_key(group)) + "*";
  return quoted(pattern) + " +evalsha +eval +time +incr +pexpire +get" +
         (url.database == 0 ? "" : " +select");
}

void check_access(Examination& examination) {
  const Rights rights = rights_of(examination);
  if (rights.keys && rights.commands.empty()) return;
  const RedisUrl& url = examination.request.redis.url;
  const std::string user = url.user.empty() ? "default" : url.user;
  std::string lacks;
  if (!rights.keys) lacks = "the group's keys";
  if (!rights.commands.empty()) lacks += (lacks.empty() ? "" : " and ") + list(rights.commands);
  examination.report.error(
      "acl", fmt::format("the user {} lacks {}", user, lacks),
      "The script declares the key without a number and uses those with one; commands inside it "
      "need the same rights as outside.",
      fmt::format("ACL SETUSER {} {}", quoted(user), acl_rules(examination.group, url)));
}

}  // namespace nandi::tools
