// A breadth-first search in a file: where it stood between two rounds, and the states it had found.
//
// The file is a row of 64-bit words in the machine's order of bytes: magic number and version, the
// search's point, the identity of what was searched, keys, parents and (fingerprints) the states
// still to be expanded, a checksum over all before it. It is written beside its name and moved
// there when it is complete, so that a process that dies leaves the one before. A file that is
// truncated, altered, of another version or of another search is refused (CheckpointError).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "nandi/checker/exploration.h"

namespace nandi::checker {

// All states before `next` are expanded, all before `states` were looked at, nothing is under way.
struct SearchPoint {
  std::uint64_t words = 0;       // of a packed state
  std::uint64_t key_words = 0;   // of a key in the set: as many, or 1 for fingerprints
  std::uint64_t has_packed = 0;  // 1: the states from `next` on are kept in full as well
  std::uint64_t states = 0;
  std::uint64_t next = 0;
  std::uint64_t level_end = 0;
  std::uint64_t depth = 0;
  std::uint64_t transitions = 0;
  std::uint64_t terminal = 0;
  Tally tally;
};
static_assert(std::is_trivially_copyable_v<SearchPoint> &&
              sizeof(SearchPoint) % sizeof(std::uint64_t) == 0);

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

class CheckpointWriter {
 public:
  // Throws CheckpointError where the file cannot be written, as all members do.
  CheckpointWriter(std::string path, const SearchPoint& point, const std::string& identity);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  void put(const std::uint64_t* words, std::uint64_t count);
  void put(const std::uint32_t* halves, std::uint64_t count);
  // The checksum, and the file takes its name.
  void finish();

 private:
  std::string path_;
  std::string part_;
  OpenFile file_;
  std::uint64_t checksum_ = 0;
};

class CheckpointReader {
 public:
  // Throws CheckpointError for a file that is no checkpoint, is not as long as it says, or is not
  // of `identity` and `words`.
  CheckpointReader(std::string path, const std::string& identity, std::uint64_t words,
                   bool has_packed);

  const SearchPoint& point() const { return point_; }
  void get(std::uint64_t* words, std::uint64_t count);
  void get(std::uint32_t* halves, std::uint64_t count);
  // Throws CheckpointError unless the checksum is right. Before that, trust nothing of the file.
  void finish();

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void check_length(std::uint64_t identity_words) const;

  std::string path_;
  OpenFile file_;
  SearchPoint point_;
  std::uint64_t checksum_ = 0;
};

}  // namespace nandi::checker
