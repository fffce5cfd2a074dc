// Any bytes as a checkpoint: they are refused, or the search goes on from them and ends, with a
// verdict or with the error that the model's own states contradict it. The first byte says what is
// done with the rest: bit 0 takes it as fingerprints, bit 1 makes its checksum right, so that what
// lies behind that is read as well.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "models/fischer.h"
#include "nandi/checker/explorer.h"
#include "nandi/checker/word_hash.h"

namespace {

using namespace nandi::checker;

ExploreOptions options_of(bool has_fingerprints) {
  ExploreOptions options;
  options.fingerprints = has_fingerprints;
  options.bounds.max_states = 100'000;
  options.bounds.max_bytes = 64U << 20U;
  options.checkpoint.identity = "fischer";
  return options;
}

/// Of all whole words but the last, which becomes it: as checkpoint.cc has it.
void make_checksum_right(std::string& bytes) {
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
  if (words.empty()) return;
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint64_t));
  std::uint64_t checksum = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    checksum = folded_product(checksum ^ words[i], 0xBB67AE8584CAA73B) + 0x9E3779B97F4A7C15;
  }
  std::memcpy(bytes.data() + (words.size() - 1) * sizeof(checksum), &checksum, sizeof(checksum));
}

class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : descriptor_(memfd_create("checkpoint", 0)) {
    const auto length = static_cast<ssize_t>(bytes.size());
    if (descriptor_ < 0 || write(descriptor_, bytes.data(), bytes.size()) != length) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool has_fingerprints = (data[0] & 1U) != 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 2U) != 0) make_checksum_right(bytes);
  const MemoryFile file(bytes);
  const models::Fischer model(2, 1, 1);  // violated: two are inside
  ExploreOptions options = options_of(has_fingerprints);
  options.checkpoint.resume_from = file.path();
  try {
    const auto found = explore_breadth_first(model, options);
    const bool is_violated = found.summary.verdict == nandi::sim::Verdict::violated;
    if (found.counterexample.has_value() != is_violated ||
        found.summary.counts.states > options.bounds.max_states) {
      std::cerr << "a verdict without its path, or more states than the bound\n";
      std::abort();
    }
  } catch (const CheckpointError&) {
  } catch (const ExplorationError&) {
  } catch (const WitnessError&) {
  }
  return 0;
}
