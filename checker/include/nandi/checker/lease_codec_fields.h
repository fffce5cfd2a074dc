// Implementation of LeaseCodec, field by field; include lease_codec.h.
#pragma once

#include "nandi/checker/lease_codec.h"

namespace nandi::checker {

template <class Rules, std::size_t W>
LeaseCodec<Rules, W>::LeaseCodec(const LeaseCheck& check) : check_(check) {
  std::int64_t longest = 0;
  std::int64_t shortest = check.members.front().timing.interval.count();
  std::int64_t margin = 0;
  bool own_clock = false;
  std::int64_t offset = 0;
  for (const CheckedMember& member : check.members) {
    longest = std::max(longest, member.timing.interval.count());
    shortest = std::min(shortest, member.timing.interval.count());
    margin = std::max(margin, member.rules.extra_margin.count());
    timeout_ = std::max(timeout_, member.timing.attempt_timeout.count());
    own_clock = own_clock || member.interval_from_worker_clock;
    late_grants_ = late_grants_ || member.rules.extra_margin > Duration(0) ||
                   member.rules.deadline_from == sim::DeadlineFrom::reply ||
                   !member.rules.does_expire;
    offset = std::max(offset, std::abs(member.clock_offset));
  }
  // A clock that lags makes the lease of a reply from behind the window last, as a step forward
  // does.
  late_grants_ =
      late_grants_ || check.faults.store_step != 0 || check.drift != 0 || check.pauses_stop_clocks;
  const std::int64_t stepped_back = check.step_back * check.faults.store_step;
  std::int64_t slack = (stepped_back + shortest - 1) / shortest;
  step_slack_ = slack;
  if (own_clock) slack += offset / shortest + 1;
  back_ = 1 + slack;
  forward_ = slack;
  horizon_ = 2 * longest + margin + 2 * std::int64_t{check.drift} + stepped_back + 2;
  time_bits_ = bits_for(static_cast<std::uint64_t>(horizon_ + 1));
  deadline_bits_ = bits_for(static_cast<std::uint64_t>(timeout_ + 2 * check.drift));
  window_bits_ = bits_for(static_cast<std::uint64_t>(back_ + forward_ + 2));
  phase_bits_ = bits_for(static_cast<std::uint64_t>(longest - 1));
  drift_bits_ = bits_for(2ULL * check.drift);
  join_bits_ = bits_for(check.joins);
  ghost_bits_ = bits_for(check.abandoned);
  // The longest worker: with a request and a lease, its reply under way.
  const unsigned bits = 4 + join_bits_ + ghost_bits_ + drift_bits_ +
                        (1 + window_bits_ + kCountBits) + (1 + 2 * kCountBits) + (1 + time_bits_) +
                        3 + (1 + time_bits_ + deadline_bits_) +
                        (2 + window_bits_ + phase_bits_ + 2 * kCountBits + 1);
  worker_words_ = words_for(bits);
  if (worker_words_ > 2) throw std::invalid_argument("lease model: interval too long to encode");
}

template <class Rules, std::size_t W>
void LeaseCodec<Rules, W>::start(State& state) const {
  state = State{};
  state.world.store_clock().shown = StoreTime(kBase * interval_of(0));
  state.world.store().set_script_cached(true);
  for (sim::WorkerId id = 0; id < W; ++id) {
    state.world.workers()[id].clock.shown =
        LocalTime(kBase * interval_of(0) + check_.members[id].clock_offset);
  }
  pack(state);
}

template <class Rules, std::size_t W>
void LeaseCodec<Rules, W>::pack_worker(State& state, sim::WorkerId id) const {
  const Worker& w = state.world.worker(id);
  BitWriter out(state.packed.data() + id * worker_words_, worker_words_);
  out.put(state.joins[id], join_bits_);
  out.put(w.ghosts, ghost_bits_);
  out.put(w.is_present() ? 1 : 0, 1);
  if (w.is_present()) {
    out.put(w.is_paused() ? 1 : 0, check_.pauses == 0 ? 0 : 1);
    if (drift_bits_ != 0) {
      out.put(static_cast<std::uint64_t>(state.drift[id] + check_.drift), drift_bits_);
    }
    pack_engine(state, id, out);
    pack_reply(state, id, out);
  }
  out.finish();
}

template <class Rules, std::size_t W>
void LeaseCodec<Rules, W>::pack_engine(const State& state, sim::WorkerId id, BitWriter& out) const {
  const Worker& w = state.world.worker(id);
  const LeaseState& engine = w.engine.state();
  const LocalTime now = w.clock.at(state.world.now());
  const auto ahead = [&](LocalTime t) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, (t - now).count()));
  };
  const bool ends = check_.members[id].rules.expires();
  const bool is_over = engine.has_lease && ends && engine.expires < now;
  const IntervalNumber open = open_interval(state, id);
  const IntervalNumber age = open - engine.interval;
  const bool is_awaited = w.wire == sim::Wire::replied && engine.interval == w.reply.interval - 1 &&
                          (late_grants_ || open - w.reply.interval <= oldest(state));
  const bool knows = engine.has_held && !is_over && (age <= oldest(state) || is_awaited);
  out.put(knows, 1);
  if (knows) {
    // The interval before a reply's that is behind the window.
    out.put(static_cast<std::uint64_t>(std::min(age, oldest(state) + 2) + forward_), window_bits_);
    out.put(engine.index, kCountBits);
  }
  const bool has_lease = engine.has_lease && !is_over;
  const bool remembers = engine.has_remembered && (knows || has_lease);
  out.put(remembers, 1);
  if (remembers) {
    out.put(engine.remembered.index, kCountBits);
    out.put(engine.remembered.count, kCountBits);
  }
  out.put(has_lease, 1);
  if (has_lease && ends) out.put(ahead(engine.expires), time_bits_);
  out.put(engine.failures, 3);
  out.put(engine.in_flight, 1);
  if (engine.in_flight) {
    const std::int64_t sent_age = (now - engine.sent).count();
    out.put(static_cast<std::uint64_t>(std::min(sent_age, horizon_)), time_bits_);
    out.put(ahead(engine.deadline), deadline_bits_);
  } else {
    out.put(ahead(engine.due), time_bits_);
  }
}

