#include "nandi/engine/redis/redis_url.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace nandi {
namespace {

constexpr std::string_view kForms =
    "redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], rediss://..., redis+unix:///PATH[?db=N], "
    "redis+sentinel://HOST[:PORT][,...]/PRIMARY[/DATABASE] or redis+cluster://HOST[:PORT][,...]";
constexpr std::uint16_t kSentinelPort = 26379;
constexpr std::size_t kLongestName = 253;
constexpr std::size_t kMostHosts = 32;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::optional<unsigned> hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

/// Parses left to right; the first problem ends it.
class UrlParser {
 public:
  explicit UrlParser(std::string_view text) : text_(text) {}

  std::variant<RedisUrl, RedisUrlError> parse() {
    if (!parse_scheme() || !refuse_unprintable() || !parse_authority() || !parse_rest()) {
      return error_;
    }
    return url_;
  }

 private:
  bool fail(std::size_t position, std::string problem) {
    error_ = {position, std::move(problem)};
    return false;
  }

  bool parse_scheme() {
    const std::size_t end = text_.find("://");
    if (end == std::string_view::npos) {
      return fail(0, fmt::format("there is no '://'; write {}", kForms));
    }
    const std::string_view scheme = text_.substr(0, end);
    begin_ = end + 3;
    unix_ = scheme == "redis+unix" || scheme == "unix";
    if (unix_) return true;
    url_.tls = scheme.starts_with("rediss");
    if (scheme == "redis+sentinel" || scheme == "rediss+sentinel") {
      url_.kind = RedisKind::sentinel;
      url_.port = kSentinelPort;
    } else if (scheme == "redis+cluster" || scheme == "rediss+cluster") {
      url_.kind = RedisKind::cluster;
    }
    if (url_.kind != RedisKind::server || scheme == "redis" || scheme == "rediss") return true;
    const bool shown = !scheme.empty() && scheme.size() <= 16 &&
                       std::all_of(scheme.begin(), scheme.end(), [](char c) {
                         return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
                       });
    return fail(0, fmt::format("unknown scheme{}; write {}",
                               shown ? fmt::format(" '{}'", scheme) : "", kForms));
  }

  bool refuse_unprintable() {
    for (std::size_t i = begin_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c > ' ' && c < 127) continue;
      return fail(i, "blanks, control characters and bytes above 126 are written as %XX");
    }
    return true;
  }

  bool parse_authority() {
    end_ = std::min(text_.find_first_of("/?#", begin_), text_.size());
    const std::size_t at = text_.substr(0, end_).rfind('@');
    std::size_t host_begin = begin_;
    if (at != std::string_view::npos && at >= begin_) {
      if (!parse_user_info(begin_, at)) return false;
      host_begin = at + 1;
    } else if (!unix_ && text_.find('@', end_) != std::string_view::npos) {
      // An unescaped password would otherwise be taken for a host and shown in messages.
      return fail(end_, "a '/', '?' or '#' before the '@' is written as %2F, %3F or %23");
    }
    if (!unix_) return parse_hosts(host_begin);
    if (host_begin != end_) {
      return fail(host_begin,
                  "a unix socket has no host; write redis+unix:///PATH (three slashes)");
    }
    return true;
  }

  bool parse_user_info(std::size_t begin, std::size_t end) {
    const std::size_t colon = text_.substr(0, end).find(':', begin);
    if (colon == std::string_view::npos) {
      return fail(begin, "there is no ':' before the '@'; write USER:PASSWORD@ or :PASSWORD@");
    }
    std::string password;
    if (!decode(begin, colon, url_.user) || !decode(colon + 1, end, password)) return false;
    if (password.empty())
      return fail(colon + 1,
                  "the password is empty; leave out the part up to "
                  "'@' where none is needed");
    url_.password = Secret(std::move(password));
    return true;
  }

  bool parse_hosts(std::size_t begin) {
    const std::uint16_t usual_port = url_.port;
    for (bool first = true;; first = false) {
      const std::size_t comma = std::min(text_.substr(0, end_).find(',', begin), end_);
      if (comma < end_ && url_.kind == RedisKind::server) {
        return fail(comma, "several hosts go with redis+sentinel:// and redis+cluster:// only");
      }
      RedisHost host{{}, usual_port};
      if (!parse_host(begin, comma, host)) return false;
      if (first) {
        url_.host = host.host;
        url_.port = host.port;
      } else if (url_.more.size() + 1 == kMostHosts) {
        return fail(begin, fmt::format("there are at most {} hosts", kMostHosts));
      } else {
        url_.more.push_back(std::move(host));
      }
      if (comma == end_) return true;
      begin = comma + 1;
    }
  }

