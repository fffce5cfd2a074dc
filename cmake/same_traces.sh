#!/usr/bin/env bash
# same_traces.sh BUILD BUILD...: one seed gives byte-identical traces whatever compiled nandi-sim.
# Runs every scenario of a worker group with each build's nandi-sim and compares with the first's.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

compared=0
while IFS= read -r scenario; do
  grep -q '^workers:' "$scenario" || continue
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
[ "$compared" -gt "$#" ] || { echo "too few scenarios were compared"; exit 1; }
echo "$compared traces compared"
