// TimelineCollector: fills a Timeline from the records of one simulated run.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "nandi/reports/timeline.h"
#include "nandi/sim/clock_model.h"
#include "nandi/sim/redis_model.h"
#include "nandi/sim/trace.h"

namespace nandi::reports {

/// How much of a run a page carries; more is left out and counted.
struct TimelineLimits {
  std::size_t lanes = 60;
  std::size_t parts = 40'000;  ///< of all lanes
  std::size_t parts_a_lane = 3'000;
  std::size_t events = 12'000;
  std::size_t messages = 20'000;
};

class TimelineCollector final : public sim::TraceSink {
 public:
  /// `focus`: events around it are the ones that are kept, and its workers have lanes; without
  /// one, the first.
  TimelineCollector(Duration interval, std::optional<Focus> focus, TimelineLimits limits = {});
  void record(const sim::TraceRecord& record) override;
  /// The run is over. The collector is spent afterwards.
  [[nodiscard]] Timeline finish(sim::TrueTime end);

 private:
  struct Notes {
    Lane lane;
    WorkerView view;
    WorkerView before;  ///< the first event that is kept
    std::vector<Message> open;
    LanePart part;
    bool is_open = false;  ///< `part` goes on
  };

  Notes& notes(sim::WorkerId worker);
  void on_fault(const sim::TraceRecord& record);
  void on_worker(const sim::TraceRecord& record);
  void on_store(const sim::Action& action, std::int64_t at);
  void follow_message(Notes& n, const sim::TraceRecord& record);
  void follow_view(Notes& n, const sim::TraceRecord& record);
  void follow_lane(Notes& n, const sim::TraceRecord& record);
  void close(Notes& n, std::int64_t at);
  void turn(Notes& n, std::int64_t at, LaneState state, Pair pair, const std::string& cause);
  void keep(TimelineEvent event);
  void keep(const Message& message);
  void count(const Tick& tick);
  void cross_columns(sim::TrueTime until);
  void begin_column(std::int64_t at);
  [[nodiscard]] std::int64_t open_interval(std::int64_t at) const;
  void add_share(std::int64_t at, Pair pair, int sign);
  void choose_lanes();

  Timeline timeline_;
  TimelineLimits limits_;
  std::map<sim::WorkerId, Notes> workers_;
  std::deque<TimelineEvent> events_;
  std::deque<Message> messages_;
  std::size_t events_after_ = 0;
  std::size_t messages_after_ = 0;
  std::vector<CounterView> counters_;
  sim::ClockModel<StoreClock> store_clock_;
  std::map<std::uint32_t, std::size_t> open_bands_;  ///< by number of the fault
  std::map<std::int64_t, double> share_changes_;
};

/// Every record in words, also where a story would leave it out.
[[nodiscard]] std::string event_text(const sim::TraceRecord& record);
/// Why a lease was lost, as a clause: "the number of members changed".
[[nodiscard]] std::string cause_text(LossCause cause);

}  // namespace nandi::reports