  bool parse_host(std::size_t begin, std::size_t end, RedisHost& host) {
    if (begin < end && text_[begin] == '[') {
      const std::size_t close = text_.substr(0, end).find(']', begin);
      if (close == std::string_view::npos) return fail(begin, "'[' is not closed by ']'");
      host.host = std::string(text_.substr(begin + 1, close - begin - 1));
      in6_addr address{};
      if (inet_pton(AF_INET6, host.host.c_str(), &address) != 1) {
        return fail(begin + 1, "brackets hold an IPv6 address, such as [::1]");
      }
      return parse_port(close + 1, end, host.port);
    }
    const std::size_t colon = std::min(text_.substr(0, end).find(':', begin), end);
    if (colon == begin) return fail(begin, "the host is missing; write localhost for this machine");
    for (std::size_t i = begin; i < colon; ++i) {
      const char c = text_[i];
      if (!is_letter(c) && !is_digit(c) && c != '-' && c != '.' && c != '_') {
        return fail(i,
                    "a host has letters, digits, '-', '.' and '_'; an IPv6 address stands in "
                    "brackets");
      }
    }
    if (colon - begin > kLongestName) {
      return fail(begin, fmt::format("a host has at most {} characters", kLongestName));
    }
    host.host = std::string(text_.substr(begin, colon - begin));
    return parse_port(colon, end, host.port);
  }

  bool parse_port(std::size_t begin, std::size_t end, std::uint16_t& result) {
    if (begin == end) return true;
    if (text_[begin] != ':') return fail(begin, "only ':PORT' may follow the host's ']'");
    std::uint32_t port = 0;
    if (!parse_number(begin + 1, end, port) || port < 1 || port > 65535) {
      return fail(begin + 1,
                  "a port is a number from 1 to 65535 (a ':' of an IPv6 address needs "
                  "brackets)");
    }
    result = static_cast<std::uint16_t>(port);
    return true;
  }

  bool parse_rest() {
    const std::size_t hash = text_.find('#', end_);
    if (hash != std::string_view::npos) {
      return fail(hash, "a '#' is written as %23; a Redis URL has no fragment");
    }
    const std::size_t question = std::min(text_.find('?', end_), text_.size());
    if (!parse_location(question)) return false;
    return question == text_.size() || parse_query(question + 1);
  }

  /// What stands between the hosts and the query.
  bool parse_location(std::size_t end) {
    if (unix_) return parse_path(end_, end);
    if (url_.kind == RedisKind::sentinel) return parse_primary(end_, end);
    if (url_.kind == RedisKind::cluster && end > end_ + 1) {
      return fail(end_ + 1, "a cluster has database 0 only: nothing follows the hosts");
    }
    return parse_database_path(end_, end);
  }

  bool parse_primary(std::size_t begin, std::size_t end) {
    begin = std::min(begin + 1, end);
    const std::size_t slash = std::min(text_.substr(0, end).find('/', begin), end);
    if (!decode(begin, slash, url_.primary)) return false;
    if (url_.primary.empty()) {
      return fail(begin, "the primary's name is missing; write redis+sentinel://HOSTS/PRIMARY");
    }
    if (url_.primary.size() > kLongestName) {
      return fail(begin, fmt::format("a primary's name has at most {} bytes", kLongestName));
    }
    return parse_database_path(slash, end);
  }

  bool parse_path(std::size_t begin, std::size_t end) {
    if (!decode(begin, end, url_.path)) return false;
    if (url_.path.size() < 2) {
      return fail(begin, "the socket's path is missing; write redis+unix:///PATH");
    }
    if (url_.path.size() >= sizeof(sockaddr_un::sun_path)) {
      return fail(begin, fmt::format("a socket's path has at most {} bytes",
                                     sizeof(sockaddr_un::sun_path) - 1));
    }
    if (url_.path.find('\0') != std::string::npos) {
      return fail(begin, "a socket's path has no zero byte");
    }
    return true;
  }

