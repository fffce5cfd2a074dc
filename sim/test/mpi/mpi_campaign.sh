#!/usr/bin/env bash
# mpi_campaign.sh CASE NANDI-SIM SCENARIOS: campaigns over MPI, with ranks of this machine; the case
# `network_namespaces` with ranks that have a network of their own each. 77: what it needs is
# missing.
set -uo pipefail
test_case="$1"
program="$2"
scenarios="$3"

skip() {
  echo "skipped: $1"
  exit 77
}
fail() {
  echo "$1"
  exit 1
}

command -v mpirun >/dev/null || skip "mpirun is not installed (openmpi-bin)"
"$program" --mpi 2>&1 | grep -q 'built without MPI' && skip "nandi-sim was built without MPI"

scratch="$(mktemp -d)"
cleanups=()
clean_up() {
  local command
  for command in "${cleanups[@]}"; do eval "$command"; done
  rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# Open MPI asks for this where tests run as root; its sockets go into the test's own folder.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export TMPDIR="$scratch"
# Ranks wait their turn where there are more of them than cores.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

# ranks N ARGUMENT...: nandi-sim on N ranks. Quiet: mpirun explains every exit status but 0.
ranks() {
  local number="$1"
  shift
  mpirun -q -n "$number" "$program" --mpi "$@"
}

# The same in the place of this shell: in the background its pid is mpirun's.
become_ranks() {
  local number="$1"
  shift
  exec mpirun -q -n "$number" "$program" --mpi "$@"
}

# What a summary says of this machine's speed is no result.
without_speed() { grep -v 'a CPU second$' "$1"; }

same_results() {
  cmp "$scratch/$1.json" "$scratch/$2.json" || fail "the JSON of $1 and $2 differ"
  diff <(without_speed "$scratch/$1.txt") <(without_speed "$scratch/$2.txt") ||
    fail "the summaries of $1 and $2 differ"
}

# wait_until TEXT COMMAND...: at most two minutes.
wait_until() {
  local what="$1" waited=0
  shift
  until "$@"; do
    waited=$((waited + 1))
    [ "$waited" -lt 1200 ] || fail "waited for $what in vain"
    sleep 0.1
  done
}

# The pids of the ranks of `mpirun` with this pid.
ranks_of() { pgrep -P "$1" -f -- '--mpi'; }
are_gone() {
  local pid
  for pid in "$@"; do
    ! kill -0 "$pid" 2>/dev/null || return 1
  done
}

any_number_of_ranks_gives_the_same() {
  local file="$scenarios/swarm.yaml" seeds=1..3000 number
  "$program" "$file" --seeds "$seeds" --json "$scratch/plain.json" >"$scratch/plain.txt" ||
    fail "the campaign does not hold"
  for number in 1 2 3; do
    ranks "$number" "$file" --seeds "$seeds" --json "$scratch/$number.json" \
      >"$scratch/$number.txt" 2>"$scratch/err" || fail "$number ranks: exit status $?"
    [ ! -s "$scratch/err" ] || { cat "$scratch/err"; fail "$number ranks: something on stderr"; }
    same_results plain "$number"
  done
  ranks 2 "$file" --seeds "$seeds" --jobs 2 --json "$scratch/threads.json" \
    >"$scratch/threads.txt" || fail "two ranks of two threads: exit status $?"
  same_results plain threads
}

failing_seeds_and_regressions_are_the_same() {
  local file="$scenarios/ablations/agree-once.yaml" seeds=1..1000
  (cd "$scratch" && "$program" "$file" --seeds "$seeds" --json plain.json --regressions found \
    >plain.txt)
  mv "$scratch/found" "$scratch/plain"
  [ -f "$scratch/plain.json" ] || fail "no plain result"
  grep -q '"verdict": "violated"' "$scratch/plain.json" || fail "nothing to compare"
  (cd "$scratch" && ranks 2 "$file" --seeds "$seeds" --json ranks.json --regressions found \
    >ranks.txt)
  [ $? -eq 1 ] || fail "two ranks do not say that it is violated"
  mv "$scratch/found" "$scratch/ranks"
  same_results plain ranks
  diff -r "$scratch/plain" "$scratch/ranks" || fail "the regressions differ"
  [ -n "$(ls "$scratch/ranks")" ] || fail "no regression was written"
}

# killed WHOM RANKS: mpirun or one rank is killed with SIGKILL in mid-campaign; the campaign then
# goes on from its state file, on so many ranks (0: without MPI), to the result of one that was left
# alone.
killed() {
  local whom="$1" number="$2" file="$scenarios/swarm.yaml" seeds=1..40000 state="$scratch/state"
  "$program" "$file" --seeds "$seeds" --json "$scratch/plain.json" >"$scratch/plain.txt" ||
    fail "the campaign does not hold"
  become_ranks 2 "$file" --seeds "$seeds" --resume "$state" --quiet >/dev/null 2>&1 &
  local job=$! pids
  cleanups+=("kill -9 $job 2>/dev/null")
  wait_until "a state file" test -e "$state"
  pids="$(ranks_of "$job")"
  [ "$(wc -w <<<"$pids")" -eq 2 ] || fail "there are no two ranks, or they are done: $pids"
  if [ "$whom" = mpirun ]; then kill -9 "$job"; else kill -9 "$(tail -n 1 <<<"$pids")"; fi
  wait "$job" 2>/dev/null && fail "the killed job says that all is well"
  # shellcheck disable=SC2086
  wait_until "the end of the ranks" are_gone $pids
  if [ "$number" -gt 0 ]; then
    ranks "$number" "$file" --seeds "$seeds" --resume "$state" --json "$scratch/resumed.json" \
      >"$scratch/resumed.txt" || fail "the resumed ranks: exit status $?"
  else
    "$program" "$file" --seeds "$seeds" --resume "$state" --json "$scratch/resumed.json" \
      >"$scratch/resumed.txt" || fail "resumed without MPI: exit status $?"
  fi
  same_results plain resumed
}

killed_mpirun_goes_on_to_the_same_result() { killed mpirun 3; }
killed_rank_goes_on_to_the_same_result() { killed rank 0; }

# SIGINT: mpirun ends all ranks. SIGUSR1 is passed on, and mpirun's status is that of rank 0. Of a
# SIGINT's summary the beginning comes for certain.
interrupted_ends_with_what_was_found() {
  local signal job pids
  for signal in INT USR1; do
    become_ranks 2 "$scenarios/swarm.yaml" --seeds 1..100000000 \
      --resume "$scratch/state.$signal" --json "$scratch/$signal.json" \
      >"$scratch/$signal.txt" 2>/dev/null &
    job=$!
    cleanups+=("kill -9 $job 2>/dev/null")
    wait_until "a state file" test -e "$scratch/state.$signal"
    pids="$(ranks_of "$job")"
    kill "-$signal" "$job"
    wait "$job"
    local status=$?
    [ "$status" -ne 0 ] || fail "$signal: exit status 0"
    [ "$signal" = INT ] || [ "$status" -eq 2 ] || fail "$signal: exit status $status, not 2"
    # shellcheck disable=SC2086
    wait_until "the end of the ranks" are_gone $pids
    grep -q '^swarm: unknown (interrupted' "$scratch/$signal.txt" ||
      { head -n 3 "$scratch/$signal.txt"; fail "$signal: the summary is not there"; }
    grep -q '"interrupted": true' "$scratch/$signal.json" || fail "$signal: no JSON"
  done
}

errors_are_said_once_and_end_all_ranks() {
  local status
  expect_error() {
    local wanted="$1" text="$2"
    shift 2
    ranks 3 "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    [ "$status" -eq "$wanted" ] || fail "$*: exit status $status, not $wanted"
    [ "$(grep -c . "$scratch/err")" -eq 1 ] && grep -q -- "$text" "$scratch/err" ||
      { cat "$scratch/err"; fail "$*: not the one message '$text'"; }
  }
  printf 'name: x\nworkres: 3\n' >"$scratch/bad.yaml"
  expect_error 65 'bad.yaml:2:1: .*workres' "$scratch/bad.yaml"
  expect_error 65 'no-such-file' "$scratch/no-such-file.yaml"
  expect_error 64 'no range of seeds' "$scenarios/swarm.yaml" --seeds 7
  expect_error 64 'kind lease' "$scenarios/partition-schemes.yaml"
  printf 'hello\n' >"$scratch/state"
  expect_error 65 'no state of a campaign' "$scenarios/swarm.yaml" --resume "$scratch/state"
}

# Two namespaces with a cable between them, as two machines; this process's network is left alone.
network_namespaces() {
  [ "$(id -u)" = 0 ] || skip "network namespaces need root"
  command -v ip >/dev/null || skip "ip is not installed (iproute2)"
  local a="nandi-$$-a" b="nandi-$$-b" file="$scenarios/swarm.yaml" seeds=1..3000
  ip netns add "$a" 2>"$scratch/err" || skip "no network namespace: $(cat "$scratch/err")"
  cleanups+=("ip netns del $a")
  ip netns add "$b" || fail "no second network namespace"
  cleanups+=("ip netns del $b")
  ip link add name "va$$" netns "$a" type veth peer name "vb$$" netns "$b" 2>"$scratch/err" ||
    skip "no veth: $(cat "$scratch/err")"
  ip -n "$a" addr add 10.77.0.1/24 dev "va$$" && ip -n "$b" addr add 10.77.0.2/24 dev "vb$$" ||
    fail "no addresses"
  local each
  for each in "$a va$$" "$b vb$$"; do
    ip -n "${each% *}" link set lo up && ip -n "${each% *}" link set "${each#* }" up ||
      fail "the cable is not up"
  done
  # In the place of ssh: the host's name is followed by the command, for a shell.
  printf '#!/bin/sh\nshift\nexec ip netns exec %s sh -c "$*"\n' "$b" >"$scratch/agent"
  chmod +x "$scratch/agent"
  printf '10.77.0.1 slots=1\n10.77.0.2 slots=1\n' >"$scratch/hosts"
  # Whichever rank it is, it leaves its namespace's name behind.
  printf '#!/bin/sh\nip netns identify $$ >"%s/rank-$OMPI_COMM_WORLD_RANK"\nexec "$@"\n' \
    "$scratch" >"$scratch/noted"
  chmod +x "$scratch/noted"

  "$program" "$file" --seeds "$seeds" --json "$scratch/plain.json" >"$scratch/plain.txt" ||
    fail "the campaign does not hold"
  timeout 120 ip netns exec "$a" mpirun -q -n 2 --hostfile "$scratch/hosts" --map-by node \
    --mca plm_rsh_agent "$scratch/agent" --mca btl tcp,self --mca pml ob1 \
    --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
    "$scratch/noted" "$program" --mpi "$file" --seeds "$seeds" --json "$scratch/ranks.json" \
    >"$scratch/ranks.txt" 2>"$scratch/err" ||
    { cat "$scratch/err"; fail "over two namespaces: not 0"; }
  [ "$(cat "$scratch/rank-0")" = "$a" ] && [ "$(cat "$scratch/rank-1")" = "$b" ] ||
    fail "the ranks ran in '$(cat "$scratch/rank-0")' and '$(cat "$scratch/rank-1")'"
  sed -i "s|$scratch/noted ||" "$scratch/ranks.txt"
  same_results plain ranks
}

"$test_case"
