#include <fmt/format.h>

#include <string>
#include <vector>

#include "doctor/doctor.h"
#include "nandi/sim/keyspace/hash_slot.h"

namespace nandi::tools {
namespace {

/// The slots on the move in the node's own line of CLUSTER NODES: [93-<-id] comes, [77->-id] goes.
std::vector<std::int64_t> moving_slots(std::string_view nodes) {
  std::vector<std::int64_t> slots;
  const std::size_t own = nodes.find("myself");
  if (own == std::string_view::npos) return slots;
  std::string_view line = nodes.substr(own, nodes.find('\n', own) - own);
  for (std::size_t at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1)) {
    const std::string_view number = line.substr(at + 1, line.find('-', at) - at - 1);
    if (const std::int64_t slot = number_of(number, -1); slot >= 0) slots.push_back(slot);
  }
  return slots;
}

}  // namespace

void check_cluster(Examination& examination) {
  if (examination.known("cluster_enabled") != "1") return;
  DoctorReport& report = examination.report;
  const Reply state = examination.session.ask({"CLUSTER", "INFO"});
  const Reply nodes = examination.session.ask({"CLUSTER", "NODES"});
  if (state.is_error() || nodes.is_error()) {
    report.unknown("cluster",
                   fmt::format("CLUSTER INFO or NODES is refused: {}",
                               state.is_error() ? state.text : nodes.text),
                   "A hash slot that moves in mid-interval counts from 1 again.",
                   "Run this once as a user with +cluster.");
    return;
  }
  const auto info = parse_info(state.text);
  const auto found = info.find("cluster_state");
  if (found != info.end() && found->second != "ok") {
    report.error("cluster-down", fmt::format("cluster_state is {}", found->second),
                 "The cluster serves no hash slots: every registration is refused.",
                 "See that every hash slot has a node: CLUSTER INFO, CLUSTER NODES.");
  }
  const std::int64_t own = sim::key_slot(group_key(examination.group));
  const std::vector<std::int64_t> moving = moving_slots(nodes.text);
  if (moving.empty()) return;
  bool is_own = false;
  for (const std::int64_t slot : moving) is_own = is_own || slot == own;
  const std::string why =
      "The node that a hash slot moves to counts an interval from 1 again while the old node has "
      "already given out the same indexes.";
  const std::string advice =
      "Wait until the resharding is over, or stop the group for two intervals while its hash slot "
      "moves.";
  if (is_own) {
    report.error("slot-moving", fmt::format("hash slot {}, the group's own, is on the move", own),
                 why, advice);
  } else {
    report.warning("resharding",
                   fmt::format("{} hash slots of the node are on the move, {} among them; the "
                               "group's is {}",
                               moving.size(), moving.front(), own),
                   why, advice);
  }
}

}  // namespace nandi::tools
