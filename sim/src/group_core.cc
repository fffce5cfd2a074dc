#include "group_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cli/story.h"
#include "moment_record.h"

namespace nandi::sim {
namespace {

GroupOptions checked(GroupOptions options) {
  if (options.engine.name.empty()) options.engine.name = "simulated";
  require_valid(options.engine);
  if (options.capacity == 0) {
    throw std::invalid_argument("capacity is 0: a simulated group needs room for a worker");
  }
  return options;
}

RunFacts facts_of(const GroupOptions& options) {
  RunFacts facts;
  facts.workers = options.capacity;
  facts.timings = {timing_of(options.engine)};
  return facts;
}

}  // namespace

GroupCore::GroupCore(GroupOptions options)
    : options_(checked(std::move(options))),
      draws_(options_.seed),
      configs_{Config{{timing_of(options_.engine), {}}}},
      ledger_(options_.capacity, 1),
      properties_(facts_of(options_)),
      touched_(),
      drained_(),
      request_(options_.network.request),
      reply_(options_.network.reply),
      request_jitter_(options_.network.jitter.request),
      reply_jitter_(options_.network.jitter.reply) {
  world_.workers().resize(options_.capacity);
  const auto interval = static_cast<std::uint64_t>(options_.engine.interval.count());
  // Not in the first intervals: counters of the one before have numbers of at least 0.
  constexpr std::int64_t kFirstInterval = 1000;
  const auto phase =
      static_cast<std::int64_t>(bounded(draws_(Stream::start_phase, 0, 0), interval));
  world_.store_clock().shown = StoreTime(kFirstInterval * options_.engine.interval.count() + phase);
  for (WorkerId w = 0; w < options_.capacity; ++w) {
    world_.workers()[w].clock.shown = LocalTime(
        1 + static_cast<std::int64_t>(bounded(draws_(Stream::clock_offset, w, 0), interval)));
  }
}

GroupCore::Place& GroupCore::place(WorkerId worker) {
  if (worker >= places_.size()) {
    throw std::invalid_argument(worker_name(worker) + " never joined this group of " +
                                std::to_string(places_.size()));
  }
  return *places_[worker];
}

Applied GroupCore::apply(ActionKind kind, WorkerId worker, AttemptId attempt, std::int64_t value,
                         std::int64_t extra) {
  Action action;
  action.kind = kind;
  action.worker = worker;
  action.attempt = attempt;
  action.value = value;
  action.extra = extra;
  const Applied applied = world_.apply(configs_, action);
  ledger_.observe(std::span<const Config>(configs_), world_, action, applied);
  const Moment<WorldType> m = moment(action, applied);
  properties_.observe(m);
  add_moment(hash_, m);
  records_.push_back(record_of(m));
  return applied;
}

bool GroupCore::enabled(ActionKind kind, WorkerId worker) const {
  Action action;
  action.kind = kind;
  action.worker = worker;
  return world_.enabled(configs_, action);
}

WorkerId GroupCore::join(Consumer consumer) {
  if (places_.size() == options_.capacity) {
    throw std::length_error("the simulated group has room for " +
                            std::to_string(options_.capacity) +
                            " workers, all have joined: raise GroupOptions::capacity");
  }
  const auto worker = static_cast<WorkerId>(places_.size());
  Options options = options_.engine;
  options.seed = draws_(Stream::first_offset, worker, 0);
  const StartDraw start = draw_start(options, *options.seed);
  places_.push_back(std::make_unique<Place>(ConsumerContext(*this, worker)));
  Place& joined = *places_.back();
  joined.consumer = std::move(consumer);
  apply(ActionKind::join, worker, 0, start.first_delay.count(), start.kept_offset.count());
  const auto report = [this, worker](const Diagnostic& diagnostic, const ReportContext&) {
    if (diagnostic.code != DiagnosticCode::consumer_overran) return;
    drained_.overran(world_.now(), worker, diagnostic.pair, diagnostic.delay);
  };
  joined.feed = std::make_unique<Feed>(options, SimulatedClock{this, worker},
                                       std::make_unique<SimulatedStore>(), report);
  settle(worker);
  return worker;
}

void GroupCore::leave(WorkerId worker) {
  Place& leaving = place(worker);
  if (!enabled(ActionKind::leave, worker)) return;
  apply(ActionKind::leave, worker);
  if (leaving.feed) leaving.feed->stop(StopReason::requested);
  settle(worker);
}

void GroupCore::crash(WorkerId worker) {
  place(worker);
  if (!world_.worker(worker).is_present()) return;
  apply(ActionKind::crash, worker);
  settle(worker);
}

void GroupCore::pause(WorkerId worker, Duration length) {
  Place& paused = place(worker);
  if (!world_.worker(worker).is_present()) return;
  paused_ = true;
  if (running(worker)) apply(ActionKind::pause, worker);
  paused.paused_until = std::max(paused.paused_until, world_.now() + length);
  queue_.push(paused.paused_until, EventClass::agenda, worker, 0);
}

void GroupCore::resume(WorkerId worker) {
  Place& resumed = *places_[worker];
  if (!world_.worker(worker).is_paused() || resumed.paused_until > world_.now()) return;
  apply(ActionKind::resume, worker);
  // What its consumer was about to do comes first: a thread goes on where it stood, before the
  // driver's has seen that the lease is over.
  for (const QueuedEvent& event : std::exchange(resumed.stashed, {})) {
    if (event.event_class() == EventClass::drained) {
      on_timer(event);
    } else {
      queue_.push(world_.now(), event.event_class(), worker, event.data);
    }
  }
  settle(worker);
}

void GroupCore::hang_store(Duration length) {
  hung_until_ = std::max(hung_until_, world_.now() + length);
}

void GroupCore::flush_store() { apply(ActionKind::flush_all, 0); }

void GroupCore::run_until(TrueTime end) {
  while (queue_.next_time() <= end) {
    const QueuedEvent event = queue_.pop();
    world_.advance_to(event.at);
    dispatch(event);
    constexpr std::int64_t kStory = 4;  // intervals
    const Duration kept = configs_.front().lease.timing.interval * kStory;
    const bool violated = touched_.first_violation() || drained_.first_violation();
    while (!violated && !records_.empty() && records_.front().step.at < world_.now() - kept) {
      records_.pop_front();
    }
  }
  world_.advance_to(end);
}

void GroupCore::dispatch(const QueuedEvent& event) {
  switch (event.event_class()) {
    case EventClass::agenda: resume(event.worker); return;
    case EventClass::execute: on_request(event); return;
    case EventClass::lose:
      if ((event.data & kReplyBit) != 0) {
        on_reply(event);
      } else {
        on_request(event);
      }
      return;
    case EventClass::deliver: on_reply(event); return;
    case EventClass::drained: on_timer(event); return;
    case EventClass::wake:
      if (places_[event.worker]->generation != event.data) return;
      places_[event.worker]->wake_at = TrueTime::max();
      if (running(event.worker)) wake(event.worker);
      return;
  }
}

void GroupCore::on_request(const QueuedEvent& event) {
  const bool is_lost = event.event_class() == EventClass::lose;
  if (!is_lost && world_.now() < hung_until_) {
    queue_.push(hung_until_, EventClass::execute, event.worker, event.data);
    return;
  }
  const auto& worker = world_.worker(event.worker);
  const AttemptId attempt = event.data & ~kSourceBit;
  const bool is_current = worker.wire != Wire::none && worker.wire_attempt == attempt;
  const std::int64_t source = !is_current && (event.data & kSourceBit) != 0 ? 1 : 0;
  const Applied applied =
      apply(is_lost ? ActionKind::lose : ActionKind::execute, event.worker, attempt, source);
  if (applied.reply_sent) send(event.worker, true);
}

void GroupCore::on_reply(const QueuedEvent& event) {
  const WorkerId id = event.worker;
  const auto& worker = world_.worker(id);
  const AttemptId attempt = event.data & ~kReplyBit;
  const bool is_current = worker.wire_attempt == attempt &&
                          (worker.wire == Wire::replied || worker.wire == Wire::no_script);
  if (!is_current) return;
  if (event.event_class() == EventClass::lose) {
    apply(ActionKind::lose, id, attempt);
    return;
  }
  Place& receiver = *places_[id];
  if (worker.is_paused()) {
    receiver.stashed.push_back(event);
    return;
  }
  const Tick tick = worker.reply;
  const Applied applied = apply(ActionKind::deliver, id, attempt);
  if (applied.request_sent) {
    receiver.source_sent = true;
    send(id, false);
    return;
  }
  Completion completion;
  completion.attempt = attempt;
  completion.outcome = tick;
  completion.received = SimulatedClock{this, id}.now();
  completion.script_loaded = std::exchange(receiver.source_sent, false);
  receiver.feed->store().complete(std::move(completion));
  wake(id);
}

void GroupCore::on_timer(const QueuedEvent& event) {
  Place& owner = *places_[event.worker];
  if (world_.worker(event.worker).is_paused()) {
    owner.stashed.push_back(event);
    return;
  }
  const auto timer = owner.timers.find(event.data);
  if (timer == owner.timers.end()) return;
  const std::function<void()> then = std::move(timer->second);
  owner.timers.erase(timer);
  call(event.worker, then);
  settle(event.worker);
}

/// The driver runs, as after its poll; in the world, a timer that is due fires.
void GroupCore::wake(WorkerId worker) {
  if (enabled(ActionKind::wake, worker)) {
    const Applied applied = apply(ActionKind::wake, worker);
    if (applied.request_sent) {
      places_[worker]->source_sent = false;
      send(worker, false);
    }
  }
  places_[worker]->feed->step();
  settle(worker);
}

void GroupCore::send(WorkerId id, bool is_reply) {
  const auto& worker = world_.worker(id);
  const NetworkSettings& network = options_.network;
  const std::uint64_t message = places_[id]->messages++;
  const Duration delay =
      is_reply ? reply_.sample(draws_(Stream::reply_latency, id, message)) +
                     reply_jitter_.sample(draws_(Stream::reply_jitter, id, message))
               : request_.sample(draws_(Stream::request_latency, id, message)) +
                     request_jitter_.sample(draws_(Stream::request_jitter, id, message));
  const bool is_lost =
      is_reply ? happens(draws_(Stream::reply_loss, id, message), network.loss.reply)
               : happens(draws_(Stream::request_loss, id, message), network.loss.request);
  std::uint32_t data = worker.wire_attempt;
  if (worker.wire == Wire::source_requested) data |= kSourceBit;
  if (is_reply && is_lost) data |= kReplyBit;
  const EventClass arrives = is_reply ? EventClass::deliver : EventClass::execute;
  queue_.push(world_.now() + delay, is_lost ? EventClass::lose : arrives, id, data);
}

/// After anything that concerns the worker: hand over, arm its timer, clear up after one that went.
void GroupCore::settle(WorkerId worker) {
  Place& p = *places_[worker];
  if (p.inside) return;  // whoever called the consumer does it
  if (running(worker)) hand_over(worker);
  if (!world_.worker(worker).is_present()) {
    p.feed.reset();
    p.timers.clear();
    p.stashed.clear();
    return;
  }
  require_agreement(worker);
  const TrueTime at = std::max(world_.wakeup(configs_, worker), world_.now());
  if (!running(worker) || at == p.wake_at) return;
  p.wake_at = at;
  queue_.push(at, EventClass::wake, worker, ++p.generation);
}

void GroupCore::hand_over(WorkerId worker) {
  Place& p = *places_[worker];
  while (!p.adopting && running(worker) && p.feed) {
    const bool ready = enabled(ActionKind::take, worker);
    const std::optional<Peer> peer = p.feed->take();
    if (peer.has_value() != ready) {
      throw std::logic_error("the driver and the world disagree about what to hand over to " +
                             worker_name(worker));
    }
    if (!ready) return;
    apply(ActionKind::take, worker);
    p.adopting = true;
    call(worker, [&] { p.consumer(*peer, p.context); });
  }
}

void GroupCore::call(WorkerId worker, const std::function<void()>& code) {
  Place& p = *places_[worker];
  p.inside = true;
  try {
    code();
  } catch (...) {
    p.inside = false;
    throw;
  }
  p.inside = false;
}

void GroupCore::require_agreement(WorkerId worker) const {
  const auto& shadow = world_.worker(worker);
  const Feed& feed = *places_[worker]->feed;
  if (feed.next_wakeup() != shadow.engine.next_wakeup(configs_.front().lease)) {
    throw std::logic_error("the driver and the world disagree about when to wake " +
                           worker_name(worker));
  }
}

void GroupCore::after(WorkerId worker, Duration delay, std::function<void()> then) {
  if (delay < Duration(0)) throw std::invalid_argument("after: the delay is negative");
  Place& p = place(worker);
  if (!world_.worker(worker).is_present()) return;
  const std::uint32_t timer = timers_++ & kTimerMask;
  p.timers.emplace(timer, std::move(then));
  queue_.push(world_.now() + delay, EventClass::drained, worker, timer);
}

void GroupCore::done(WorkerId worker) {
  Place& p = place(worker);
  if (!world_.worker(worker).is_present()) return;
  if (!p.adopting) {
    throw std::logic_error("done() of " + worker_name(worker) +
                           " without a hand-over: call it once for each");
  }
  p.adopting = false;
  if (enabled(ActionKind::drained, worker)) {
    apply(ActionKind::drained, worker);
    drained_.drained();
    // It has let go: the last one of a worker that leaves is judged like any other.
    if (!world_.worker(worker).is_present()) static_cast<void>(p.feed->take());
  }
  settle(worker);
}

void GroupCore::touch(WorkerId worker, std::int64_t task) {
  place(worker);
  touched_.touch(world_.now(), worker, task, options_.engine.scheme, held(worker));
}

bool GroupCore::present(WorkerId worker) const {
  return worker < places_.size() && world_.worker(worker).is_present();
}

std::optional<Pair> GroupCore::held(WorkerId worker) const {
  if (worker >= places_.size()) return std::nullopt;
  return world_.held_pair(configs_, worker);
}

GroupVerdict GroupCore::verdict() const {
  GroupVerdict result;
  Properties finished = properties_;
  const Action nothing;
  finished.finish(moment(nothing, Applied{}));
  std::optional<Violation> first;
  bool handed = false;
  const auto add = [&](const PropertyInfo& info, const PropertyOutcome& outcome) {
    // A process that stands still cannot stop in time; what it may not do is act when it is back.
    const bool judged = info.kind != PropertyKind::on_request &&
                        !(paused_ && (info.name == WorkExclusive::kInfo.name ||
                                      info.name == DrainedInTime::kInfo.name));
    GroupVerdict::Line line{info.name, Verdict::unknown, outcome.reached};
    if (judged && outcome.violated > 0) {
      line.verdict = Verdict::violated;
      if (!first || outcome.first->at < first->at) first = outcome.first;
    } else if (judged && outcome.reached > 0) {
      line.verdict = Verdict::holds;
    }
    if (info.name == HandOverOrder::kInfo.name) handed = outcome.reached > 0;
    result.lines.push_back(line);
  };
  const std::vector<PropertyOutcome> outcomes = finished.outcomes();
  for (std::size_t i = 0; i < outcomes.size(); ++i) add(property_infos()[i], outcomes[i]);
  for (const auto& [info, claim] :
       {std::pair<PropertyInfo, const Property*>{TouchedUnderLease::kInfo, &touched_},
        {DrainedInTime::kInfo, &drained_}}) {
    add(info, {claim->times_reached(), claim->times_violated(), claim->first_violation()});
  }
  if (first) {
    result.verdict = Verdict::violated;
    std::vector<TraceRecord> records;
    for (const TraceRecord& record : records_) {
      if (record.step.at <= first->at) records.push_back(record);
    }
    result.story = cli::story(records, *first);
  } else if (handed) {
    result.verdict = Verdict::holds;
    result.story = "no property was violated under seed " + std::to_string(options_.seed);
  } else {
    result.story = "no consumer was handed a pair: run the group for four intervals or more";
  }
  return result;
}

}  // namespace nandi::sim
