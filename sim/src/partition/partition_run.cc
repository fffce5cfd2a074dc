#include "partition_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "measures.h"
#include "nandi/sim/partition/partition_study.h"
#include "nandi/sim/partition/study_draw.h"
#include "nandi/sim/partition/text_table.h"
#include "placement.h"

namespace nandi::sim {

namespace {

constexpr std::size_t kDrawnPoints = 1000;
constexpr std::uint64_t kShuffles = 3;
constexpr std::int64_t kTimingNs = 20'000'000;

Owners owners_of(const Placement& placement, const std::vector<StudyItem>& items,
                 std::uint64_t count) {
  Owners owners;
  owners.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) owners.push_back(placement.owner(items[i]));
  return owners;
}

// Repeats the items until the clock has moved far enough; the interface's own call is included.
double time_lookups(const Placement& placement, const std::vector<StudyItem>& items,
                    const std::function<std::int64_t()>& clock) {
  const std::int64_t start = clock();
  std::int64_t passed = 0;
  std::uint64_t lookups = 0;
  std::uint64_t sum = 0;
  while (passed < kTimingNs) {
    for (const StudyItem& item : items) sum += placement.owner(item);
    lookups += items.size();
    passed = clock() - start;
  }
  // `sum` must be wanted, or the lookups could be left out.
  return sum == ~std::uint64_t{0} ? 0 : static_cast<double>(passed) / static_cast<double>(lookups);
}

// The samples of one scheme, one entry a seed.
struct MovementSamples {
  std::vector<double> moved, off_gone, to_new, by_weight, between_old, heirs, largest_heir;

  void add(const MovementCounts& counts) {
    const auto share = [&counts](std::uint64_t part) {
      return static_cast<double>(part) / static_cast<double>(counts.items);
    };
    moved.push_back(share(counts.moved));
    off_gone.push_back(share(counts.off_gone));
    to_new.push_back(share(counts.to_new));
    by_weight.push_back(share(counts.by_weight));
    between_old.push_back(share(counts.between_old));
    heirs.push_back(static_cast<double>(counts.heirs));
    largest_heir.push_back(counts.off_gone == 0 ? 0
                                                : static_cast<double>(counts.largest_heir) /
                                                      static_cast<double>(counts.off_gone));
  }

  MovementFigures figures() const {
    return {summarise(moved),       summarise(off_gone),    summarise(to_new),
            summarise(by_weight),   summarise(between_old), summarise(heirs),
            summarise(largest_heir)};
  }
};

struct BalanceSamples {
  std::vector<double> max_over_mean, variation;

  void add(const Balance& balance) {
    max_over_mean.push_back(balance.max_over_mean);
    variation.push_back(balance.variation);
  }
};

struct CascadeSamples {
  std::vector<double> failed, all_failed, worst_heir;
};

// One run of the study; collects what the properties rest on as it goes.
class StudyRun {
 public:
  StudyRun(const PartitionStudy& study, const PartitionOptions& options, const PlacementMaker& make)
      : study_(study), options_(options), make_(make) {
    for (const MembershipStep& step : study.history) {
      for (const partition::Server& member : step.members) {
        weighted_ = weighted_ || member.weight != study.history[0].members[0].weight;
      }
    }
    result_.study = study;
    for (std::size_t k = 0; k < study.history.size(); ++k) {
      result_.items.push_back(study.items.count + k * study.items.arrive);
      if (k > 0) {
        result_.least.push_back(
            least_movement(study.history[k - 1].members, study.history[k].members));
      }
    }
    movement_.resize(study.schemes.size(), std::vector<MovementSamples>(steps() - 1));
    balance_.resize(study.schemes.size(), std::vector<BalanceSamples>(steps()));
    cascade_.resize(study.schemes.size());
    for (const SchemeSpec& scheme : study.schemes) {
      SchemeFigures figures;
      figures.scheme = scheme;
      figures.balance.resize(steps());
      result_.schemes.push_back(std::move(figures));
    }
  }

