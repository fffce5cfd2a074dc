// Replies: any bytes, in pieces whose size the first byte chooses, must be read alike in one piece,
// within the limits; and whatever is read must be classified or refused.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <variant>

#include "nandi/engine/redis/redis_reply.h"
#include "nandi/engine/redis/resp_reader.h"

namespace {

using nandi::RespReader;
using Status = RespReader::Status;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string text_of(nandi::RespReply reply) {
  std::string text;
  for (const nandi::RespValue& value : reply) {
    text += std::to_string(static_cast<int>(value.type)) + ":" + std::to_string(value.integer) +
            ":" + std::to_string(value.text.size()) + ":" + std::string(value.text) + "\n";
  }
  return text;
}

void interpret(nandi::RespReply reply) {
  require(!reply.empty());
  if (reply.front().type == nandi::RespType::error) {
    const nandi::Refusal refusal = nandi::classify_error(reply.front().text);
    require(refusal.failure.error != nandi::ErrorClass::none);
    require(refusal.failure.detail.find('\n') == std::string::npos);
    if (refusal.redirect) {
      require(refusal.redirect->slot < 16384 && refusal.redirect->port >= 1);
      require(refusal.redirect->host.find_first_of(" \r\n/@") == std::string::npos);
    }
    return;
  }
  if (const auto word = nandi::read_sentinel_word(reply)) {
    require(!word->primary.host.empty() && word->primary.port >= 1);
  }
  const auto read = nandi::read_registration(reply, 5000);
  if (const auto* tick = std::get_if<nandi::Tick>(&read)) {
    require(tick->index < nandi::kMaxCount && tick->at.count() >= 0);
    require(tick->previous_count.value_or(1) >= 1);
  }
}

std::string read_in_pieces(std::string_view bytes, std::size_t piece) {
  nandi::RespLimits limits;
  limits.line = 64;
  limits.bulk = 128;
  limits.values = 32;
  limits.depth = 4;
  limits.reply = 512;
  RespReader reader(limits);
  std::string result;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const std::size_t size = std::min(piece, bytes.size() - at);
    const auto room = reader.prepare(size);
    std::memcpy(room.data(), bytes.data() + at, size);
    reader.commit(size);
    for (;;) {
      const Status status = reader.next();
      if (status == Status::incomplete) break;
      if (status == Status::malformed) return result + "malformed";
      require(reader.reply().size() <= limits.values);
      result += text_of(reader.reply()) + "--\n";
      interpret(reader.reply());
    }
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = read_in_pieces(bytes, bytes.size());
  require(whole == read_in_pieces(bytes, 1U + data[0] % 16U));
  return 0;
}
