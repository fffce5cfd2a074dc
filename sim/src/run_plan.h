// RunPlan: a scenario worked out once, for all its seeds.
//
// Workers of one kind share a member; members share configurations, consumers and links. A worker
// that restarts with other settings becomes another member, so these are all known beforehand.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nandi/sim/ablated_rules.h"
#include "nandi/sim/property.h"
#include "nandi/sim/sampler.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/world.h"

namespace nandi::sim {

/// How the messages between one worker and the store fare.
struct Link {
  Sampler request;
  Sampler reply;
  Sampler request_jitter;
  Sampler reply_jitter;
  Fraction request_loss;
  Fraction reply_loss;
};

struct ConsumerPlan {
  Sampler drain;
  Overrun overrun;
  bool ignore_expiry = false;
};

using PlannedConfig = MemberConfig<AblatedRules>;

struct MemberPlan {
  std::uint16_t config = 0;
  std::uint16_t consumer = 0;
  std::uint16_t link = 0;
  Duration first_spread;  ///< first registrations are drawn from [0, this)
  std::optional<Fraction> kept_offset;
  std::optional<ClockError> clock;  ///< empty: drawn
  friend bool operator==(const MemberPlan&, const MemberPlan&) = default;
};

/// What an event of the timeline needs besides what it says.
struct AgendaPlan {
  std::uint16_t member = 0;            ///< Join
  std::vector<std::uint16_t> becomes;  ///< Reconfigure: by old member
  std::optional<std::uint16_t> fault;  ///< its row of the catalogue
};

struct RunPlan {
  Scenario scenario;
  std::vector<PlannedConfig> configs;
  std::vector<ConsumerPlan> consumers;
  std::vector<NetworkSettings> networks;  ///< by link
  std::vector<Link> links;
  std::vector<MemberPlan> members;
  std::vector<std::uint16_t> initial;  ///< member of each worker that is there from the start
  std::vector<AgendaPlan> agenda;      ///< by event of the timeline
  std::size_t sources = 0;             ///< size of fault_sources()
  std::size_t capacity = 0;            ///< at most so many workers in a run
  std::uint32_t undone_writes = 0;     ///< at most so many at once
  bool is_ablated = false;             ///< some member has other rules than the protocol's

  [[nodiscard]] RunFacts facts() const;
};

[[nodiscard]] Link make_link(const NetworkSettings& network);

[[nodiscard]] RunPlan make_plan(Scenario scenario);

/// Exact to a part per billion, rounded toward zero.
[[nodiscard]] std::int64_t parts_per_billion(Fraction rate);

}  // namespace nandi::sim
