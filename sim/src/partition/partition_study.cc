#include "nandi/sim/partition/partition_study.h"

#include <stdexcept>

#include <fmt/format.h>

#include "nandi/engine/partition/maglev_table.h"
#include "nandi/sim/partition/lease_history.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/yaml/record.h"
#include "placement.h"

namespace nandi::sim {

namespace {

using yaml::count_type;
using yaml::Value;

const std::vector<std::pair<PlacementKind, std::string>> kPlacementNames = {
    {PlacementKind::modulo, "modulo"},
    {PlacementKind::jump, "jump"},
    {PlacementKind::rendezvous_index, "rendezvous-index"},
    {PlacementKind::rendezvous, "rendezvous"},
    {PlacementKind::ring, "ring"},
    {PlacementKind::maglev, "maglev"}};

const std::vector<std::pair<Mixer, std::string>> kMixerNames = {
    {Mixer::splitmix, "splitmix"},
    {Mixer::fnv_item_server, "fnv-item-server"},
    {Mixer::fnv_server_item, "fnv-server-item"}};

yaml::Type<SchemeSpec> scheme_type() {
  return yaml::Record<SchemeSpec>("partition-scheme", "One scheme to lay over the history.")
      .required("scheme", &SchemeSpec::kind, yaml::enum_type<PlacementKind>(kPlacementNames),
                "Which one.", "ring")
      .optional("virtual_nodes", &SchemeSpec::virtual_nodes, count_type<std::uint32_t>(1, 100'000),
                "Points on the ring for each unit of weight.", "100")
      .optional("table_size", &SchemeSpec::table_size,
                count_type<std::uint32_t>(3, partition::MaglevTable::kMaxSize),
                "Entries of Maglev's table, a prime.", "65537")
      .optional("mixer", &SchemeSpec::mixer, yaml::enum_type<Mixer>(kMixerNames),
                "What rendezvous by name mixes with; the FNV ones are weak on purpose.",
                "fnv-item-server")
      .optional("must_be_minimal", &SchemeSpec::must_be_minimal, yaml::boolean_type(),
                "Hold the scheme to minimal movement although it does not promise it.", "true")
      .check([](const SchemeSpec& scheme, const Value& value) {
        if (scheme.mixer != Mixer::splitmix && scheme.kind != PlacementKind::rendezvous) {
          value.fail("a `mixer` for a scheme that is not `rendezvous`", "remove the key");
        }
      })
      .type();
}

yaml::Type<ItemSpec> items_type() {
  return yaml::Record<ItemSpec>("partition-items", "What is placed on the servers.")
      .optional("count", &ItemSpec::count, count_type<std::uint64_t>(1, 10'000'000),
                "Items at the start.", "20000")
      .optional("ids", &ItemSpec::ids,
                yaml::enum_type<ItemIds>({{ItemIds::sequential, "sequential"},
                                          {ItemIds::even, "even"},
                                          {ItemIds::negative, "negative"},
                                          {ItemIds::random, "random"},
                                          {ItemIds::text, "text"}}),
                "How they are named: 0 1 2, 0 2 4, -1 -2 -3, random numbers, or task:0 task:1.",
                "even")
      .optional("arrive", &ItemSpec::arrive, count_type<std::uint64_t>(0, 1'000'000),
                "Further items that are there before each change.", "1000")
      .type();
}

yaml::Type<CascadeSpec> cascade_type() {
  return yaml::Record<CascadeSpec>("partition-cascade",
                                   "A server fails; so does each that is then overloaded.")
      .required("server", &CascadeSpec::server, yaml::string_type(), "The first to fail.", "b")
      .optional("capacity", &CascadeSpec::capacity,
                yaml::fraction_type({{}, Fraction(1, 1), Fraction(1000, 1), {}}),
                "Of each server, in multiples of its fair load at the start.", "1.5")
      .type();
}

yaml::Type<LeaseSource> lease_source_type() {
  return yaml::Record<LeaseSource>("partition-lease-source",
                                   "A lease scenario that is run to get its group's history.")
      .required("file", &LeaseSource::file, yaml::string_type(),
                "The scenario, relative to this file.", "scale-up.yaml")
      .optional("seed", &LeaseSource::seed, count_type<std::uint64_t>(0, 1'000'000'000),
                "The seed to run it under.", "1")
      .type();
}

yaml::Type<SizesSpec> sizes_type() {
  return yaml::Record<SizesSpec>("partition-sizes",
                                 "Balance and cost by number of servers and virtual nodes.")
      .optional("servers", &SizesSpec::servers,
                yaml::list_type(count_type<std::uint32_t>(1, 10'000), 1), "Numbers of servers.",
                "[10, 100]")
      .optional("virtual_nodes", &SizesSpec::virtual_nodes,
                yaml::list_type(count_type<std::uint32_t>(1, 100'000), 1),
                "Numbers of virtual nodes of the ring.", "[1, 100]")
      .type();
}

// Positions of errors are those of the single change.
std::vector<MembershipStep> history_of(const PartitionStudy& study, const Value& root) {
  std::vector<MembershipStep> history = {{"start", study.servers}};
  try {
    partition::canonical_servers(study.servers);
  } catch (const partition::PartitionError& error) {
    root.find("servers")->fail(error.what(), "give each server a name of its own");
  }
  for (std::size_t i = 0; i < study.changes.size(); ++i) {
    const MembershipChange& change = study.changes[i];
    try {
      history.push_back({change.label.empty() ? change_label(change) : change.label,
                         apply_change(history.back().members, change)});
      partition::canonical_servers(history.back().members);
    } catch (const std::invalid_argument& error) {
      root.find("changes")->at(i).fail(error.what(), "changes apply one after the other");
    }
  }
  return history;
}

std::vector<MembershipStep> leased_history(const LeaseSource& source, const Value& root) {
  const Value value = *root.find("lease_scenario");
  std::vector<MembershipStep> history =
      lease_history(load_scenario(root.directory() / source.file), source.seed);
  if (history.empty()) {
    value.fail(
        fmt::format("the group of `{}` was never whole under seed {}", source.file, source.seed),
        "let it run longer, or take another seed");
  }
  return history;
}

void label_steps(std::vector<MembershipStep>& history) {
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (history[i].label.empty()) history[i].label = fmt::format("step {}", i);
  }
}

// Builds every placement once, so that what a scheme refuses is an error of the file.
void check_schemes(const PartitionStudy& study, const Value& root) {
  for (std::size_t s = 0; s < study.schemes.size(); ++s) {
    if (study.schemes[s].mixer != Mixer::splitmix && study.items.ids != ItemIds::text) {
      root.find("schemes")->at(s).fail("this `mixer` mixes texts, and the items are numbers",
                                       "give the items `ids: text`");
    }
    for (const MembershipStep& step : study.history) {
      try {
        make_placement(study.schemes[s], step.members, true, 0);
      } catch (const partition::PartitionError& error) {
        root.find("schemes")->at(s).fail(error.what(),
                                         fmt::format("the members are those of {}", step.label));
      }
    }
  }
}

void check_cascade(const PartitionStudy& study, const Value& root) {
  if (!study.cascade) return;
  const std::vector<partition::Server>& members = study.history.front().members;
  for (const partition::Server& member : members) {
    if (member.name != study.cascade->server) continue;
    if (members.size() > 1) return;
    root.find("cascade")->fail("the only server cannot be outlived", "start with at least two");
  }
  root.find("cascade")->fail(
      fmt::format("server `{}` is not among the first members", study.cascade->server),
      "name one of them");
}

}  // namespace

std::string scheme_label(const SchemeSpec& scheme) {
  std::string label;
  for (const auto& [kind, name] : kPlacementNames) {
    if (kind == scheme.kind) label = name;
  }
  if (scheme.kind == PlacementKind::ring) label += fmt::format(" {}", scheme.virtual_nodes);
  if (scheme.kind == PlacementKind::maglev) label += fmt::format(" {}", scheme.table_size);
  if (scheme.mixer == Mixer::fnv_item_server) label += " fnv item:server";
  if (scheme.mixer == Mixer::fnv_server_item) label += " fnv server:item";
  return label;
}

yaml::Type<PartitionStudy> partition_study_type() {
  using Study = PartitionStudy;
  return yaml::Record<Study>("partition-study",
                             "What partition schemes move and how evenly (`kind: partition`).")
      .required("kind", &Study::kind, yaml::known_string_type("kind of study", {"partition"}),
                "What the file describes.", "partition")
      .optional("seeds", &Study::seeds, yaml::count_range_type(1'000'000),
                "Independent placements, over which figures are averaged; 0 is production's own.",
                "0..19")
      .optional("items", &Study::items, items_type(), "What is placed.", "{count: 1000}")
      .optional("servers", &Study::servers, servers_type(),
                "The members at the start: names, or how many.", "[a, b, c]")
      .optional("changes", &Study::changes, yaml::list_type(membership_change_type(), 1),
                "What happens to the members, one after the other.", "[{join: [d]}]")
      .optional("history", &Study::history, yaml::list_type(membership_step_type(), 1),
                "The members at each time, instead of servers and changes.",
                "[{members: [a, b]}, {members: [b]}]")
      .optional("lease_scenario", &Study::lease_scenario, lease_source_type(),
                "Take the history from the settled memberships of a lease scenario's group.",
                "{file: scale-up.yaml}", "none")
      .required("schemes", &Study::schemes, yaml::list_type(scheme_type(), 1),
                "The schemes to compare.", "[{scheme: modulo}, {scheme: ring}]")
      .optional("cascade", &Study::cascade, cascade_type(),
                "A failure that may take others with it.", "{server: b}", "none")
      .optional("sizes", &Study::sizes, sizes_type(),
                "Balance and cost by number of servers and virtual nodes.", "{servers: [10]}",
                "not asked")
      .optional("drawn_items", &Study::drawn_items, count_type<std::uint32_t>(0, 10'000),
                "Items whose way from server to server the JSON carries.", "24")
      .optional("expect", &Study::expect, study_expectation_type(),
                "The outcome that the file declares.", "{verdict: holds}")
      .check([](const Study& study, const Value& value) {
        const int sources = (study.servers.empty() ? 0 : 1) + (study.history.empty() ? 0 : 1) +
                            (study.lease_scenario ? 1 : 0);
        if (sources != 1 || (study.servers.empty() && !study.changes.empty())) {
          value.fail("who is there is said twice or not at all",
                     "give either `servers` and `changes`, or `history`, or `lease_scenario`");
        }
        if (study.seeds.second - study.seeds.first >= 1000) {
          value.fail("more than 1,000 seeds",
                     "a narrower range serves: intervals shrink with its "
                     "square root");
        }
      })
      .type();
}

PartitionStudy load_partition_study(const yaml::Document& document) {
  const Value root = document.root();
  PartitionStudy study = partition_study_type().read(root);
  if (study.lease_scenario) {
    study.history = leased_history(*study.lease_scenario, root);
  } else if (study.history.empty()) {
    study.history = history_of(study, root);
  }
  label_steps(study.history);
  check_schemes(study, root);
  check_cascade(study, root);
  return study;
}

}  // namespace nandi::sim
