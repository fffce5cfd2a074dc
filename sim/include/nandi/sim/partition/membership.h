// Who is there, over time: the history that the partition study lays every scheme over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nandi/engine/partition/server.h"
#include "nandi/sim/partition/fair_share.h"
#include "nandi/sim/yaml/type.h"

namespace nandi::sim {

// The members at one time. Their order is their position: schemes that know only numbers give
// position i the index i, and so does a group of workers that holds the pairs (i, n).
struct MembershipStep {
  std::string label;
  std::vector<partition::Server> members;
  friend bool operator==(const MembershipStep&, const MembershipStep&) = default;
};

// What changes at once. Joining members go to the end; those behind a leaving one move up.
struct MembershipChange {
  std::string label;  // empty: made from the change
  std::vector<partition::Server> join;
  std::vector<std::string> leave;
  std::vector<partition::Server> reweight;
  friend bool operator==(const MembershipChange&, const MembershipChange&) = default;
};

// `a`, or `{name: a, weight: 3}`.
yaml::Type<partition::Server> server_type();
// A list of servers, or a number of them: 3 is s0, s1, s2.
yaml::Type<std::vector<partition::Server>> servers_type();
yaml::Type<MembershipChange> membership_change_type();
yaml::Type<MembershipStep> membership_step_type();

// "+d -b b:3"; "start" for a change of nothing.
std::string change_label(const MembershipChange& change);

// The members after the change. Throws std::invalid_argument naming the member: one that joins but
// is there, one that leaves or changes weight but is not, or nobody left.
std::vector<partition::Server> apply_change(std::vector<partition::Server> members,
                                            const MembershipChange& change);

// One worker's lease as a trace of a lease scenario tells it.
struct LeaseSpan {
  std::int64_t time = 0;  // of the hand-over, in milliseconds
  std::string worker;
  bool holds = false;  // false: stood down
  std::uint32_t index = 0;
  std::uint32_t count = 0;
};

// The settled memberships in a group's own history: a step for each time at which the indices
// 0..n-1 of one n were all held, members in the order of their indices; equal neighbours are one.
// `spans` in order of time.
std::vector<MembershipStep> membership_of(const std::vector<LeaseSpan>& spans);

// The least share of all items that must move when evenly placed (by weight) items are to be evenly
// placed among other members: the sum of what every member gains.
FairShare least_movement(const std::vector<partition::Server>& before,
                         const std::vector<partition::Server>& after);

}  // namespace nandi::sim
