#!/usr/bin/env python3
"""Second implementation of the test models, for their counts only.

Written from the models' prose, over sets of named tuples, with a successor function for each
rule; shares nothing with the C++ models. Usage: independent_counts.py MODEL NUMBER...; prints
"states transitions depth violating" of the reachable graph, all of it whether or not it
violates the model's invariant.
"""
import sys
from collections import namedtuple


def explore(initial, rules, bad):
    level, seen, transitions, depth = {initial}, {initial}, 0, 0
    while level:
        fresh = set()
        for state in level:
            for rule in rules:
                for successor in rule(state):
                    transitions += 1
                    if successor not in seen:
                        fresh.add(successor)
        seen |= fresh
        level = fresh
        depth += 1 if fresh else 0
    return len(seen), transitions, depth, sum(1 for state in seen if bad(state))


def put(row, place, value):
    return row[:place] + (value,) + row[place + 1:]


def two_phase_commit(count):
    # rm: 'working' 'prepared' 'committed' 'aborted'; tm: 'init' 'committed' 'aborted';
    # heard: whom the manager knows to be prepared; mail: a set of messages, never emptied.
    State = namedtuple("State", "rm tm heard mail")
    everyone = range(count)

    def manager_hears(s):
        for i in everyone:
            if s.tm == "init" and ("prepared", i) in s.mail:
                yield s._replace(heard=s.heard | {i})

    def manager_commits(s):
        if s.tm == "init" and s.heard == frozenset(everyone):
            yield s._replace(tm="committed", mail=s.mail | {"commit"})

    def manager_aborts(s):
        if s.tm == "init":
            yield s._replace(tm="aborted", mail=s.mail | {"abort"})

    def prepares(s):
        for i in everyone:
            if s.rm[i] == "working":
                yield s._replace(rm=put(s.rm, i, "prepared"), mail=s.mail | {("prepared", i)})

    def gives_up(s):
        for i in everyone:
            if s.rm[i] == "working":
                yield s._replace(rm=put(s.rm, i, "aborted"))

    def obeys(s):
        for order, outcome in (("commit", "committed"), ("abort", "aborted")):
            if order in s.mail:
                for i in everyone:
                    yield s._replace(rm=put(s.rm, i, outcome))

    start = State(("working",) * count, "init", frozenset(), frozenset())
    rules = (manager_hears, manager_commits, manager_aborts, prepares, gives_up, obeys)
    return explore(start, rules, lambda s: "committed" in s.rm and "aborted" in s.rm)


def counter_race(count):
    # Each thread is None (not begun), a number (what it read) or 'done'.
    State = namedtuple("State", "value threads")

    def reads(s):
        for i, held in enumerate(s.threads):
            if held is None:
                yield s._replace(threads=put(s.threads, i, s.value))

    def writes(s):
        for i, held in enumerate(s.threads):
            if isinstance(held, int):
                yield State(held + 1, put(s.threads, i, "done"))

    def lost(s):
        return all(t == "done" for t in s.threads) and s.value != count

    return explore(State(0, (None,) * count), (reads, writes), lost)


def fischer(count, write_within, wait):
    # Each process is ('idle',), ('about to write', ticks left), ('waits', ticks left), ('in',).
    State = namedtuple("State", "owner processes")

    def tick(s):
        if ("about to write", 0) in s.processes:
            return
        aged = tuple((p[0], max(p[1] - 1, 0)) if len(p) == 2 else p for p in s.processes)
        yield s._replace(processes=aged)

    def one_acts(s):
        for i, p in enumerate(s.processes):
            if p == ("idle",) and s.owner is None:
                yield s._replace(processes=put(s.processes, i, ("about to write", write_within)))
            elif p[0] == "about to write":
                yield State(i, put(s.processes, i, ("waits", wait)))
            elif p == ("waits", 0):
                outcome = ("in",) if s.owner == i else ("idle",)
                yield s._replace(processes=put(s.processes, i, outcome))
            elif p == ("in",):
                yield State(None, put(s.processes, i, ("idle",)))

    return explore(State(None, (("idle",),) * count), (tick, one_acts),
                   lambda s: s.processes.count(("in",)) > 1)


if __name__ == "__main__":
    models = {"two_phase_commit": two_phase_commit, "counter_race": counter_race,
              "fischer": fischer}
    print(*models[sys.argv[1]](*map(int, sys.argv[2:])))