  bool parse_database_path(std::size_t begin, std::size_t end) {
    if (begin == end || begin + 1 == end) return true;
    return parse_database(begin + 1, end);
  }

  bool parse_database(std::size_t begin, std::size_t end) {
    if (parse_number(begin, end, url_.database)) return true;
    return fail(begin, "a database is a number, such as 0");
  }

  bool parse_query(std::size_t begin) {
    if (url_.kind == RedisKind::cluster) return fail(begin, "a cluster's URL has no parameters");
    if (url_.kind == RedisKind::sentinel) {
      url_.sentinel_auth = text_.substr(begin) == "sentinel_auth=yes";
      return url_.sentinel_auth || fail(begin, "the only parameter is sentinel_auth=yes");
    }
    if (text_.substr(begin, 3) != "db=") {
      return fail(begin, "the only parameter is db=DATABASE");
    }
    if (!unix_ && url_.database != 0) {
      return fail(begin, "the database is given twice; write /DATABASE or ?db=DATABASE");
    }
    return parse_database(begin + 3, text_.size());
  }

  bool parse_number(std::size_t begin, std::size_t end, std::uint32_t& value) const {
    const char* first = text_.data() + begin;
    const char* last = text_.data() + end;
    if (first == last || !std::all_of(first, last, is_digit)) return false;
    const auto [stop, error] = std::from_chars(first, last, value);
    return error == std::errc{} && stop == last && value <= 0x7fffffffU;
  }

  bool decode(std::size_t begin, std::size_t end, std::string& result) {
    for (std::size_t i = begin; i < end; ++i) {
      if (text_[i] != '%') {
        result.push_back(text_[i]);
        continue;
      }
      const auto high = i + 2 < end ? hex_digit(text_[i + 1]) : std::nullopt;
      const auto low = i + 2 < end ? hex_digit(text_[i + 2]) : std::nullopt;
      if (!high || !low) return fail(i, "two hexadecimal digits follow a '%'; '%' itself is %25");
      result.push_back(static_cast<char>(*high * 16 + *low));
      i += 2;
    }
    return true;
  }

  std::string_view text_;
  std::size_t begin_ = 0;  ///< of the authority
  std::size_t end_ = 0;    ///< of the authority
  bool unix_ = false;
  RedisUrl url_;
  RedisUrlError error_;
};

std::string encode(std::string_view text, std::string_view kept) {
  std::string result;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || kept.find(c) != std::string_view::npos) {
      result.push_back(c);
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

}  // namespace

std::variant<RedisUrl, RedisUrlError> parse_redis_url(std::string_view text) {
  return UrlParser(text).parse();
}

std::string to_string(const RedisUrlError& error) {
  return fmt::format("Redis URL, character {}: {}", error.position + 1, error.problem);
}

std::string to_string(const RedisUrl& url) {
  std::string user_info;
  if (!url.password.empty()) user_info = encode(url.user, "-._~") + ":***@";
  if (url.is_unix()) {
    return fmt::format("redis+unix://{}{}{}", user_info, encode(url.path, "/-._~"),
                       url.database == 0 ? "" : fmt::format("?db={}", url.database));
  }
  const char* kind = "";
  std::string place;
  if (url.kind == RedisKind::cluster) kind = "+cluster";
  if (url.kind == RedisKind::sentinel) {
    kind = "+sentinel";
    place = "/" + encode(url.primary, "-._~");
  }
  if (url.database != 0) place += fmt::format("/{}", url.database);
  return fmt::format("{}{}://{}{}{}{}", url.tls ? "rediss" : "redis", kind, user_info,
                     address_of(url), place, url.sentinel_auth ? "?sentinel_auth=yes" : "");
}

std::string address_of(const RedisUrl& url) {
  if (url.is_unix()) return url.path;
  std::string result;
  for (const RedisHost& host : hosts_of(url)) {
    result += (result.empty() ? "" : ",") + address_of(host);
  }
  return result;
}

std::string address_of(const RedisHost& host) {
  const bool brackets = host.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", brackets ? "[" : "", host.host, brackets ? "]" : "", host.port);
}

std::vector<RedisHost> hosts_of(const RedisUrl& url) {
  std::vector<RedisHost> hosts{{url.host, url.port}};
  hosts.insert(hosts.end(), url.more.begin(), url.more.end());
  return hosts;
}

}  // namespace nandi