  PartitionResult run() {
    std::uint64_t seeds = 0;
    for (std::uint64_t seed = study_.seeds.first; seed <= study_.seeds.second; ++seed) {
      if (seeds > 0 && is_stopped()) break;
      result_.study.seeds.second = seed;
      ++seeds;
      const auto items = make_items(study_.items, result_.items.back(), seed);
      for (std::size_t s = 0; s < study_.schemes.size(); ++s) run_scheme(s, seed, items);
    }
    for (std::size_t s = 0; s < study_.schemes.size(); ++s) summarise_scheme(s);
    if (study_.sizes) run_sizes(*study_.sizes);
    result_.properties = decide();
    if (is_interrupted_) {
      result_.properties.push_back(interrupted_study(fmt::format(
          "after {} of {} seeds", seeds, study_.seeds.second - study_.seeds.first + 1)));
    }
    result_.verdict = verdict_of(result_.properties);
    return std::move(result_);
  }

 private:
  bool is_stopped() {
    is_interrupted_ = is_interrupted_ || (options_.stop != nullptr && *options_.stop);
    return is_interrupted_;
  }
  std::size_t steps() const { return study_.history.size(); }
  const Members& members(std::size_t step) const { return study_.history[step].members; }

  void run_scheme(std::size_t s, std::uint64_t seed, const std::vector<StudyItem>& items) {
    const SchemeSpec& scheme = study_.schemes[s];
    const std::uint64_t salt = salt_of(seed);
    const bool first = seed == study_.seeds.first;
    Owners before;
    for (std::size_t k = 0; k < steps(); ++k) {
      const auto placement = make_(scheme, members(k), weighted_, salt);
      Owners owners = owners_of(*placement, items, result_.items[k]);
      if (!check_owners(scheme, k, owners)) return;
      const auto loads = count_loads(members(k).size(), owners);
      balance_[s][k].add(measure_balance(members(k), loads));
      if (k > 0) {
        const MovementCounts counts = count_movement(members(k - 1), before, members(k), owners);
        movement_[s][k - 1].add(counts);
        check_movement(scheme, k, counts);
      }
      if (first) {
        draw(s, k, *placement, owners, loads);
        if (scheme.by_name()) check_order(scheme, k, salt, items, owners);
        if (k == 0 && options_.clock) {
          result_.schemes[s].lookup_ns = time_lookups(*placement, items, options_.clock);
        }
      }
      before = std::move(owners);
    }
    if (study_.cascade) run_cascade(s, salt, items);
  }

  void draw(std::size_t s, std::size_t step, const Placement& placement, const Owners& owners,
            const std::vector<std::uint64_t>& loads) {
    SchemeFigures& figures = result_.schemes[s];
    const std::size_t drawn = std::min<std::size_t>(study_.drawn_items, owners.size());
    figures.drawn_owners.emplace_back(owners.begin(),
                                      owners.begin() + static_cast<std::ptrdiff_t>(drawn));
    figures.loads.push_back(loads);
    figures.balance[step].memory_bytes = placement.memory_bytes();
    if (step == 0) {
      figures.ring = placement.points();
      if (figures.ring.size() > kDrawnPoints) figures.ring.clear();
    }
  }

