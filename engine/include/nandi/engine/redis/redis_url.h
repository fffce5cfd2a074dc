// Where a Redis is and who asks it: the URL that a user writes.
//
//   redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]      TCP; port 6379, database 0 unless given
//   rediss://...                                          the same over TLS
//   redis+unix://[[USER]:PASSWORD@]/PATH[?db=DATABASE]    unix socket; unix:// is the same
//   redis+sentinel://[[USER]:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/PRIMARY[/DATABASE]
//       the primary that these sentinels know as PRIMARY; port 26379 unless given. The login is the
//       primary's; ?sentinel_auth=yes at the end: the sentinels' too
//   redis+cluster://[[USER]:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]
//       the cluster that any of these nodes belongs to; port 6379 unless given
//   rediss+sentinel://, rediss+cluster://                 the same with every connection over TLS
//
// USER, PASSWORD, PATH and PRIMARY may hold any byte as %XX; an IPv6 HOST stands in brackets. A
// password is never rendered: not by to_string(), not in an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nandi {

/// Text that must not be shown. It has no stream operator and no formatter on purpose.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}
  [[nodiscard]] const std::string& reveal() const { return value_; }
  [[nodiscard]] bool empty() const { return value_.empty(); }
  friend bool operator==(const Secret&, const Secret&) = default;

 private:
  std::string value_;
};

/// What the URL's hosts are.
enum class RedisKind : std::uint8_t {
  server,    ///< the server itself
  sentinel,  ///< those who know which server is the primary
  cluster,   ///< nodes that know which of them serves a hash slot
};

struct RedisHost {
  std::string host;  ///< name or address, without brackets
  std::uint16_t port = 6379;
  friend bool operator==(const RedisHost&, const RedisHost&) = default;
};

/// A parsed URL. Exactly one of `host` and `path` is not empty.
struct RedisUrl {
  RedisKind kind = RedisKind::server;
  std::string host;  ///< name or address, without brackets; empty for a unix socket
  std::uint16_t port = 6379;
  std::vector<RedisHost> more;  ///< further sentinels or nodes, in the order given
  std::string primary;          ///< sentinel: the primary's name
  bool sentinel_auth = false;   ///< sentinel: they want the login too
  std::string path;             ///< absolute path of a unix socket; empty for TCP
  std::string user;             ///< ACL user; empty: the default user
  Secret password;              ///< empty: no AUTH is sent
  std::uint32_t database = 0;
  bool tls = false;

  [[nodiscard]] bool is_unix() const { return !path.empty(); }
  friend bool operator==(const RedisUrl&, const RedisUrl&) = default;
};

/// What is wrong with a URL. Quotes nothing of it but its scheme, as any part may be a password.
struct RedisUrlError {
  std::size_t position = 0;  ///< of the offending character, from 0
  std::string problem;       ///< what is wrong, and what is right
  friend bool operator==(const RedisUrlError&, const RedisUrlError&) = default;
};

/// Never throws on bad input.
[[nodiscard]] std::variant<RedisUrl, RedisUrlError> parse_redis_url(std::string_view text);

/// "Redis URL, character 9: ..." (characters from 1).
[[nodiscard]] std::string to_string(const RedisUrlError& error);

/// A URL that parses to the same value, except that a password is written as three stars.
[[nodiscard]] std::string to_string(const RedisUrl& url);

/// For messages: "host:6379", "[::1]:6379", several with commas between, or the socket's path.
[[nodiscard]] std::string address_of(const RedisUrl& url);
[[nodiscard]] std::string address_of(const RedisHost& host);

/// All hosts of the URL, in the order given. Precondition: no unix socket.
[[nodiscard]] std::vector<RedisHost> hosts_of(const RedisUrl& url);

}  // namespace nandi
