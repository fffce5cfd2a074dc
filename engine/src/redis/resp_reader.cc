#include "nandi/engine/redis/resp_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace nandi {
namespace {

constexpr std::string_view kMarkers = "+-:$*";

/// A decimal integer as Redis writes it: a '-' for negative ones, digits, nothing else.
std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::span<char> RespReader::prepare(std::size_t size) {
  if (begin_ == end_) {
    consumed_ += end_;
    begin_ = end_ = position_ = scanned_ = 0;
  } else if (begin_ > 0 && end_ + size > buffer_.size()) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    for (Piece& piece : pieces_) piece.offset -= std::min(piece.offset, begin_);
    consumed_ += begin_;
    position_ -= begin_;
    scanned_ -= std::min(scanned_, begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ + size > buffer_.size()) buffer_.resize(std::max(end_ + size, 2 * buffer_.size()));
  return {buffer_.data() + end_, buffer_.size() - end_};
}

void RespReader::reset() {
  begin_ = end_ = position_ = scanned_ = 0;
  consumed_ = 0;
  started_ = malformed_ = false;
  bulk_ = -1;
  open_.clear();
  values_.clear();
  pieces_.clear();
  problem_.clear();
}

RespReader::Status RespReader::next() {
  if (malformed_) return Status::malformed;
  if (!started_) {
    values_.clear();
    pieces_.clear();
    started_ = true;
  }
  do {
    const Step step = read_value();
    if (step == Step::malformed) return Status::malformed;
    if (position_ - begin_ > limits_.reply ||
        (step == Step::more && end_ - begin_ > limits_.reply)) {
      fail(fmt::format("a reply of more than {} bytes", limits_.reply));
      return Status::malformed;
    }
    if (step == Step::more) return Status::incomplete;
  } while (!open_.empty() || bulk_ >= 0);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i].text = {buffer_.data() + pieces_[i].offset, pieces_[i].size};
  }
  begin_ = scanned_ = position_;
  started_ = false;
  return Status::complete;
}

RespReader::Step RespReader::fail(std::string problem) {
  malformed_ = true;
  problem_ = fmt::format("byte {} of the stream: {}", consumed_ + position_ + 1, problem);
  return Step::malformed;
}

/// One value is complete: so are the arrays of which it was the last element.
void RespReader::close_value() {
  while (!open_.empty() && --open_.back() == 0) open_.pop_back();
}

RespReader::Step RespReader::read_line(std::string_view& line) {
  const char* first = buffer_.data() + position_;
  const std::size_t from = std::max(scanned_, position_);
  const void* found = from < end_ ? std::memchr(buffer_.data() + from, '\n', end_ - from) : nullptr;
  const std::size_t stop =
      found == nullptr ? end_
                       : static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
  if (stop - position_ > limits_.line) {
    return fail(fmt::format("a line of more than {} bytes", limits_.line));
  }
  scanned_ = stop;
  if (found == nullptr) return Step::more;
  line = {first, stop - position_};
  if (line.empty() || line.back() != '\r') return fail("a line ends with CR LF");
  line.remove_suffix(1);
  if (line.find('\r') != std::string_view::npos) return fail("a CR within a line");
  return Step::done;
}

RespReader::Step RespReader::read_length(std::string_view line, std::size_t limit,
                                         const char* what) {
  const std::optional<std::int64_t> length = parse_integer(line.substr(1));
  if (!length || *length < -1) return fail(fmt::format("{} has no valid length", what));
  if (*length > static_cast<std::int64_t>(limit)) {
    return fail(fmt::format("{} of length {}, where at most {} is accepted", what, *length, limit));
  }
  length_ = *length;
  return Step::done;
}

RespReader::Step RespReader::read_value() {
  if (bulk_ >= 0) {
    const auto size = static_cast<std::size_t>(bulk_);
    if (end_ - position_ < size + 2) return Step::more;
    if (std::memcmp(buffer_.data() + position_ + size, "\r\n", 2) != 0) {
      return fail("a bulk string is not followed by CR LF");
    }
    pieces_.back() = {position_, size};
    position_ += size + 2;
    bulk_ = -1;
    close_value();
    return Step::done;
  }
  if (position_ < end_ && kMarkers.find(buffer_[position_]) == std::string_view::npos) {
    return fail("a value begins with '+', '-', ':', '$' or '*'");
  }
  std::string_view line;
  const Step step = read_line(line);
  if (step != Step::done) return step;
  if (values_.size() == limits_.values) {
    return fail(fmt::format("a reply of more than {} values", limits_.values));
  }
  RespValue value;
  Piece piece{position_ + 1, line.size() - 1};
  switch (line[0]) {
    case '+': value.type = RespType::simple; break;
    case '-': value.type = RespType::error; break;
    case ':': {
      value.type = RespType::integer;
      const std::optional<std::int64_t> integer = parse_integer(line.substr(1));
      if (!integer) return fail("an integer is not one, or has more than 64 bits");
      value.integer = *integer;
      break;
    }
    case '$':
      if (read_length(line, limits_.bulk, "a bulk string") != Step::done) return Step::malformed;
      value.type = length_ < 0 ? RespType::null : RespType::bulk;
      bulk_ = length_;
      break;
    default:
      if (read_length(line, limits_.values, "an array") != Step::done) return Step::malformed;
      value.type = length_ < 0 ? RespType::null : RespType::array;
      value.integer = std::max(length_, std::int64_t{0});
      if (open_.size() == limits_.depth) {
        return fail(fmt::format("arrays more than {} deep", limits_.depth));
      }
      break;
  }
  const bool has_text = value.type == RespType::simple || value.type == RespType::error;
  if (!has_text) piece.size = 0;
  values_.push_back(value);
  pieces_.push_back(piece);
  position_ += line.size() + 2;
  scanned_ = position_;
  if (value.type == RespType::array && value.integer > 0) {
    open_.push_back(value.integer);
  } else if (value.type != RespType::bulk) {
    close_value();
  }
  return Step::done;
}

}  // namespace nandi
