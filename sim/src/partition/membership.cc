#include "nandi/sim/partition/membership.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "nandi/sim/yaml/names.h"
#include "nandi/sim/yaml/record.h"

namespace nandi::sim {

namespace {

using partition::Server;
using yaml::Tree;
using yaml::Value;

auto find_member(std::vector<Server>& members, const std::string& name) {
  return std::find_if(members.begin(), members.end(),
                      [&name](const Server& each) { return each.name == name; });
}

[[noreturn]] void fail_unknown(const std::vector<Server>& members, const std::string& name,
                               const char* what) {
  std::vector<std::string> names;
  for (const Server& each : members) names.push_back(each.name);
  throw std::invalid_argument(fmt::format("server `{}` {}, but it is not there; {}", name, what,
                                          yaml::name_advice(name, names)));
}

std::uint64_t total_weight(const std::vector<Server>& members) {
  std::uint64_t total = 0;
  for (const Server& each : members) total += each.weight;
  return total;
}

}  // namespace

yaml::Type<Server> server_type() {
  const auto name = yaml::string_type();
  const auto record = yaml::Record<Server>("server", "A server and its share.")
                          .required("name", &Server::name, name, "What it is called.", "a")
                          .optional("weight", &Server::weight,
                                    yaml::count_type<std::uint32_t>(1, partition::kMaxWeight),
                                    "Its share: 3 is to own three times what 1 does.", "3")
                          .type();
  return {[name, record](const Value& value) {
            if (value.kind() == yaml::NodeKind::mapping) return record.read(value);
            return Server{name.read(value), 1};
          },
          [name, record](const Server& server) {
            return server.weight == 1 ? name.write(server.name) : record.write(server);
          },
          yaml::either_shape("server", {name.shape, record.shape})};
}

yaml::Type<std::vector<Server>> servers_type() {
  const auto list = yaml::list_type(server_type(), 1);
  const auto count = yaml::count_type<std::uint32_t>(1, 10'000);
  return {[list, count](const Value& value) {
            if (value.kind() == yaml::NodeKind::sequence) return list.read(value);
            std::vector<Server> servers;
            const std::uint32_t wanted = count.read(value);
            for (std::uint32_t i = 0; i < wanted; ++i) servers.push_back({fmt::format("s{}", i)});
            return servers;
          },
          list.write,
          yaml::either_shape("list of servers, or how many", {list.shape, count.shape})};
}

yaml::Type<MembershipChange> membership_change_type() {
  const auto servers = yaml::list_type(server_type(), 1);
  const auto names = yaml::list_type(yaml::string_type(), 1);
  return yaml::Record<MembershipChange>("membership-change", "What changes at once.")
      .optional("label", &MembershipChange::label, yaml::string_type(), "What the tables call it.",
                "one more")
      .optional("join", &MembershipChange::join, servers, "Who comes, in order, behind the others.",
                "[d, {name: e, weight: 2}]")
      .optional("leave", &MembershipChange::leave, names, "Who goes.", "[b]")
      .optional("reweight", &MembershipChange::reweight, servers, "Who has another weight.",
                "[{name: a, weight: 3}]")
      .check([](const MembershipChange& change, const Value& value) {
        if (change.join.empty() && change.leave.empty() && change.reweight.empty()) {
          value.fail("a change of nothing", "give it `join`, `leave` or `reweight`");
        }
      })
      .type();
}

yaml::Type<MembershipStep> membership_step_type() {
  return yaml::Record<MembershipStep>("membership-step", "The members at one time of a history.")
      .optional("label", &MembershipStep::label, yaml::string_type(), "What the tables call it.",
                "after the fault")
      .required("members", &MembershipStep::members, yaml::list_type(server_type(), 1),
                "Who is there, in the order of the positions.", "[w3, w1]")
      .check([](const MembershipStep& step, const Value& value) {
        try {
          partition::canonical_servers(step.members);
        } catch (const partition::PartitionError& error) {
          value.fail(error.what(), "list every member once");
        }
      })
      .type();
}

std::string change_label(const MembershipChange& change) {
  std::string label;
  const auto add = [&label](const std::string& word) {
    label += (label.empty() ? "" : " ") + word;
  };
  for (const Server& each : change.join) add("+" + each.name);
  for (const std::string& each : change.leave) add("-" + each);
  for (const Server& each : change.reweight) add(fmt::format("{}:{}", each.name, each.weight));
  return label.empty() ? "start" : label;
}

std::vector<Server> apply_change(std::vector<Server> members, const MembershipChange& change) {
  for (const std::string& name : change.leave) {
    const auto found = find_member(members, name);
    if (found == members.end()) fail_unknown(members, name, "leaves");
    members.erase(found);
  }
  for (const Server& server : change.reweight) {
    const auto found = find_member(members, server.name);
    if (found == members.end()) fail_unknown(members, server.name, "changes its weight");
    found->weight = server.weight;
  }
  for (const Server& server : change.join) {
    if (find_member(members, server.name) != members.end()) {
      throw std::invalid_argument(
          fmt::format("server `{}` joins, but it is there already", server.name));
    }
    members.push_back(server);
  }
  if (members.empty()) throw std::invalid_argument("nobody is left to own the items");
  return members;
}

std::vector<MembershipStep> membership_of(const std::vector<LeaseSpan>& spans) {
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> held;  // worker: index, count
  std::vector<MembershipStep> steps;
  for (std::size_t s = 0; s < spans.size(); ++s) {
    const LeaseSpan& span = spans[s];
    held.erase(span.worker);
    if (span.holds) held[span.worker] = {span.index, span.count};
    // What happens at one time is looked at together.
    if (s + 1 < spans.size() && spans[s + 1].time == span.time) continue;
    const std::size_t n = held.size();
    std::vector<Server> members(n);
    const bool settled = n > 0 && std::all_of(held.begin(), held.end(), [&](const auto& entry) {
                           const auto [index, count] = entry.second;
                           if (count != n || index >= n || !members[index].name.empty())
                             return false;
                           members[index].name = entry.first;
                           return true;
                         });
    if (!settled || (!steps.empty() && steps.back().members == members)) continue;
    steps.push_back({fmt::format("{}.{:03} s, n = {}", span.time / 1000, span.time % 1000, n),
                     std::move(members)});
  }
  return steps;
}

FairShare least_movement(const std::vector<Server>& before, const std::vector<Server>& after) {
  const std::uint64_t old_total = total_weight(before);
  const std::uint64_t new_total = total_weight(after);
  std::map<std::string, std::uint64_t> old_weights;
  for (const Server& each : before) old_weights[each.name] = each.weight;
  std::uint64_t gains = 0;
  for (const Server& each : after) {
    const auto found = old_weights.find(each.name);
    const std::uint64_t old_part = found == old_weights.end() ? 0 : found->second * new_total;
    const std::uint64_t new_part = each.weight * old_total;
    if (new_part > old_part) gains += new_part - old_part;
  }
  return {gains, old_total * new_total};
}

}  // namespace nandi::sim
