#!/usr/bin/env python3
"""The lease protocol once more, written from its prose (engine/README.md, "The protocol") and from
the description of the checker's abstraction (checker/README.md, "Time"), for counts and verdicts
alone. It shares nothing with the C++ but these two texts.

    independent_lease.py KEY=VALUE...

prints `verdict states transitions depth`: holds with the size of the whole graph, or violated with
the length of a shortest path as depth (states and transitions are then 0). Breadth-first.

All times are ticks relative to now, all interval numbers are distances from the open interval.
"""
import sys
from fractions import Fraction
from math import ceil, floor, gcd

SETTINGS = dict(workers=1, interval=5, gap="2/5", slots="engine", pauses=0, crashes=1, joins=1,
                abandoned=1, registrations=4, agreement=2, deadline="send", margin=0, refusals=0,
                symmetry=0)

# A worker that is there:
#   paused, held, remembered, ends, failures, sent, timer, wire, reply
# held: (age, index) of the last completed registration, or None
# remembered: pair that it implied, or None; ends: ticks to the end of the lease, or None for none
# sent: age of the attempt under way or None; timer: ticks to its deadline, else to the next one
# wire: "" | "asked" | "answered"; reply: (age, phase, index, previous) | None
# A worker's place: (joins, ghosts, worker or None). A state: (phase, open, closed, places).


