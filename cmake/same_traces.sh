#!/usr/bin/env bash
# same_traces.sh BUILD BUILD...: one seed gives byte-identical traces whatever compiled nandi-sim.
# Runs every scenario of a worker group with each build's nandi-sim and compares with the first's.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

compared=0
while IFS= read -r scenario; do
  grep -qE '^(workers|swarm):' "$scenario" || continue
  # A trace of months would fill the disk and says nothing that one of minutes does not.
  ! grep -qE '^for: [0-9]{3,}h' "$scenario" || continue
  for build in "$@"; do
    trace="$scratch/$(basename "$build").trace"
    rm -f "$trace"
    # The verdict of one seed is not the question here; a bad file or a bug is.
    "$build/bin/nandi-sim" "$scenario" --seed 7 --trace "$trace" --quiet >"$scratch/out" 2>&1
    status=$?
    if [ "$status" -gt 2 ] || [ ! -s "$trace" ]; then
      cat "$scratch/out"
      echo "$build: no trace of $scenario (exit status $status)"
      exit 1
    fi
    first="$scratch/$(basename "$1").trace"
    cmp "$first" "$trace" || { echo "$scenario: $1 and $build differ"; exit 1; }
    compared=$((compared + 1))
  done
done < <(find scenarios -name '*.yaml' | sort)
# A campaign's hash is that of all its traces, in any number of threads.
hash_of() { "$1/bin/nandi-sim" scenarios/swarm.yaml --seeds 1..300 --jobs "$2" --json - 2>&1 |
  grep '"trace_hash"'; }
wanted="$(hash_of "$1" 1)"
for build in "$@"; do
  for jobs in 1 2; do
    found="$(hash_of "$build" "$jobs")"
    if [ -z "$found" ] || [ "$found" != "$wanted" ]; then
      echo "swarm.yaml with $jobs jobs: $1 has $wanted, $build $found"
      exit 1
    fi
  done
done
echo "a campaign in 1 and 2 threads compared"
[ "$compared" -gt "$#" ] || { echo "too few scenarios were compared"; exit 1; }
echo "$compared traces compared"
