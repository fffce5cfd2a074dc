// Reads replies of the Redis protocol, version 2, from bytes that arrive in pieces of any size.
//
// Bounded in every direction, as the other end may be anything that listens on the port: a reply
// larger, deeper or longer than the limits is malformed, and so is every byte that the protocol
// (redis.io, "RESP protocol spec") does not have there. After that the stream has no known
// position: the connection is to be closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nandi {

enum class RespType : std::uint8_t { simple, error, integer, bulk, null, array };

/// One value of a reply.
struct RespValue {
  RespType type = RespType::null;
  std::int64_t integer = 0;  ///< integer: its value. array: number of elements, nested ones aside
  std::string_view text;     ///< simple, error (without its '-'), bulk
};

/// A reply in preorder: an array is followed by its elements. Never empty.
using RespReply = std::span<const RespValue>;

struct RespLimits {
  std::size_t line = 16 * 1024;     ///< bytes of a simple string, error, integer or length
  std::size_t bulk = 256 * 1024;    ///< bytes of one bulk string
  std::size_t values = 4 * 1024;    ///< values of one reply
  std::size_t depth = 8;            ///< arrays within arrays
  std::size_t reply = 1024 * 1024;  ///< bytes of one reply
};

class RespReader {
 public:
  enum class Status : std::uint8_t { incomplete, complete, malformed };

  explicit RespReader(RespLimits limits = {}) : limits_(limits) {}

  /// Room for at least `size` bytes. Ends the life of the last reply.
  [[nodiscard]] std::span<char> prepare(std::size_t size);
  /// The first `size` bytes of what prepare() returned now hold input.
  void commit(std::size_t size) { end_ += size; }

  /// Reads the next reply. Once malformed, always malformed.
  [[nodiscard]] Status next();
  /// The reply that next() found complete; valid until the next call of prepare(), next(), reset().
  [[nodiscard]] RespReply reply() const { return values_; }
  /// What was malformed, and at which byte of the stream.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// True when the bytes read so far end within a reply.
  [[nodiscard]] bool in_reply() const { return end_ > begin_; }

  /// Forgets everything: a new stream begins.
  void reset();

 private:
  struct Piece {
    std::size_t offset = 0;
    std::size_t size = 0;
  };
  enum class Step : std::uint8_t { done, more, malformed };

  Step read_value();
  Step read_line(std::string_view& line);
  Step read_length(std::string_view line, std::size_t limit, const char* what);
  Step fail(std::string problem);
  void close_value();

  RespLimits limits_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;       ///< of the reply being read
  std::size_t end_ = 0;         ///< of the input
  std::size_t position_ = 0;    ///< of what is read next
  std::size_t scanned_ = 0;     ///< up to here there is no end of the line at position_
  std::uint64_t consumed_ = 0;  ///< bytes of the stream before the buffer's first
  bool started_ = false;        ///< values_ belongs to the reply being read
  bool malformed_ = false;
  std::int64_t bulk_ = -1;          ///< size of the bulk string whose header was read; -1: none
  std::int64_t length_ = 0;         ///< read by read_length()
  std::vector<std::int64_t> open_;  ///< elements still to come, per open array
  std::vector<RespValue> values_;
  std::vector<Piece> pieces_;  ///< of values_: where the text is, as the buffer may move
  std::string problem_;
};

}  // namespace nandi
