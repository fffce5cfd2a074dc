// Any bytes as the body of a message between ranks, under the checksum that they would have: it is
// no message, or one that is encoded to what is decoded to the same again.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "campaign_archive.h"
#include "ranks/rank_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nandi::sim;
  const std::string body(reinterpret_cast<const char*>(data), size);
  static_cast<void>(decode(body));
  const std::optional<RankMessage> message =
      decode(fmt::format("nandi-rank {} {:016x}\n{}", kRankMessageVersion, checksum(body), body));
  if (!message) return 0;
  const std::string written = encode(*message);
  const std::optional<RankMessage> again = decode(written);
  if (!again || encode(*again) != written) {
    std::cerr << "encoded and decoded, the message is another one\n";
    std::abort();
  }
  return 0;
}
