#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nandi/sim/partition/partition_study.h"
#include "nandi/sim/partition/text_table.h"

namespace nandi::sim {

namespace {

using yaml::Tree;

// In per cent, with its uncertainty.
std::string percent(const Summary& share) {
  Summary scaled = share;
  scaled.mean *= 100;
  scaled.half_width *= 100;
  return summary_text(scaled, 2);
}

std::string bytes_text(std::uint64_t bytes) { return bytes == 0 ? "none" : grouped(bytes); }

bool any_off(const PartitionResult& result, std::size_t change, Summary MovementFigures::*figure) {
  return std::any_of(result.schemes.begin(), result.schemes.end(), [&](const SchemeFigures& each) {
    return (each.movement[change].*figure).most > 0;
  });
}

std::string movement_table(const PartitionResult& result, std::size_t change) {
  const auto& history = result.study.history;
  const bool gone = any_off(result, change, &MovementFigures::off_gone);
  const bool joined = any_off(result, change, &MovementFigures::to_new);
  const bool weighted = any_off(result, change, &MovementFigures::by_weight);
  std::vector<std::string> header = {"scheme", "moved %", "least %"};
  if (gone) header.emplace_back("off the gone %");
  if (joined) header.emplace_back("to the new %");
  if (weighted) header.emplace_back("by weight %");
  header.emplace_back("between old %");
  if (gone) {
    header.emplace_back("heirs");
    header.emplace_back("largest heir %");
  }
  TextTable table(std::move(header));
  for (const SchemeFigures& scheme : result.schemes) {
    const MovementFigures& movement = scheme.movement[change];
    std::vector<std::string> row = {scheme_label(scheme.scheme), percent(movement.moved),
                                    fmt::format("{:.2f}", 100 * result.least[change].value())};
    if (gone) row.push_back(percent(movement.off_gone));
    if (joined) row.push_back(percent(movement.to_new));
    if (weighted) row.push_back(percent(movement.by_weight));
    row.push_back(percent(movement.between_old));
    if (gone) {
      row.push_back(summary_text(movement.heirs, 1));
      row.push_back(percent(movement.largest_heir));
    }
    table.add_row(std::move(row));
  }
  return fmt::format("\n{}: {} to {} servers, {} items\n", history[change + 1].label,
                     history[change].members.size(), history[change + 1].members.size(),
                     grouped(result.items[change])) +
         table.to_string(2);
}

// How many times chance the variation is; "skew" beyond three.
std::string chance_text(const BalanceFigures& balance) {
  if (balance.chance <= 0) return "-";
  const double times = balance.variation.mean / balance.chance;
  return fmt::format("{:.1f}{}", times, times > 3 ? " skew" : "");
}

std::string balance_table(const PartitionResult& result, std::size_t step) {
  TextTable table({"scheme", "max/mean", "variation", "times chance", "bytes"});
  for (const SchemeFigures& scheme : result.schemes) {
    const BalanceFigures& balance = scheme.balance[step];
    table.add_row({scheme_label(scheme.scheme), summary_text(balance.max_over_mean, 3),
                   summary_text(balance.variation, 4), chance_text(balance),
                   bytes_text(balance.memory_bytes)});
  }
  return fmt::format("\nBalance after {}: {} items on {} servers\n",
                     result.study.history[step].label, grouped(result.items[step]),
                     result.study.history[step].members.size()) +
         table.to_string(2);
}

std::string cascade_table(const PartitionResult& result) {
  TextTable table({"scheme", "highest load at once", "further failures", "all failed % of seeds"});
  for (const SchemeFigures& scheme : result.schemes) {
    table.add_row({scheme_label(scheme.scheme), summary_text(scheme.cascade->worst_heir, 2),
                   summary_text(scheme.cascade->failed, 1), percent(scheme.cascade->all_failed)});
  }
  return fmt::format(
             "\n`{}` fails, and each server with more than {} times its fair load after "
             "it\n",
             result.study.cascade->server, to_string(result.study.cascade->capacity)) +
         table.to_string(2);
}

std::string sizes_table(const PartitionResult& result) {
  const bool timed =
      std::any_of(result.sizes.begin(), result.sizes.end(),
                  [](const SizeFigures& each) { return each.lookup_ns.has_value(); });
  std::vector<std::string> header = {"scheme",    "servers",      "max/mean",
                                     "variation", "times chance", "bytes"};
  if (timed) header.emplace_back("lookup ns");
  TextTable table(std::move(header));
  for (const SizeFigures& each : result.sizes) {
    std::vector<std::string> row = {scheme_label(each.scheme),
                                    fmt::format("{}", each.servers),
                                    summary_text(each.balance.max_over_mean, 3),
                                    summary_text(each.balance.variation, 4),
                                    chance_text(each.balance),
                                    bytes_text(each.balance.memory_bytes)};
    if (timed) row.push_back(each.lookup_ns ? fmt::format("{:.1f}", *each.lookup_ns) : "-");
    table.add_row(std::move(row));
  }
  return fmt::format("\nBalance and cost by size: {} items\n", grouped(result.study.items.count)) +
         table.to_string(2);
}

Tree integer(std::uint64_t value) { return Tree::integer(static_cast<std::int64_t>(value)); }

Tree decimal(double value) { return Tree::literal(fmt::format("{:.6f}", value)); }

Tree balance_json(const BalanceFigures& balance) {
  Tree out = Tree::mapping();
  out.add("max_over_mean", summary_json(balance.max_over_mean));
  out.add("variation", summary_json(balance.variation));
  out.add("variation_by_chance", decimal(balance.chance));
  out.add("memory_bytes", integer(balance.memory_bytes));
  return out;
}

Tree movement_json(const MovementFigures& movement) {
  Tree out = Tree::mapping();
  out.add("moved", summary_json(movement.moved));
  out.add("off_gone", summary_json(movement.off_gone));
  out.add("to_new", summary_json(movement.to_new));
  out.add("by_weight", summary_json(movement.by_weight));
  out.add("between_old", summary_json(movement.between_old));
  out.add("heirs", summary_json(movement.heirs));
  out.add("largest_heir", summary_json(movement.largest_heir));
  return out;
}

template <class Number>
Tree numbers_json(const std::vector<Number>& values) {
  Tree out = Tree::sequence();
  for (const Number value : values) out.append(integer(value));
  return out;
}

Tree scheme_json(const SchemeFigures& scheme) {
  Tree out = Tree::mapping();
  out.add("scheme", Tree::string(scheme_label(scheme.scheme)));
  Tree movement = Tree::sequence();
  for (const MovementFigures& each : scheme.movement) movement.append(movement_json(each));
  out.add("changes", std::move(movement));
  Tree balance = Tree::sequence();
  for (const BalanceFigures& each : scheme.balance) balance.append(balance_json(each));
  out.add("balance", std::move(balance));
  if (scheme.cascade) {
    Tree cascade = Tree::mapping();
    cascade.add("worst_heir", summary_json(scheme.cascade->worst_heir));
    cascade.add("failed", summary_json(scheme.cascade->failed));
    cascade.add("all_failed", summary_json(scheme.cascade->all_failed));
    out.add("cascade", std::move(cascade));
  }
  if (scheme.lookup_ns) out.add("lookup_ns", decimal(*scheme.lookup_ns));
  Tree owners = Tree::sequence();
  for (const auto& step : scheme.drawn_owners) owners.append(numbers_json(step));
  out.add("drawn_owners", std::move(owners));
  Tree loads = Tree::sequence();
  for (const auto& step : scheme.loads) loads.append(numbers_json(step));
  out.add("loads", std::move(loads));
  if (!scheme.ring.empty()) {
    Tree points = Tree::sequence();
    for (const auto& [point, owner] : scheme.ring) {
      Tree entry = Tree::mapping();
      // Fraction of the circle: 64 bits do not fit a JSON number.
      entry.add("at", Tree::literal(fmt::format(
                          "{:.9f}", static_cast<double>(point) / 18446744073709551616.0)));
      entry.add("owner", integer(owner));
      points.append(std::move(entry));
    }
    out.add("ring", std::move(points));
  }
  return out;
}

Tree steps_json(const PartitionResult& result) {
  Tree steps = Tree::sequence();
  for (std::size_t k = 0; k < result.study.history.size(); ++k) {
    const MembershipStep& step = result.study.history[k];
    Tree entry = Tree::mapping();
    entry.add("label", Tree::string(step.label));
    Tree members = Tree::sequence();
    for (const partition::Server& member : step.members) {
      Tree server = Tree::mapping();
      server.add("name", Tree::string(member.name));
      server.add("weight", integer(member.weight));
      members.append(std::move(server));
    }
    entry.add("members", std::move(members));
    entry.add("items", integer(result.items[k]));
    if (k > 0) entry.add("least_moved", decimal(result.least[k - 1].value()));
    steps.append(std::move(entry));
  }
  return steps;
}

}  // namespace

std::string partition_text(const PartitionResult& result) {
  const PartitionStudy& study = result.study;
  std::string text = fmt::format(
      "Partition schemes over {} changes of members; seeds {}..{}, means with 95 % intervals.\n"
      "Modulo, jump and rendezvous-index go by position, the others by name.\n"
      "\"Between old\" are items that changed places between two servers that stayed.\n",
      study.history.size() - 1, study.seeds.first, study.seeds.second);
  for (std::size_t change = 0; change + 1 < study.history.size(); ++change) {
    text += movement_table(result, change);
  }
  text += balance_table(result, 0);
  if (study.history.size() > 1) text += balance_table(result, study.history.size() - 1);
  if (study.cascade) text += cascade_table(result);
  if (!result.sizes.empty()) text += sizes_table(result);
  if (std::any_of(result.schemes.begin(), result.schemes.end(),
                  [](const SchemeFigures& each) { return each.lookup_ns.has_value(); })) {
    text += "\nLookup on the first members, ns:";
    for (const SchemeFigures& each : result.schemes) {
      text += fmt::format(" {} {:.1f};", scheme_label(each.scheme), each.lookup_ns.value_or(0));
    }
    text.back() = '\n';
  }
  return text + '\n' + properties_text(result.properties);
}

Tree partition_json(const PartitionResult& result) {
  Tree out = Tree::mapping();
  out.add("format", Tree::string("nandi-partition-study/1"));
  out.add("verdict", Tree::string(std::string(verdict_name(result.verdict))));
  out.add("properties", properties_json(result.properties));
  out.add("first_seed", integer(result.study.seeds.first));
  out.add("last_seed", integer(result.study.seeds.second));
  out.add("steps", steps_json(result));
  Tree schemes = Tree::sequence();
  for (const SchemeFigures& each : result.schemes) schemes.append(scheme_json(each));
  out.add("schemes", std::move(schemes));
  Tree sizes = Tree::sequence();
  for (const SizeFigures& each : result.sizes) {
    Tree entry = Tree::mapping();
    entry.add("scheme", Tree::string(scheme_label(each.scheme)));
    entry.add("servers", integer(each.servers));
    entry.add("balance", balance_json(each.balance));
    if (each.lookup_ns) entry.add("lookup_ns", decimal(*each.lookup_ns));
    sizes.append(std::move(entry));
  }
  out.add("sizes", std::move(sizes));
  return out;
}

}  // namespace nandi::sim
