#!/bin/sh
# Exit statuses, errors and files of `nandi-sim tune`. $1: the program, $2: the scenarios.
program=$1
scenarios=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

# expect STATUS TEXT ARGUMENTS...: the status, and a text that the output has to contain.
expect() {
  status=$1
  text=$2
  shift 2
  "$program" tune "$@" >"$folder/output" 2>&1
  found=$?
  if [ "$found" -ne "$status" ] || ! grep -qF -e "$text" "$folder/output"; then
    echo "tune $*: status $found, expected $status and '$text'; it said:"
    cat "$folder/output"
    failed=1
  fi
}

small="--intervals 2s,3s --gaps 0.15,0.2 --losses 20"
expect 0 "Use interval 2.00 s" --latency p50=5ms,p99=9ms,max=10ms --workers 5 $small --out "$folder"
for file in report.html tune.json tune.csv chosen.yaml; do
  [ -s "$folder/$file" ] || { echo "--out wrote no $file"; failed=1; }
done
"$program" "$folder/chosen.yaml" --quiet >"$folder/output" || {
  echo "chosen.yaml does not hold"
  failed=1
}
expect 0 "Use interval" "$scenarios/scale-up.yaml" $small --drain 100ms
counted=$folder/counted.csv
printf 'up to,count\n5,90\n9,9\n10,1\n' >"$counted"
expect 0 "latency $counted" --histogram "$counted" --unit ms --workers 5 $small
expect 65 "counted.csv:2:1: \`5\` has" --histogram "$counted" --workers 5
expect 64 "--unit requires --histogram" --unit ms --latency p50=1ms,max=2ms --workers 5
expect 1 "No setting of this grid passes" --latency p50=1s,max=2s --workers 5 $small
expect 1 "The nearest:" --latency p50=1s,max=2s --workers 5 $small --quiet
expect 2 "the budget of 70,000 registrations was used up" --latency p50=5ms,max=10ms \
  --workers 5 $small --budget 70000
expect 64 "no latency is known" --workers 5
expect 64 "did you mean \`--latency\`?" --latncy p50=1ms
expect 64 "did you mean \`idle\`?" --latency p50=1ms,max=2ms --workers 3 --objective idel
expect 64 "fewer than two workers" --latency p50=1ms,max=2ms
expect 64 "not above 0 and below 0.5" --latency p50=1ms,max=2ms --workers 3 --gaps 0.5
expect 64 "no whole number of milliseconds" --latency p50=1ms,max=2ms --workers 3 --intervals 5us
expect 64 "not a duration" --latency p50=1ms,max=2ms --workers 3 --drain soon
expect 64 "fewer than the 3" --latency p50=1ms,max=2ms --workers 3 --most-workers 2
known="--latency p50=1ms,max=2ms --workers 3"
expect 64 "nandi-sim tune: --joins: \`x\` is not a fraction" $known --joins x
expect 64 "--joins: '-1' is below 0" $known --joins -1
expect 0 "6 joins" $known $small --joins 6/h
expect 64 "--joins: \`6/m\` is not a fraction" $known --joins 6/m
expect 64 "nandi-sim tune: --drain: \`5\` has no unit" $known --drain 5
expect 64 "has no value" $known --joins ""
expect 64 "has no value" $known --pause ""
expect 64 "--drift: '0.125' is not below" $known --drift 0.125
expect 64 "--drain: '-1s' is below 0" $known --drain -1s
expect 64 "--losses: no number of seeds shows" $known --losses 0
expect 64 "--ready-within: '0s' is no time" $known --ready-within 0s
expect 64 "'25h' is longer than a day" $known --intervals 25h
expect 64 "--budget" $known --budget -1
expect 64 "--jobs" $known --jobs 0
expect 64 "no option '--seed'" $known --seed 1
expect 65 "cannot write" $known $small --json "$folder/none/tune.json"
expect 65 "Use interval" $known $small --json "$folder/none/tune.json"
expect 64 "with nine digits at most" $known --gaps 333333333333/1000000000000

# What a file says that no candidate is simulated with is refused.
five="workers: 5"
plain="network: {request: {constant: 5ms}}"
refused() {
  {
    printf 'name: x\ngroup: {interval: 2s%s}\n' "$1"
    shift
    wanted=$1
    shift
    printf '%s\n' "$@"
  } >"$folder/scenario.yaml"
  expect 65 "$wanted" "$folder/scenario.yaml" $small
}
refused "" "\`jitter\` of replies" "$five" "network: {jitter: {reply: {constant: 9ms}}}"
refused "" "\`loss\` is not known" "$five" "network: {loss: {request: 0.3}}"
refused "" "\`workers\` differ" "workers: [{count: 2}, {count: 2, interval: 3s}]"
refused "" "\`clocks\` drift by more" "$five" "$plain" "clocks: {workers: {drift: 0.01}}"
refused "" "\`ignore_expiry\` is safe with no" "$five" "$plain" "consumer: {ignore_expiry: true}"
refused ", resolution: 100ms" "\`resolution\` and" "$five" "$plain"
refused ", attempt_timeout: 20ms" "\`attempt_timeout\` is an eighth" "$five" "$plain"
expect 0 "Use interval" "$folder/chosen.yaml" $small

# A link stays one, and what is no regular file is written to, not replaced.
mkfifo "$folder/pipe"
cat "$folder/pipe" >"$folder/through" &
reader=$!
expect 0 "Use interval" $known $small --json "$folder/pipe"
wait "$reader"
[ -p "$folder/pipe" ] && [ -s "$folder/through" ] || { echo "the pipe was replaced"; failed=1; }
: >"$folder/target"
ln -s "$folder/target" "$folder/link"
expect 0 "Use interval" $known $small --json "$folder/link"
[ -L "$folder/link" ] && [ -s "$folder/target" ] || { echo "the link was replaced"; failed=1; }
expect 65 "cannot be opened" "$folder/none.yaml"
expect 65 "break the protocol" "$scenarios/ablations/agree-once.yaml"
expect 65 "draws its members" "$scenarios/swarm.yaml"
exit $failed