  void run_cascade(std::size_t s, std::uint64_t salt, const std::vector<StudyItem>& items) {
    const std::uint64_t count = result_.items[0];
    double weights = 0;
    for (const partition::Server& each : members(0)) weights += each.weight;
    const auto fair = [&](const partition::Server& server) {
      return static_cast<double>(count) * server.weight / weights;
    };
    const Fraction capacity = study_.cascade->capacity;
    const double allowed =
        static_cast<double>(capacity.numerator()) / static_cast<double>(capacity.denominator());
    Members live = members(0);
    std::erase_if(live, [&](const auto& each) { return each.name == study_.cascade->server; });
    const std::size_t survivors = live.size();
    for (bool first_round = true;; first_round = false) {
      const auto placement = make_(study_.schemes[s], live, weighted_, salt);
      const auto loads = count_loads(live.size(), owners_of(*placement, items, count));
      Members next;
      double worst = 0;
      for (std::size_t m = 0; m < live.size(); ++m) {
        const double ratio = static_cast<double>(loads[m]) / fair(live[m]);
        worst = std::max(worst, ratio);
        if (ratio <= allowed) next.push_back(live[m]);
      }
      if (first_round) cascade_[s].worst_heir.push_back(worst);
      const bool settled = next.size() == live.size();
      live = std::move(next);
      if (settled || live.empty()) break;
    }
    cascade_[s].failed.push_back(static_cast<double>(survivors - live.size()));
    cascade_[s].all_failed.push_back(live.empty() ? 1 : 0);
  }

  void summarise_scheme(std::size_t s) {
    SchemeFigures& figures = result_.schemes[s];
    for (std::size_t k = 0; k < steps(); ++k) {
      figures.balance[k].max_over_mean = summarise(balance_[s][k].max_over_mean);
      figures.balance[k].variation = summarise(balance_[s][k].variation);
      figures.balance[k].chance = chance_variation(members(k), result_.items[k]);
      if (k > 0) figures.movement.push_back(movement_[s][k - 1].figures());
    }
    if (study_.cascade) {
      figures.cascade = {summarise(cascade_[s].failed), summarise(cascade_[s].all_failed),
                         summarise(cascade_[s].worst_heir)};
    }
  }

  void run_sizes(const SizesSpec& sizes) {
    for (const SchemeSpec& scheme : study_.schemes) {
      if (scheme.mixer != Mixer::splitmix) continue;  // the same for every seed, and slow
      std::vector<SchemeSpec> variants = {scheme};
      if (scheme.kind == PlacementKind::ring) {
        variants.clear();
        for (const std::uint32_t virtual_nodes : sizes.virtual_nodes) {
          variants.push_back(scheme);
          variants.back().virtual_nodes = virtual_nodes;
        }
      }
      for (const SchemeSpec& variant : variants) {
        if (seen_size(variant)) continue;
        for (const std::uint32_t servers : sizes.servers) {
          if (!is_stopped()) run_size(variant, servers);
        }
      }
    }
  }

  bool seen_size(const SchemeSpec& variant) const {
    return std::any_of(result_.sizes.begin(), result_.sizes.end(),
                       [&](const SizeFigures& each) { return each.scheme == variant; });
  }

  void run_size(const SchemeSpec& scheme, std::uint32_t servers) {
    if (scheme.kind == PlacementKind::maglev && servers > scheme.table_size) return;
    Members list;
    for (std::uint32_t i = 0; i < servers; ++i) list.push_back({fmt::format("s{}", i)});
    SizeFigures figures;
    figures.scheme = scheme;
    figures.servers = servers;
    BalanceSamples samples;
    for (std::uint64_t seed = study_.seeds.first; seed <= study_.seeds.second; ++seed) {
      const auto items = make_items(study_.items, study_.items.count, seed);
      const auto placement = make_(scheme, list, false, salt_of(seed));
      const Owners owners = owners_of(*placement, items, items.size());
      samples.add(measure_balance(list, count_loads(list.size(), owners)));
      if (seed != study_.seeds.first) continue;
      figures.balance.memory_bytes = placement->memory_bytes();
      if (options_.clock) figures.lookup_ns = time_lookups(*placement, items, options_.clock);
    }
    figures.balance.max_over_mean = summarise(samples.max_over_mean);
    figures.balance.variation = summarise(samples.variation);
    figures.balance.chance = chance_variation(list, study_.items.count);
    result_.sizes.push_back(std::move(figures));
  }

