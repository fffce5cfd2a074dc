// URLs: any text is parsed or refused with a position inside it; what is parsed renders to a URL
// of the same value, and never shows the password.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "nandi/engine/redis/redis_url.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = nandi::parse_redis_url(text);
  if (const auto* error = std::get_if<nandi::RedisUrlError>(&parsed)) {
    require(error->position <= size && !error->problem.empty());
    return 0;
  }
  nandi::RedisUrl url = std::get<nandi::RedisUrl>(parsed);
  require(url.host.empty() != url.path.empty());
  for (const nandi::RedisHost& host : nandi::hosts_of(url)) require(host.port >= 1);
  for (const nandi::RedisHost& host : url.more) require(!host.host.empty());
  require(url.more.empty() || url.kind != nandi::RedisKind::server);
  require(url.primary.empty() == (url.kind != nandi::RedisKind::sentinel));
  require(url.database == 0 || url.kind != nandi::RedisKind::cluster);
  const auto again = nandi::parse_redis_url(nandi::to_string(url));
  const auto* same = std::get_if<nandi::RedisUrl>(&again);
  require(same != nullptr);
  if (!url.password.empty()) {
    require(same->password.reveal() == "***");
    url.password = same->password;
  } else {
    url.user = same->user;  // a user without a password is not rendered, as none is sent
  }
  require(*same == url);
  return 0;
}
