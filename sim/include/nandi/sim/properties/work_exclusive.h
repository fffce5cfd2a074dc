// work-exclusive: no two consumers act on the same task at the same moment.
#pragma once

#include <optional>
#include <string>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// A consumer acts on a pair from when it was handed until it has stopped. Article: "a worker must
/// not process tasks using two ownership mappings at the same time"; "a consumer that keeps going
/// after it has been told to stand down ... can still finish a task that now belongs to someone
/// else": a process that stalls and a consumer that ignores the expiry break this property only.
/// Two consumers on one index, or on pairs of different counts that share a task: those of a drain
/// that outlasts a change of the count.
class WorkExclusive : public Property {
 public:
  static constexpr PropertyInfo kInfo{
      "work-exclusive", "no two consumers act on the same task at the same moment",
      "a consumer begins on an index that another one worked on before", PropertyKind::safety};

  explicit WorkExclusive(const RunFacts&) {}

  template <class World>
  void observe(const Moment<World>& m) {
    const bool is_copied = m.action.kind == ActionKind::fork;  // begins with the original's work
    if (!m.applied.work_begun && !is_copied) return;
    const IndexTable& work = m.ledger.work();
    const IndexTable::Entry& mine = work.entry(m.action.worker);
    if (!mine.present) return;
    const WorkerId other = work.other_sharing(m.action.worker, m.now);
    if (other != kNoWorker) {
      violate(m.now, {m.action.worker, other}, [&] {
        return worker_name(m.action.worker) + (is_copied ? " works" : " begins") + " on index " +
               pair_text(mine.pair) + " while " + worker_name(other) +
               (is_copied ? ", its copy, works on " : " still works on ") +
               pair_text(work.entry(other).pair);
      });
    }
    if (is_copied) return;
    const WorkerId last = work.last_let_go(mine.group, mine.pair.index).worker;
    if (last != kNoWorker && last != m.action.worker) reached();
  }

  /// The same by looking at every pair of workers: the first two that act on one task.
  template <class World>
  [[nodiscard]] static std::optional<std::pair<WorkerId, WorkerId>> violated_in(
      std::span<const typename World::Config> configs, const World& world) {
    const auto count = static_cast<WorkerId>(world.workers().size());
    for (WorkerId a = 0; a < count; ++a) {
      const std::optional<Pair> acted = world.acted_pair(a);
      if (!acted) continue;
      for (WorkerId b = a + 1; b < count; ++b) {
        const std::optional<Pair> other = world.acted_pair(b);
        if (other && share_a_task(*other, *acted) &&
            configs[world.worker(a).config].group == configs[world.worker(b).config].group) {
          return std::pair(a, b);
        }
      }
    }
    return std::nullopt;
  }
};

}  // namespace nandi::sim