  bool check_owners(const SchemeSpec& scheme, std::size_t step, const Owners& owners) {
    placed_ += owners.size();
    const bool live = std::all_of(owners.begin(), owners.end(), [&](std::uint32_t owner) {
      return owner < members(step).size();
    });
    if (!live && homeless_.empty()) {
      homeless_ = fmt::format("{} after {}: an item is owned by nobody who is there",
                              scheme_label(scheme), study_.history[step].label);
    }
    return live;
  }

  void check_order(const SchemeSpec& scheme, std::size_t step, std::uint64_t salt,
                   const std::vector<StudyItem>& items, const Owners& owners) {
    for (std::uint64_t round = 0; round < kShuffles; ++round) {
      Members shuffled = members(step);
      shuffle(shuffled, round);
      const auto placement = make_(scheme, shuffled, weighted_, salt);
      ++orders_;
      for (std::size_t i = 0; i < owners.size(); ++i) {
        if (shuffled[placement->owner(items[i])] == members(step)[owners[i]]) continue;
        if (disordered_.empty()) {
          disordered_ = fmt::format(
              "{} after {}: item {} has another owner when the servers are "
              "listed in another order",
              scheme_label(scheme), study_.history[step].label, i);
        }
        return;
      }
    }
  }

  void check_movement(const SchemeSpec& scheme, std::size_t step, const MovementCounts& counts) {
    if (!promises_minimal(scheme, members(step - 1), members(step))) return;
    ++promises_;
    if (counts.between_old == 0 || !needless_.empty()) return;
    const char* const why =
        scheme.by_name() ? ""
        : scheme.kind == PlacementKind::modulo
            ? "; a remainder by another number is another remainder"
            : "; servers go by position here, and those behind a gap get another one";
    needless_ = fmt::format(
        "{} at {}: {} of {} items changed places between servers that "
        "stayed{}",
        scheme_label(scheme), study_.history[step].label, grouped(counts.between_old),
        grouped(counts.items), why);
  }

  std::vector<StudyProperty> decide() const {
    const auto property = [](const char* name, const std::string& fault, std::uint64_t checks,
                             const std::string& evidence) -> StudyProperty {
      if (!fault.empty()) return {name, Verdict::violated, fault};
      if (checks == 0) return {name, Verdict::unknown, "no scheme here promises it"};
      return {name, Verdict::holds, evidence};
    };
    std::vector<StudyProperty> properties;
    properties.push_back(property("one-live-owner", homeless_, placed_,
                                  grouped(placed_) + " placements of an item"));
    if (std::any_of(study_.schemes.begin(), study_.schemes.end(),
                    [](const SchemeSpec& scheme) { return scheme.by_name(); })) {
      properties.push_back(
          property("order-free", disordered_, orders_, grouped(orders_) + " lists shuffled"));
    }
    if (steps() > 1) {
      properties.push_back(property("minimal-movement", needless_, promises_,
                                    grouped(promises_) + " changes under a promise"));
    }
    return properties;
  }

  const PartitionStudy& study_;
  const PartitionOptions& options_;
  const PlacementMaker& make_;
  bool weighted_ = false;
  bool is_interrupted_ = false;
  PartitionResult result_;
  std::vector<std::vector<MovementSamples>> movement_;  // by scheme, by change
  std::vector<std::vector<BalanceSamples>> balance_;    // by scheme, by step
  std::vector<CascadeSamples> cascade_;                 // by scheme
  std::uint64_t placed_ = 0;
  std::uint64_t orders_ = 0;
  std::uint64_t promises_ = 0;
  std::string homeless_;
  std::string disordered_;
  std::string needless_;
};

}  // namespace

PartitionResult run_partition_study_with(const PartitionStudy& study,
                                         const PartitionOptions& options,
                                         const PlacementMaker& make) {
  return StudyRun(study, options, make).run();
}

PartitionResult run_partition_study(const PartitionStudy& study, const PartitionOptions& options) {
  return run_partition_study_with(study, options, make_placement);
}

}  // namespace nandi::sim