template <class Rules, std::size_t W>
void LeaseCodec<Rules, W>::pack_reply(const State& state, sim::WorkerId id, BitWriter& out) const {
  const Worker& w = state.world.worker(id);
  out.put(w.wire == sim::Wire::requested ? 1 : w.wire == sim::Wire::replied ? 2 : 0, 2);
  if (w.wire != sim::Wire::replied) return;
  const IntervalNumber age = open_interval(state, id) - w.reply.interval;
  // One number stands for every interval behind the window. It has to be the window of now: a step
  // back of the store's clock brings intervals nearer and narrows the window by as much.
  out.put(static_cast<std::uint64_t>(std::min(age, oldest(state) + 1) + forward_), window_bits_);
  out.put(static_cast<std::uint64_t>(
              (w.reply.at - interval_begin(check_.members[id].timing, w.reply.interval)).count()),
          phase_bits_);
  out.put(w.reply.index, kCountBits);
  out.put(w.reply.previous_count.has_value(), 1);
  out.put(w.reply.previous_count.value_or(0), kCountBits);
}

template <class Rules, std::size_t W>
void LeaseCodec<Rules, W>::pack_rest(State& state) const {
  BitWriter out(state.packed.data() + W * worker_words_, 1);
  const std::int64_t store_now = state.world.store_clock().at(state.world.now()).count();
  const std::int64_t interval = interval_of(0);
  const IntervalNumber open = static_cast<IntervalNumber>(floor_div(store_now, interval));
  out.put(static_cast<std::uint64_t>(store_now - open * interval), phase_bits_);
  for (IntervalNumber age = -forward_; age <= back_; ++age) {
    std::uint64_t value = 0;
    for (const sim::Counter& counter : state.world.store().counters()) {
      if (age <= oldest(state) && counter.interval == open - age) value = counter.value;
    }
    out.put(value, kCountBits);
  }
  out.put(state.used.flush_all, bits_for(check_.faults.flush_all));
  out.put(state.used.erase_open, bits_for(check_.faults.erase_open));
  out.put(state.used.erase_closed, bits_for(check_.faults.erase_closed));
  out.put(state.used.store_step, bits_for(check_.faults.store_step));
  out.put(state.used.refuse, bits_for(check_.faults.refuse));
  out.put(state.used.lose, bits_for(check_.faults.lose));
  out.put(state.used.fork, bits_for(check_.faults.fork));
  out.put(state.used.lost_writes, bits_for(check_.faults.lost_writes));
  out.put(state.was_settled, check_.settled ? 1 : 0);
  out.finish();
}

