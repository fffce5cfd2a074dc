#include "placement.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "nandi/engine/partition/hash_ring.h"
#include "nandi/engine/partition/maglev_table.h"
#include "nandi/engine/partition/rendezvous.h"
#include "nandi/engine/partition/scheme.h"
#include "nandi/sim/partition/study_draw.h"

namespace nandi::sim {

namespace {

using partition::Server;

class ByPosition : public Placement {
 public:
  ByPosition(PlacementKind kind, std::size_t members)
      : kind_(kind), n_(static_cast<std::uint32_t>(members)) {}

  std::uint32_t owner(const StudyItem& item) const override {
    switch (kind_) {
      case PlacementKind::jump: return partition::jump_hash(item.hash, n_);
      case PlacementKind::rendezvous_index: return partition::rendezvous_index(item.hash, n_);
      default:
        return item.text.empty() ? partition::modulo_index(item.id, n_)
                                 : partition::modulo_index(std::string_view(item.text), n_);
    }
  }

 private:
  PlacementKind kind_;
  std::uint32_t n_;
};

// Position in `members` of each server of a scheme's own list, which is sorted by name.
std::vector<std::uint32_t> positions_in(const std::vector<Server>& members,
                                        const std::vector<Server>& servers) {
  std::vector<std::uint32_t> positions;
  for (const Server& server : servers) {
    const auto found = std::find(members.begin(), members.end(), server);
    positions.push_back(static_cast<std::uint32_t>(found - members.begin()));
  }
  return positions;
}

template <class Scheme>
class ByName : public Placement {
 public:
  ByName(Scheme scheme, const std::vector<Server>& members)
      : scheme_(std::move(scheme)), positions_(positions_in(members, scheme_.servers())) {}

  std::uint32_t owner(const StudyItem& item) const override {
    return positions_[scheme_.owner(item.hash)];
  }
  std::size_t memory_bytes() const override { return scheme_.memory_bytes(); }

  std::vector<std::pair<std::uint64_t, std::uint32_t>> points() const override {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> points;
    if constexpr (std::is_same_v<Scheme, partition::HashRing>) {
      for (std::size_t i = 0; i < scheme_.points().size(); ++i) {
        points.emplace_back(scheme_.points()[i], positions_[scheme_.point_owners()[i]]);
      }
    }
    return points;
  }

 private:
  Scheme scheme_;
  std::vector<std::uint32_t> positions_;
};

template <class Scheme>
std::unique_ptr<Placement> by_name(Scheme scheme, const std::vector<Server>& members) {
  return std::make_unique<ByName<Scheme>>(std::move(scheme), members);
}

// Highest FNV-1a value of the two names joined, unmixed: a scheme as people write it by hand.
class WeakRendezvous : public Placement {
 public:
  WeakRendezvous(const std::vector<Server>& members, Mixer mixer)
      : members_(members), mixer_(mixer) {}

  std::uint32_t owner(const StudyItem& item) const override {
    std::uint32_t best = 0;
    std::optional<std::uint32_t> best_weight;
    std::string joined;
    for (std::uint32_t m = 0; m < members_.size(); ++m) {
      const std::string& name = members_[m].name;
      joined = mixer_ == Mixer::fnv_item_server ? item.text : name;
      joined += ':';
      joined += mixer_ == Mixer::fnv_item_server ? name : item.text;
      const std::uint32_t weight = partition::fnv1a_32(joined);
      const bool wins = !best_weight || weight > *best_weight ||
                        (weight == *best_weight && name < members_[best].name);
      if (!wins) continue;
      best = m;
      best_weight = weight;
    }
    return best;
  }

  std::size_t memory_bytes() const override { return partition::server_list_bytes(members_); }

 private:
  std::vector<Server> members_;
  Mixer mixer_;
};

}  // namespace

std::uint64_t salt_of(std::uint64_t seed) {
  return seed == 0 ? 0 : study_draw(seed, StudyStream::salt, 0);
}

std::vector<StudyItem> make_items(const ItemSpec& spec, std::uint64_t count, std::uint64_t seed) {
  const std::uint64_t salt = salt_of(seed);
  std::vector<StudyItem> items(count);
  for (std::uint64_t k = 0; k < count; ++k) {
    StudyItem& item = items[k];
    const auto number = static_cast<std::int64_t>(k);
    switch (spec.ids) {
      case ItemIds::sequential: item.id = number; break;
      case ItemIds::even: item.id = 2 * number; break;
      case ItemIds::negative: item.id = -1 - number; break;
      case ItemIds::random:
        item.id = static_cast<std::int64_t>(study_draw(seed, StudyStream::item_id, k));
        break;
      case ItemIds::text: item.text = fmt::format("task:{}", k); break;
    }
    item.hash = item.text.empty() ? partition::item_hash(item.id) : partition::item_hash(item.text);
    if (salt != 0) item.hash = partition::splitmix64(item.hash ^ salt);
  }
  return items;
}

std::unique_ptr<Placement> make_placement(const SchemeSpec& scheme,
                                          const std::vector<Server>& members, bool weighted,
                                          std::uint64_t salt) {
  switch (scheme.kind) {
    case PlacementKind::rendezvous:
      if (scheme.mixer != Mixer::splitmix) {
        return std::make_unique<WeakRendezvous>(members, scheme.mixer);
      }
      if (weighted) return by_name(partition::WeightedRendezvous(members, salt), members);
      return by_name(partition::Rendezvous(members, salt), members);
    case PlacementKind::ring:
      return by_name(partition::HashRing(members, scheme.virtual_nodes, salt), members);
    case PlacementKind::maglev:
      return by_name(partition::MaglevTable(members, scheme.table_size, salt), members);
    default: return std::make_unique<ByPosition>(scheme.kind, members.size());
  }
}

}  // namespace nandi::sim
