#!/usr/bin/env bash
# Tests of ./run, ./test and what they source. Usage: scripts_test.sh CASE
set -uo pipefail
nandi_root="$(cd "$(dirname "$0")/../.." && pwd)"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

expect() {
  [ "$2" = "$3" ] || { printf '%s: expected "%s", got "%s"\n' "$1" "$2" "$3"; exit 1; }
}

# A JUnit file as CTest writes it: 7 tests, of which 2 failed, 1 was skipped, 1 was switched off.
counts_add_up() {
  printf '%s\n' '<testsuite name="x"' '  tests="7"' '  failures="2"' '  disabled="1"' \
    '  skipped="1"' '  hostname=""' '>' '<testcase name="a" failures="9" tests="9">' \
    >"$scratch/junit.xml"
  local line
  line="$(. "$nandi_root/cmake/test_counts.sh"; add_counts "$scratch/junit.xml"
    add_counts "$scratch/junit.xml"; finish)"
  expect "exit status" 1 $?
  expect "closing line" "6 passed, 4 failed, 4 skipped" "$line"
}

nothing_run_is_no_pass() {
  local line
  line="$(. "$nandi_root/cmake/test_counts.sh"; finish)"
  expect "exit status" 1 $?
  expect "closing line" "0 passed, 0 failed, 0 skipped" "$line"
}

unknown_argument_is_refused() {
  "$nandi_root/test" --no-such-option >"$scratch/out" 2>&1
  expect "exit status" 64 $?
}

# A name like our programs' is no file name, unless there is such a file.
unknown_program_is_refused() {
  "$nandi_root/run" nandi-simm >"$scratch/out" 2>"$scratch/err"
  expect "exit status" 64 $?
  expect "error" "unknown program nandi-simm; there are nandi-sim, nandi-check and nandi-worker" \
    "$(cat "$scratch/err")"
}

# A clone of the scripts with a compiler that cannot compile: the closing line is still the last.
build_failure_ends_with_the_closing_line() {
  mkdir "$scratch/clone" "$scratch/bin"
  cp -r "$nandi_root/test" "$nandi_root/cmake" "$scratch/clone"
  printf '#!/bin/sh\necho "no compiler today" >&2\nexit 1\n' >"$scratch/bin/cmake"
  chmod +x "$scratch/bin/cmake"
  PATH="$scratch/bin:$PATH" "$scratch/clone/test" --fast >"$scratch/out" 2>&1
  expect "exit status" 1 $?
  expect "last line" "0 passed, 1 failed, 0 skipped" "$(tail -n 1 "$scratch/out")"
  grep -q "no compiler today" "$scratch/out" || { echo "the error was not shown"; exit 1; }
}

# dpkg-query is replaced: only b2 and c count as installed.
missing_packages_are_named() {
  mkdir "$scratch/cmake"
  printf '%s\n' '# list' '[run]' 'a' 'b1 | b2' '[test]' 'c  # why' 'd | e' '[full]' 'f' \
    >"$scratch/cmake/packages.txt"
  nandi_root="$scratch"
  . "$(dirname "$0")/../setup.sh"
  dpkg-query() { printf 'b2 installed\nc installed\n'; }
  expect "run" "a " "$(nandi_missing_packages run)"
  expect "run test" "a d " "$(nandi_missing_packages run test)"
}

without_root_the_command_is_printed() {
  mkdir "$scratch/cmake"
  printf '%s\n' '[run]' 'a-package' >"$scratch/cmake/packages.txt"
  nandi_root="$scratch"
  . "$(dirname "$0")/../setup.sh"
  dpkg-query() { :; }
  id() { echo 1000; }
  (nandi_install run) 2>"$scratch/err"
  expect "exit status" 69 $?
  grep -q "sudo apt-get install --no-remove --no-install-recommends -y a-package" "$scratch/err" ||
    { cat "$scratch/err"; exit 1; }
}

# cmake is replaced by a script that makes the program: built once, then again only after a change.
run_builds_only_when_something_changed() {
  local clone="$scratch/clone"
  mkdir -p "$clone" "$scratch/bin"
  mkdir "$clone"/{engine,sim,checker,reports}
  cp -r "$nandi_root/run" "$nandi_root/cmake" "$clone"
  cp "$nandi_root/CMakeLists.txt" "$nandi_root/CMakePresets.json" "$clone"
  cat >"$scratch/bin/cmake" <<'END'
#!/bin/sh
echo "chatter"
[ "$1" = --build ] || exit 0
echo built >>builds
mkdir -p build/release/bin
printf '#!/bin/sh\necho "program $*"\n' >build/release/bin/nandi-sim
chmod +x build/release/bin/nandi-sim
END
  chmod +x "$scratch/bin/cmake"
  export PATH="$scratch/bin:$PATH"
  # As root a missing package would be installed; this case is about building.
  sed -i '/^\[/!d' "$clone/cmake/packages.txt"
  expect "first" "program a  b" "$("$clone/run" "a " b 2>/dev/null)"
  expect "second" "program c" "$("$clone/run" c 2>"$scratch/err")"
  expect "quiet" "" "$(cat "$scratch/err")"
  expect "builds" 1 "$(wc -l <"$clone/builds")"
  sleep 0.05
  echo "int x;" >"$clone/sim/new.cc"
  expect "third" "program" "$("$clone/run" 2>/dev/null | tr -d ' ')"
  expect "builds" 2 "$(wc -l <"$clone/builds")"
}

"$1"
