#include "nandi/checker/checkpoint.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "nandi/checker/word_hash.h"

namespace nandi::checker {
namespace {

constexpr std::uint64_t kMagic = 0x31704B6369646E6E;
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kPointWords = sizeof(SearchPoint) / sizeof(std::uint64_t);
// Longer ones are no identities but what a damaged file says.
constexpr std::uint64_t kMostIdentityBytes = 1U << 16U;

std::uint64_t checksum_of(std::uint64_t so_far, const std::uint64_t* words, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    so_far = folded_product(so_far ^ words[i], 0xBB67AE8584CAA73B) + 0x9E3779B97F4A7C15;
  }
  return so_far;
}

std::vector<std::uint64_t> words_of(const std::string& text) {
  std::vector<std::uint64_t> words((text.size() + 7) / 8);
  if (!text.empty()) std::memcpy(words.data(), text.data(), text.size());
  return words;
}

using PointWords = std::array<std::uint64_t, kPointWords>;

[[noreturn]] void fail_to_write(const std::string& path) {
  throw CheckpointError(
      fmt::format("checkpoint {} cannot be written: {}; name a file in a "
                  "directory that may be written and has room",
                  path, std::strerror(errno)));
}

}  // namespace

CheckpointWriter::CheckpointWriter(std::string path, const SearchPoint& point,
                                   const std::string& identity)
    : path_(std::move(path)), part_(path_ + ".part"), file_(std::fopen(part_.c_str(), "wb")) {
  if (!file_) fail_to_write(part_);
  const std::uint64_t head[3] = {kMagic, kVersion, identity.size()};
  put(head, 3);
  put(std::bit_cast<PointWords>(point).data(), kPointWords);
  const auto text = words_of(identity);
  put(text.data(), text.size());
}

CheckpointWriter::~CheckpointWriter() {
  if (file_) std::remove(part_.c_str());
}

void CheckpointWriter::put(const std::uint64_t* words, std::uint64_t count) {
  checksum_ = checksum_of(checksum_, words, count);
  if (std::fwrite(words, sizeof(*words), count, file_.get()) != count) fail_to_write(part_);
}

void CheckpointWriter::put(const std::uint32_t* halves, std::uint64_t count) {
  constexpr std::uint64_t kChunk = 4096;
  std::array<std::uint64_t, kChunk / 2> words;
  for (std::uint64_t done = 0; done < count; done += kChunk) {
    const std::uint64_t now = std::min(kChunk, count - done);
    words[(now + 1) / 2 - 1] = 0;
    std::memcpy(words.data(), halves + done, now * sizeof(*halves));
    put(words.data(), (now + 1) / 2);
  }
}

void CheckpointWriter::finish() {
  const std::uint64_t checksum = checksum_;
  put(&checksum, 1);
  if (std::fflush(file_.get()) != 0 || fsync(fileno(file_.get())) != 0) fail_to_write(part_);
  file_.reset();
  if (std::rename(part_.c_str(), path_.c_str()) != 0) fail_to_write(path_);
}

CheckpointReader::CheckpointReader(std::string path, const std::string& identity,
                                   std::uint64_t words, bool has_packed)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "rb")) {
  if (!file_) refuse(std::strerror(errno));
  std::uint64_t head[3] = {};
  get(head, 3);
  if (head[0] != kMagic) refuse("it is no checkpoint");
  if (head[1] != kVersion) {
    refuse(
        fmt::format("it has version {} of the format, this program reads {}", head[1], kVersion));
  }
  PointWords point{};
  get(point.data(), kPointWords);
  point_ = std::bit_cast<SearchPoint>(point);
  if (head[2] > kMostIdentityBytes) refuse("it is damaged");
  check_length((head[2] + 7) / 8);
  std::vector<std::uint64_t> text((head[2] + 7) / 8);
  get(text.data(), text.size());
  if (head[2] != identity.size() || text != words_of(identity)) {
    std::string saved(head[2], '\0');
    if (!saved.empty()) std::memcpy(saved.data(), text.data(), saved.size());
    refuse(fmt::format("it is of another search.\n  saved: {}\n  asked: {}", saved, identity));
  }
  const std::uint64_t key_words = has_packed ? 1 : words;
  if (point_.words != words || point_.key_words != key_words ||
      (point_.has_packed != 0) != has_packed) {
    refuse("its states are of another form: it is of another search or another program");
  }
}

void CheckpointReader::refuse(const std::string& why) const {
  throw CheckpointError(fmt::format(
      "checkpoint {} cannot be resumed: {}; start without --resume, or name another", path_, why));
}

// Everything that is allocated later is no longer than the file.
void CheckpointReader::check_length(std::uint64_t identity_words) const {
  struct stat status {};
  if (fstat(fileno(file_.get()), &status) != 0) refuse(std::strerror(errno));
  const auto bytes = static_cast<Uint128>(status.st_size);
  const bool is_ordered = point_.next <= point_.level_end && point_.level_end <= point_.states &&
                          point_.next <= point_.states;
  if (!is_ordered || point_.words == 0 || point_.key_words == 0 || point_.words > 64 ||
      point_.key_words > 64) {
    refuse("it is damaged");
  }
  Uint128 expected = 3 + kPointWords + identity_words + 1;
  expected += Uint128{point_.states} * point_.key_words + (Uint128{point_.states} + 1) / 2;
  if (point_.has_packed != 0) {
    expected += Uint128{point_.states - point_.next} * point_.words;
  }
  if (bytes != expected * sizeof(std::uint64_t)) {
    refuse(fmt::format("it has {} bytes and should have {}: it is truncated or damaged",
                       static_cast<std::uint64_t>(bytes),
                       static_cast<std::uint64_t>(expected * sizeof(std::uint64_t))));
  }
}

void CheckpointReader::get(std::uint64_t* words, std::uint64_t count) {
  if (std::fread(words, sizeof(*words), count, file_.get()) != count) {
    refuse("it ends too early: it is truncated");
  }
  checksum_ = checksum_of(checksum_, words, count);
}

void CheckpointReader::get(std::uint32_t* halves, std::uint64_t count) {
  constexpr std::uint64_t kChunk = 4096;
  std::array<std::uint64_t, kChunk / 2> words{};
  for (std::uint64_t done = 0; done < count; done += kChunk) {
    const std::uint64_t now = std::min(kChunk, count - done);
    get(words.data(), (now + 1) / 2);
    std::memcpy(halves + done, words.data(), now * sizeof(*halves));
  }
}

void CheckpointReader::finish() {
  const std::uint64_t expected = checksum_;
  std::uint64_t saved = 0;
  get(&saved, 1);
  if (saved != expected) refuse("its checksum is wrong: it is damaged");
}

}  // namespace nandi::checker
