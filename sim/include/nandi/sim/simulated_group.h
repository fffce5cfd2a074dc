// SimulatedGroup: a worker group for users' own tests. Consumer code runs as under the callback
// form of discover, on the production Worker, in virtual time: no server, no threads, no waiting.
//
//   SimulatedGroup group(options);
//   const WorkerId w = group.join([&](const Peer& peer, ConsumerContext& context) {
//     if (peer.idle()) return context.after(200ms, [&] { context.done(); });  // drains
//     start_work(peer);
//     context.done();
//   });
//   group.run_for(60s);
//   group.crash(w);
//   group.run_for(60s);
//   EXPECT_EQ(group.verdict().verdict, Verdict::holds) << group.verdict().story;
//
// Every worker is a WorkerFeed beside a place in a World that is given the same inputs; the two
// have to agree after every event (else std::logic_error). What happens is a function of the
// options, the calls and the consumers; the same seed gives the same trace. Use from one thread.
// kit.md says what is judged.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nandi/engine/options.h"
#include "nandi/engine/peer.h"
#include "nandi/sim/action.h"
#include "nandi/sim/scenario_network.h"
#include "nandi/sim/verdict.h"

namespace nandi::sim {

struct GroupOptions {
  Options engine;           ///< of every worker; without a name it is called "simulated".
                            ///< `engine.seed` is not used: each worker's comes from `seed`
  NetworkSettings network;  ///< in nanoseconds; valid, as scenario_network.h says
  std::uint64_t seed = 1;
  std::size_t capacity = 64;  ///< most workers that ever join; a restarted one is another
};

class GroupCore;

/// What a consumer does to the simulated world. Valid as long as the group.
class ConsumerContext {
 public:
  /// Calls `then` when `delay` >= 0 has passed; later if the process is paused then, never if the
  /// worker has gone.
  void after(std::chrono::nanoseconds delay, std::function<void()> then);
  /// The callback of discover would return now: what was handed is taken in, after idle the
  /// consumer has stopped working, and the next change may come. Once for each hand-over, from the
  /// consumer or from an `after`; else std::logic_error.
  void done();
  /// The consumer acts on this task at this moment. Judged: it has to hold a lease on it.
  void touch(std::int64_t task);
  [[nodiscard]] WorkerId worker() const { return worker_; }
  /// Since the group began.
  [[nodiscard]] std::chrono::nanoseconds now() const;

 private:
  friend class GroupCore;
  ConsumerContext(GroupCore& core, WorkerId worker) : core_(core), worker_(worker) {}
  GroupCore& core_;
  WorkerId worker_;
};

using Consumer = std::function<void(const Peer&, ConsumerContext&)>;

struct GroupVerdict {
  struct Line {
    std::string_view property;
    Verdict verdict = Verdict::unknown;  ///< unknown: never put to the test, or not judged
    std::uint64_t tested = 0;            ///< how often it was put to the test
  };
  /// violated: some property is. unknown: no consumer was ever handed a pair. holds: neither.
  Verdict verdict = Verdict::unknown;
  std::string story;  ///< of a violation: what led to it; otherwise one sentence
  std::vector<Line> lines;

  /// Throws std::invalid_argument for a name that is none.
  [[nodiscard]] const Line& line(std::string_view property) const;
};

class SimulatedGroup {
 public:
  /// Errors: InvalidOptions; std::invalid_argument for a capacity of 0.
  explicit SimulatedGroup(GroupOptions options);
  ~SimulatedGroup();
  SimulatedGroup(SimulatedGroup&&) noexcept;
  SimulatedGroup& operator=(SimulatedGroup&&) noexcept;

  /// A worker starts now. Errors: std::length_error beyond the capacity.
  WorkerId join(Consumer consumer);
  /// The same for a callback that takes no time: it has drained when it returns.
  template <std::invocable<const Peer&> Adopt>
  WorkerId join(Adopt adopt) {
    return join(Consumer([adopt = std::move(adopt)](const Peer& peer, ConsumerContext& context) {
      adopt(peer);
      context.done();
    }));
  }

  // Of a worker that has gone they do nothing; std::invalid_argument for one that never joined.
  void leave(WorkerId worker);  ///< a stop is requested; it drains and goes
  void crash(WorkerId worker);  ///< gone at once; its consumer is not told
  /// Its process does not run for so long; its clock goes on. Again: until the later end.
  void pause(WorkerId worker, std::chrono::nanoseconds length);

  void hang_store(std::chrono::nanoseconds length);  ///< executes nothing, and then what has come
  void flush_store();                                ///< every counter is gone

  /// Virtual time passes; `length` >= 0. What a consumer throws comes out here (and of the calls
  /// above); the group is of no use then.
  void run_for(std::chrono::nanoseconds length);

  [[nodiscard]] std::chrono::nanoseconds now() const;
  [[nodiscard]] bool present(WorkerId worker) const;
  [[nodiscard]] std::optional<Pair> held(WorkerId worker) const;  ///< its lease now
  [[nodiscard]] std::uint64_t trace_hash() const;  ///< of everything that happened so far
  /// So far. May be asked at any time and any number of times.
  [[nodiscard]] GroupVerdict verdict() const;

 private:
  std::unique_ptr<GroupCore> core_;
};

}  // namespace nandi::sim
