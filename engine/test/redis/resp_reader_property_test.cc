#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "nandi/engine/redis/resp_reader.h"

namespace nandi::test {
namespace {

using Status = RespReader::Status;

/// A random reply, written out by the test's own hand, with the flat list that it stands for.
struct Written {
  std::string bytes;
  std::vector<std::string> flat;
};

void write_value(Written& out, int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 6 : 5);
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~'));
  const auto any = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto integer = *rc::gen::arbitrary<std::int64_t>();
  switch (kind) {
    case 0:
      out.bytes += "+" + text + "\r\n";
      out.flat.push_back("+" + text);
      break;
    case 1:
      out.bytes += "-" + text + "\r\n";
      out.flat.push_back("-" + text);
      break;
    case 2:
      out.bytes += ":" + std::to_string(integer) + "\r\n";
      out.flat.push_back(":" + std::to_string(integer));
      break;
    case 3:
      out.bytes += "$" + std::to_string(any.size()) + "\r\n" + any + "\r\n";
      out.flat.push_back("$" + any);
      break;
    case 4:
      out.bytes += "$-1\r\n";
      out.flat.push_back("null");
      break;
    default: {
      const int elements = *rc::gen::inRange(0, 4);
      out.bytes += "*" + std::to_string(elements) + "\r\n";
      out.flat.push_back("*" + std::to_string(elements));
      for (int i = 0; i < elements; ++i) write_value(out, depth - 1);
    }
  }
}

std::string flat_of(const RespValue& value) {
  switch (value.type) {
    case RespType::simple: return "+" + std::string(value.text);
    case RespType::error: return "-" + std::string(value.text);
    case RespType::integer: return ":" + std::to_string(value.integer);
    case RespType::bulk: return "$" + std::string(value.text);
    case RespType::null: return "null";
    case RespType::array: return "*" + std::to_string(value.integer);
  }
  return {};
}

RC_GTEST_PROP(RespReaderProperty, RepliesAreTheSameHoweverTheBytesArrive, ()) {
  std::vector<Written> written(*rc::gen::inRange<std::size_t>(1, 4));
  std::string stream;
  for (Written& reply : written) {
    write_value(reply, 3);
    stream += reply.bytes;
  }
  RespReader reader;
  std::size_t read = 0;
  std::size_t position = 0;
  while (position < stream.size()) {
    const std::size_t size =
        std::min(*rc::gen::inRange<std::size_t>(1, 9), stream.size() - position);
    const auto room = reader.prepare(size);
    RC_ASSERT(room.size() >= size);
    std::memcpy(room.data(), stream.data() + position, size);
    reader.commit(size);
    position += size;
    for (Status status = reader.next(); status != Status::incomplete; status = reader.next()) {
      RC_ASSERT(status == Status::complete);
      RC_ASSERT(read < written.size());
      std::vector<std::string> flat;
      for (const RespValue& value : reader.reply()) flat.push_back(flat_of(value));
      RC_ASSERT(flat == written[read].flat);
      ++read;
    }
  }
  RC_ASSERT(read == written.size());
  RC_ASSERT(!reader.in_reply());
}

}  // namespace
}  // namespace nandi::test
