#!/bin/sh
# killed_campaign.sh NANDI-SIM SCENARIO: a campaign that was killed goes on from its state file, and
# its summary is byte for byte that of one that was left alone.
set -u
program="$1"
scenario="$2"
seeds=1..8000
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

"$program" "$scenario" --seeds "$seeds" --json "$scratch/whole.json" --quiet || exit 1

"$program" "$scenario" --seeds "$seeds" --jobs 1 --resume "$scratch/state" --quiet >/dev/null &
killed=$!
waited=0
while [ ! -e "$scratch/state" ] && [ "$waited" -lt 1000 ]; do
  sleep 0.1
  waited=$((waited + 1))
done
kill -9 "$killed" 2>/dev/null
wait "$killed" 2>/dev/null
[ -e "$scratch/state" ] || { echo "no state was written"; exit 1; }

"$program" "$scenario" --seeds "$seeds" --resume "$scratch/state" --json "$scratch/resumed.json" \
  --quiet || exit 1
cmp "$scratch/whole.json" "$scratch/resumed.json" || exit 1

# The state of one campaign is no other's, and half a state is none.
"$program" "$scenario" --seeds 1..7 --resume "$scratch/state" --quiet 2>"$scratch/err"
[ $? -eq 65 ] && grep -q 'of another campaign' "$scratch/err" || { cat "$scratch/err"; exit 1; }
size="$(wc -c <"$scratch/state")"
head -c "$((size / 2))" "$scratch/state" >"$scratch/half"
"$program" "$scenario" --seeds "$seeds" --resume "$scratch/half" --quiet 2>"$scratch/err"
[ $? -eq 65 ] && grep -q 'cut off or damaged' "$scratch/err" || { cat "$scratch/err"; exit 1; }
