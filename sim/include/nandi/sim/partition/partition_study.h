// `kind: partition`: lays partition schemes over one history of members and measures what moves,
// how evenly the items lie, where a leaving server's load falls and what a scheme costs.
//
// Source: the article on partition assignment (modulo, highest random weight, consistent hashing);
// its complaints are the columns here: items that change places between servers that stayed, a
// leaving server's load on one neighbour, uneven shares.
//
// Properties: every item has exactly one live owner after every change; the order in which servers
// are listed does not matter to schemes that know names; and an item moves only because its old
// server gave way or its new one came or grew, where the scheme promises that.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nandi/engine/fraction.h"
#include "nandi/sim/partition/membership.h"
#include "nandi/sim/partition/study.h"
#include "nandi/sim/partition/summary.h"
#include "nandi/sim/verdict.h"
#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/tree.h"
#include "nandi/sim/yaml/type.h"

namespace nandi::sim {

enum class PlacementKind : std::uint8_t {
  modulo,            // by position: id mod n
  jump,              // by position: Lamping and Veach
  rendezvous_index,  // by position: highest random weight over 0..n-1
  rendezvous,        // by name: highest random weight; weighted as soon as any weight differs
  ring,              // by name: consistent hashing with virtual nodes
  maglev,            // by name: lookup table
};

// What rendezvous by name mixes an item and a server with. The FNV ones show what a weak mixer
// does: 32 bits of FNV-1a over "item:server" or "server:item".
enum class Mixer : std::uint8_t { splitmix, fnv_item_server, fnv_server_item };

struct SchemeSpec {
  PlacementKind kind = PlacementKind::modulo;
  std::uint32_t virtual_nodes = 100;  // ring
  std::uint32_t table_size = 65537;   // maglev
  Mixer mixer = Mixer::splitmix;      // rendezvous
  // Holds the scheme to the least movement although it does not promise it.
  bool must_be_minimal = false;
  friend bool operator==(const SchemeSpec&, const SchemeSpec&) = default;

  bool by_name() const { return kind >= PlacementKind::rendezvous; }
};

// "ring 100", "rendezvous fnv item:server": what the tables call the scheme.
std::string scheme_label(const SchemeSpec& scheme);

enum class ItemIds : std::uint8_t {
  sequential,  // 0, 1, 2, ...
  even,        // 0, 2, 4, ...
  negative,    // -1, -2, -3, ...
  random,      // 64 bits, other ones for each seed
  text,        // task:0, task:1, ...
};

struct ItemSpec {
  std::uint64_t count = 20'000;
  ItemIds ids = ItemIds::sequential;
  // Further items that are there before each change.
  std::uint64_t arrive = 0;
  friend bool operator==(const ItemSpec&, const ItemSpec&) = default;
};

// A server fails, and then every server whose load is above its capacity, until none is.
struct CascadeSpec {
  std::string server;
  // Of each server, in multiples of its load at the start were all items placed evenly.
  Fraction capacity{3, 2};
  friend bool operator==(const CascadeSpec&, const CascadeSpec&) = default;
};

// A lease scenario whose group's settled memberships are the history.
struct LeaseSource {
  std::string file;  // relative to the study's file
  std::uint64_t seed = 1;
  friend bool operator==(const LeaseSource&, const LeaseSource&) = default;
};

// Cost and balance by number of servers (weight 1) and virtual nodes.
struct SizesSpec {
  std::vector<std::uint32_t> servers = {10, 100, 1000};
  std::vector<std::uint32_t> virtual_nodes = {1, 10, 100, 1000};
  friend bool operator==(const SizesSpec&, const SizesSpec&) = default;
};

struct PartitionStudy {
  std::string kind = "partition";
  // First and last; each is an independent placement. Seed 0 is production's own.
  std::pair<std::uint64_t, std::uint64_t> seeds = {0, 19};
  ItemSpec items;
  // Servers and their changes, or a whole history, or a lease scenario that makes one.
  std::vector<partition::Server> servers;
  std::vector<MembershipChange> changes;
  std::vector<MembershipStep> history;
  std::optional<LeaseSource> lease_scenario;
  std::vector<SchemeSpec> schemes;
  std::optional<CascadeSpec> cascade;
  std::optional<SizesSpec> sizes;
  // Items whose way from server to server the JSON carries for drawing.
  std::uint32_t drawn_items = 24;
  StudyExpectation expect;
};

yaml::Type<PartitionStudy> partition_study_type();

// Reads the file and turns servers and changes, or the lease scenario by running it, into
// `history`. Throws yaml::LoadError.
// Precondition: the document's top-level `kind` is partition.
PartitionStudy load_partition_study(const yaml::Document& document);

// Shares of the items that were there before the change.
struct MovementFigures {
  Summary moved;
  Summary off_gone;      // off servers that left
  Summary to_new;        // from a server that stayed to one that joined
  Summary by_weight;     // off a server whose weight fell or onto one whose weight rose
  Summary between_old;   // from a server that stayed to another that stayed, for no such reason
  Summary heirs;         // how many servers took the items of those that left
  Summary largest_heir;  // the largest part of those items that one server took
};

struct BalanceFigures {
  // Busiest server over its fair share, by weight.
  Summary max_over_mean;
  // Standard deviation of load / fair share over the servers.
  Summary variation;
  // What `variation` is when each item falls on a server by chance, in proportion to weight.
  double chance = 0;
  std::uint64_t memory_bytes = 0;
};

struct CascadeFigures {
  Summary failed;      // servers that failed after the first
  Summary all_failed;  // share of the seeds in which none was left
  Summary worst_heir;  // highest load over fair share right after the first failure
};

// One scheme over the history. `movement[k]` is from step k to step k + 1.
struct SchemeFigures {
  SchemeSpec scheme;
  std::vector<BalanceFigures> balance;
  std::vector<MovementFigures> movement;
  std::optional<CascadeFigures> cascade;
  std::optional<double> lookup_ns;
  // For drawing, of the first seed: owner of each drawn item and load of each member by step, as
  // positions in the step's members; and a ring's points with their owners at the first step, when
  // there are at most 1,000.
  std::vector<std::vector<std::uint32_t>> drawn_owners;
  std::vector<std::vector<std::uint64_t>> loads;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ring;
};

struct SizeFigures {
  SchemeSpec scheme;
  std::uint32_t servers = 0;
  BalanceFigures balance;
  std::optional<double> lookup_ns;
};

struct PartitionResult {
  PartitionStudy study;
  std::vector<std::uint64_t> items;  // by step
  std::vector<FairShare> least;      // by change
  std::vector<SchemeFigures> schemes;
  std::vector<SizeFigures> sizes;
  std::vector<StudyProperty> properties;
  Verdict verdict = Verdict::unknown;
};

struct PartitionOptions {
  // A monotonic clock in nanoseconds. With one, lookups are timed; without, the result is the same
  // on every machine.
  std::function<std::int64_t()> clock;
  // Set: end soon, with the seeds and sizes that are done; at least one seed is.
  const std::atomic<bool>* stop = nullptr;
};

PartitionResult run_partition_study(const PartitionStudy& study,
                                    const PartitionOptions& options = {});

// The tables for people.
std::string partition_text(const PartitionResult& result);
// Everything, for the report to draw.
yaml::Tree partition_json(const PartitionResult& result);

}  // namespace nandi::sim
