// One scheme over one list of members, behind one interface for the study.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nandi/engine/partition/server.h"
#include "nandi/sim/partition/partition_study.h"

namespace nandi::sim {

struct StudyItem {
  std::int64_t id = 0;
  std::uint64_t hash = 0;
  std::string text;  // only where a mixer or the ids ask for it
};

// The first `count` items for one seed.
std::vector<StudyItem> make_items(const ItemSpec& spec, std::uint64_t count, std::uint64_t seed);

// 0 for seed 0, which is production's placement; else a draw.
std::uint64_t salt_of(std::uint64_t seed);

class Placement {
 public:
  virtual ~Placement() = default;
  // Position of the owner in the list of members.
  virtual std::uint32_t owner(const StudyItem& item) const = 0;
  // Of the scheme's own data: 0 for those that need only a number.
  virtual std::size_t memory_bytes() const { return 0; }
  // A ring's points in order, with the positions of their owners.
  virtual std::vector<std::pair<std::uint64_t, std::uint32_t>> points() const { return {}; }
};

// `weighted`: whether weights differ anywhere in the history, so that rendezvous is one scheme
// throughout. Throws partition::PartitionError.
std::unique_ptr<Placement> make_placement(const SchemeSpec& scheme,
                                          const std::vector<partition::Server>& members,
                                          bool weighted, std::uint64_t salt);

}  // namespace nandi::sim
