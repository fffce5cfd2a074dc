#!/bin/sh
# tune_interrupt.sh NANDI-SIM: the first interrupt ends `nandi-sim tune` with what was found so far
# and status 2; the second one kills it.
set -u
program=$1
folder=$(mktemp -d) || exit 1
running=
trap 'if [ -n "$running" ]; then kill -9 "$running" 2>/dev/null; fi; rm -rf "$folder"' EXIT

fail() {
  echo "$1"
  cat "$folder/output"
  exit 1
}

# Far more seeds than a test has time for; one of them takes a second or so.
start() {
  "$program" tune --latency p50=5ms,p99=9ms,max=10ms --workers 10000 --intervals 1000s \
    --gaps 0.2 --losses 0.000001 --out "$folder/out" >"$folder/output" 2>&1 &
  running=$!
  waited=0
  # The second bit of the signals that are caught is the interrupt's.
  until sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$running/status" | grep -q '[2367abef]$'; do
    sleep 0.05
    waited=$((waited + 1))
    [ "$waited" -lt 400 ] || fail "no handler after 20 s"
  done
  sleep 1
}

start
kill -INT "$running"
wait "$running"
status=$?
running=
[ "$status" -eq 2 ] || fail "status $status after an interrupt, not 2"
grep -q '^interrupted: this is what was found so far' "$folder/output" || fail "it does not say so"
grep -q '"interrupted": true' "$folder/out/tune.json" || fail "its JSON does not say so"
grep -q '"verdict": "unknown"' "$folder/out/tune.json" || fail "its JSON has a verdict"
grep -q 'Interrupted: what was found so far' "$folder/out/report.html" || fail "no page"

# Interrupts that come before the handler of the first one ran count as one: it takes another.
start
while [ -n "$(sed -n '/^State:[[:space:]]*[^Z]/p' "/proc/$running/status" 2>/dev/null)" ]; do
  kill -INT "$running" 2>/dev/null
  sleep 0.05
done
wait "$running"
status=$?
running=
[ "$status" -eq 130 ] || fail "status $status after a second interrupt, not 128 and its number"