class Protocol:
    def __init__(self, settings):
        s = dict(SETTINGS)
        for key, value in settings.items():
            s[key] = type(SETTINGS[key])(value)
        self.s = s
        self.I = s["interval"]
        self.gap = Fraction(s["gap"])
        self.first = ceil(self.gap * self.I)
        self.last = self.I - self.first
        self.margin = floor(self.gap * self.I) + s["margin"]
        # Whether a lease may be granted so late that two intervals have gone by since its tick.
        self.outlasts = s["margin"] > 0 or s["deadline"] == "reply"
        self.timeout = max(1, self.I // 8)
        self.oldest = 2 * self.I + s["margin"] + 2  # ages of attempts from here on are alike
        self.oldest = max(self.oldest, 2 * self.I + 2)

    def slots_after(self, index, previous):
        """Rule 4, or anywhere in the band where nothing or nobody fixes it."""
        if self.s["slots"] == "free" or previous is None:
            return range(self.first, self.last + 1)
        m = max(previous, index + 1)
        at = self.gap + (index + Fraction(1, 2)) / m * (1 - 2 * self.gap)
        return (min(ceil(at * self.I), self.last),)

    def retry(self, failures):
        return max(1, self.I // {1: 8, 2: 4, 3: 2}.get(failures, 1))

    def normal(self, worker):
        """Forget what can matter no more."""
        paused, held, remembered, ends, failures, sent, timer, wire, reply = worker
        if ends is not None and ends < 0:  # whatever comes next, it first stands down
            ends = held = remembered = None
        if held is not None and held[0] > 1:
            # Too old for any registration to come; a reply under way may still follow on it.
            follows = reply is not None and held[0] == reply[0] + 1
            if not follows or (reply[0] > 1 and not self.outlasts):
                held = None
            else:
                held = (min(3, held[0]), held[1])
        if held is None and ends is None:
            remembered = None
        if reply is not None and reply[0] > 2:
            reply = (2,) + reply[1:]
        return (paused, held, remembered, ends, failures, sent, max(0, timer), wire, reply)

    def wake(self, worker, ghosts):
        paused, held, remembered, ends, failures, sent, timer, wire, reply = worker
        if ends is not None and ends <= 0:
            ends = held = remembered = None
        if sent is not None and timer <= 0:
            failures = min(4, failures + 1)
            timer = max(0, self.retry(failures) - sent)
            if wire == "asked":
                ghosts = min(self.s["abandoned"], ghosts + 1)
            sent, wire, reply = None, "", None
        if sent is None and timer <= 0:
            sent, timer, wire = 0, self.timeout, "asked"
            if ends is not None:
                timer = min(timer, ends)
        return (paused, held, remembered, ends, failures, sent, timer, wire, reply), ghosts

    def answer(self, worker, slot):
        """The reply arrives; the next slot is at offset `slot`."""
        paused, held, remembered, ends, failures, sent, timer, wire, reply = worker
        age, phase, index, previous = reply
        if ends is not None and ends <= 0:
            ends = held = remembered = None
        to_slot = self.I + slot - phase  # from the moment the store answered, as it said
        ends_at = to_slot + self.margin
        ends_at = ends_at if self.s["deadline"] == "reply" else ends_at - 1 - sent
        implied = None
        if held is not None and held[0] == age + 1 and previous is not None and held[1] < previous:
            implied = (held[1], previous)
        agreed = implied is not None and (self.s["agreement"] < 2 or remembered == implied)
        ends = ends_at if agreed and ends_at > 0 else None
        return (paused, (age, index), implied, ends, 0, None, to_slot, "", None)

    def refused(self, worker):
        paused, held, remembered, ends, failures, sent, timer, wire, reply = worker
        if ends is not None and ends <= 0:
            ends = held = remembered = None
        failures = min(4, failures + 1)
        return (paused, held, remembered, ends, failures, None,
                max(0, self.retry(failures) - sent), "", None)

    def holds(self, worker):
        return worker is not None and worker[3] is not None

    def can_wake(self, worker):
        paused, _, _, ends, _, _, timer, _, _ = worker
        return not paused and (timer <= 0 or (ends is not None and ends <= 0))

    def later(self, state):
        """A tick of time, unless somebody has something to do first."""
        phase, opened, closed, places = state
        if any(w is not None and self.can_wake(w) for _, _, w in places):
            return None
        turn = phase + 1 == self.I
        after = []
        for joins, ghosts, w in places:
            if w is not None:
                paused, held, remembered, ends, failures, sent, timer, wire, reply = w
                if ends is not None:
                    ends -= 1
                if sent is not None:
                    sent = min(self.oldest, sent + 1)
                if turn and held is not None:
                    held = (held[0] + 1, held[1])
                if turn and reply is not None:
                    reply = (reply[0] + 1,) + reply[1:]
                w = self.normal((paused, held, remembered, ends, failures, sent, timer - 1, wire,
                                 reply))
            after.append((0 if turn else joins, ghosts, w))
        if turn:
            return (0, 0, opened, tuple(after))
        return (phase + 1, opened, closed, tuple(after))

    def successors(self, state):
        phase, opened, closed, places = state
        s = self.s
        room = opened < s["registrations"]
        stalled = sum(1 for _, _, w in places if w is not None and w[0])
        for k, (joins, ghosts, w) in enumerate(places):
            def put(joins, ghosts, w, counted=0):
                w = None if w is None else self.normal(w)
                return (phase, opened + counted, closed,
                        places[:k] + ((joins, ghosts, w),) + places[k + 1:])
            if ghosts > 0 and room:
                yield put(joins, ghosts - 1, w, 1)
            if w is None:
                if joins < s["joins"]:
                    yield put(joins + 1, ghosts,
                              (False, None, None, None, 0, None, 0, "", None))
                continue
            if w[0]:
                yield put(joins, ghosts, (False,) + w[1:])
            elif stalled < s["pauses"]:
                yield put(joins, ghosts, (True,) + w[1:])
            if self.can_wake(w):
                woken, left = self.wake(w, ghosts)
                yield put(joins, left, woken)
            if w[7] == "asked" and room:
                reply = (0, phase, opened, closed if closed > 0 else None)
                yield put(joins, ghosts, w[:7] + ("answered", reply), 1)
            if w[7] == "asked" and s["refusals"] and not w[0]:
                yield put(joins, ghosts, self.refused(w))
            if w[7] == "answered" and not w[0]:
                for slot in self.slots_after(w[8][2], w[8][3]):
                    yield put(joins, ghosts, self.answer(w, slot))
            if s["crashes"]:
                left = min(s["abandoned"], ghosts + (1 if w[7] == "asked" else 0))
                yield put(joins, left, None)
        after = self.later(state)
        if after is not None:
            yield after

    def is_bad(self, state):
        pairs = [w[2] for _, _, w in state[3] if self.holds(w)]
        for a, (i, n) in enumerate(pairs):
            if i >= n:
                return True
            for j, m in pairs[a + 1:]:
                d = gcd(n, m)
                if i == j or n != m or i % d == j % d:
                    return True
        return False


def order(place):
    return (place[0], place[1], place[2] is not None, repr(place[2]))


def explore(protocol):
    start = (0, 0, 0, ((0, 0, None),) * protocol.s["workers"])
    canonical = lambda state: state
    if protocol.s["symmetry"]:  # which worker is in which situation is left out
        canonical = lambda state: state[:3] + (tuple(sorted(state[3], key=order)),)
    seen = {start}
    level, depth, transitions, leases = [start], 0, 0, 0
    while level:
        following = []
        for state in level:
            if any(protocol.holds(w) for _, _, w in state[3]):
                leases += 1
            for after in protocol.successors(state):
                transitions += 1
                after = canonical(after)
                if after not in seen:
                    if protocol.is_bad(after):
                        return "violated", 0, 0, depth + 1
                    seen.add(after)
                    following.append(after)
        level = following
        depth += 1
    return ("holds" if leases else "unknown"), len(seen), transitions, depth - 1


if __name__ == "__main__":
    given = dict(argument.split("=", 1) for argument in sys.argv[1:])
    unknown = set(given) - set(SETTINGS)
    if unknown:
        sys.exit(f"unknown settings: {sorted(unknown)}")
    print(*explore(Protocol(given)))