template <class Rules, std::size_t W>
void LeaseCodec<Rules, W>::unpack(const std::uint64_t* words, State& state) const {
  state = State{};
  std::copy_n(words, this->words(), state.packed.begin());
  BitReader in(words + W * worker_words_, 1);
  const std::int64_t interval = interval_of(0);
  const auto phase = static_cast<std::int64_t>(in.get(phase_bits_));
  const std::int64_t store_now = kBase * interval + phase;
  state.world.store_clock().shown = StoreTime(store_now);
  state.world.store().set_script_cached(true);
  for (IntervalNumber age = -forward_; age <= back_; ++age) {
    const auto value = static_cast<std::uint32_t>(in.get(kCountBits));
    if (value == 0) continue;
    const StoreTime expires(store_now + kKeyLifetime * interval);
    state.world.store().counters().push_back(sim::Counter{kBase - age, expires, value, 0});
  }
  const auto get8 = [&](unsigned bits) { return static_cast<std::uint8_t>(in.get(bits)); };
  state.used.flush_all = get8(bits_for(check_.faults.flush_all));
  state.used.erase_open = get8(bits_for(check_.faults.erase_open));
  state.used.erase_closed = get8(bits_for(check_.faults.erase_closed));
  state.used.store_step = get8(bits_for(check_.faults.store_step));
  state.used.refuse = get8(bits_for(check_.faults.refuse));
  state.used.lose = get8(bits_for(check_.faults.lose));
  state.used.fork = get8(bits_for(check_.faults.fork));
  state.used.lost_writes = get8(bits_for(check_.faults.lost_writes));
  state.was_settled = in.get(check_.settled ? 1 : 0) != 0;
  for (sim::WorkerId id = 0; id < W; ++id) {
    state.world.workers()[id].clock.shown = LocalTime(store_now + check_.members[id].clock_offset);
    BitReader worker(words + id * worker_words_, worker_words_);
    unpack_worker(worker, state, id);
  }
}

template <class Rules, std::size_t W>
void LeaseCodec<Rules, W>::unpack_worker(BitReader& in, State& state, sim::WorkerId id) const {
  Worker& w = state.world.workers()[id];
  w.config = static_cast<std::uint16_t>(id);
  state.joins[id] = static_cast<std::uint8_t>(in.get(join_bits_));
  w.ghosts = static_cast<std::uint16_t>(in.get(ghost_bits_));
  if (in.get(1) == 0) return;
  w.process =
      in.get(check_.pauses == 0 ? 0 : 1) != 0 ? sim::Process::paused : sim::Process::running;
  if (drift_bits_ != 0) {
    state.drift[id] =
        static_cast<std::int8_t>(static_cast<std::int64_t>(in.get(drift_bits_)) - check_.drift);
  }
  LeaseState engine;
  unpack_engine(in, state, id, engine);
  w.engine = BasicLeaseEngine<Rules>(engine);
  const std::uint64_t wire = in.get(2);
  w.wire = wire == 1 ? sim::Wire::requested : wire == 2 ? sim::Wire::replied : sim::Wire::none;
  w.wire_attempt = w.wire == sim::Wire::none ? 0 : engine.attempt;
  if (w.wire != sim::Wire::replied) return;
  w.reply.interval =
      open_interval(state, id) - (static_cast<IntervalNumber>(in.get(window_bits_)) - forward_);
  w.reply.at = interval_begin(check_.members[id].timing, w.reply.interval) +
               Duration(static_cast<std::int64_t>(in.get(phase_bits_)));
  w.reply.index = static_cast<std::uint32_t>(in.get(kCountBits));
  const bool has_previous = in.get(1) != 0;
  const auto previous = static_cast<std::uint32_t>(in.get(kCountBits));
  if (has_previous) w.reply.previous_count = previous;
}

template <class Rules, std::size_t W>
void LeaseCodec<Rules, W>::unpack_engine(BitReader& in, const State& state, sim::WorkerId id,
                                         LeaseState& engine) const {
  const LocalTime now = state.world.worker(id).clock.at(state.world.now());
  const auto time = [&](unsigned bits) { return static_cast<std::int64_t>(in.get(bits)); };
  const auto count = [&] { return static_cast<std::uint32_t>(in.get(kCountBits)); };
  engine.has_held = in.get(1) != 0;
  if (engine.has_held) {
    engine.interval = open_interval(state, id) - (time(window_bits_) - forward_);
    engine.index = count();
  }
  engine.has_remembered = in.get(1) != 0;
  if (engine.has_remembered) {
    engine.remembered.index = count();
    engine.remembered.count = count();
  }
  engine.has_lease = in.get(1) != 0;
  if (engine.has_lease) {
    engine.lease = engine.remembered;
    if (check_.members[id].rules.expires()) engine.expires = now + Duration(time(time_bits_));
  }
  engine.failures = static_cast<std::uint8_t>(in.get(3));
  engine.in_flight = in.get(1) != 0;
  engine.attempt = 1;  // any number will do
  if (engine.in_flight) {
    engine.sent = now - Duration(time(time_bits_));
    engine.deadline = now + Duration(time(deadline_bits_));
  } else {
    engine.due = now + Duration(time(time_bits_));
  }
}

}  // namespace nandi::checker
