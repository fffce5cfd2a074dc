#!/usr/bin/env bash
# What configuring and building must refuse, tried on small trees, and what it must not.
# Usage: build_rules_test.sh CASE
set -uo pipefail
nandi_root="$(cd "$(dirname "$0")/../.." && pwd)"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# tree LANGUAGES <<CMake: a project that uses the build functions of this one.
tree() {
  mkdir -p "$scratch/sim/test" "$scratch/scenarios"
  {
    printf 'cmake_minimum_required(VERSION 3.24)\nproject(tree LANGUAGES %s)\n' "$1"
    printf 'set(NANDI_TESTS OFF)\nlist(APPEND CMAKE_MODULE_PATH "%s/cmake")\n' "$nandi_root"
    printf 'include(nandi_room)\ninclude(nandi_scenario)\ninclude(nandi_settings)\n'
    printf 'set_property(GLOBAL PROPERTY NANDI_ROOMS sim)\n'
    cat
  } >"$scratch/CMakeLists.txt"
}

configure() {
  cmake -S "$scratch" -B "$scratch/build" -G Ninja >"$scratch/log" 2>&1
}

refused_with() {
  if "${@:2}"; then echo "was accepted"; exit 1; fi
  tr -s ' \n' ' ' <"$scratch/log" | grep -q -- "$1" || { cat "$scratch/log"; exit 1; }
}

unregistered_test_is_refused() {
  tree NONE <<<'nandi_require_registration()'
  configure || { cat "$scratch/log"; exit 1; }
  touch "$scratch/sim/test/lost_test.cc"
  refused_with "sim/test/lost_test.cc is registered nowhere" configure
}

unregistered_scenario_is_refused() {
  tree NONE <<<'nandi_require_registration()'
  echo "# prose" >"$scratch/scenarios/lost.yaml"
  refused_with "scenarios/lost.yaml is registered nowhere" configure
}

scenario_with_another_verdict_is_refused() {
  tree NONE <<<'add_subdirectory(scenarios)'
  echo 'nandi_scenario(a.yaml EXPECT holds)' >"$scratch/scenarios/CMakeLists.txt"
  printf '# prose\nexpect:\n  # verdict: violated\n  verdict: holds\n' >"$scratch/scenarios/a.yaml"
  configure || { cat "$scratch/log"; exit 1; }
  printf '# prose\nexpect: {verdict: violated}\n' >"$scratch/scenarios/a.yaml"
  refused_with "declares violated" configure
}

header_that_needs_another_is_refused() {
  tree CXX <<<'add_subdirectory(sim)'
  mkdir -p "$scratch/sim/include/nandi/sim"
  printf 'nandi_room(sim)\nnandi_header_check(sim)\n' >"$scratch/sim/CMakeLists.txt"
  printf '#include <string>\nstd::string f();\n' >"$scratch/sim/include/nandi/sim/a.h"
  configure || { cat "$scratch/log"; exit 1; }
  build || { cat "$scratch/log"; exit 1; }
  printf 'std::string f();\n' >"$scratch/sim/include/nandi/sim/a.h"
  refused_with "was not declared\|undeclared\|does not name\|has not been declared" build
}

warning_is_an_error() {
  tree CXX <<<'add_library(a a.cc)
nandi_target_defaults(a)'
  printf 'int f(long x);\nint f(long x) { return static_cast<int>(x); }\n' >"$scratch/a.cc"
  configure && build || { cat "$scratch/log"; exit 1; }
  printf 'int f(long x);\nint f(long x) { return x; }\n' >"$scratch/a.cc"
  refused_with "Werror" build
}

# Google Benchmark may be there, and GoogleTest not.
tests_and_mpi_can_be_left_out() {
  cmake -S "$nandi_root" -B "$scratch/build" -G Ninja -DNANDI_TESTS=OFF -DNANDI_MPI=OFF \
    >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
}

build() {
  cmake --build "$scratch/build" >"$scratch/log" 2>&1
}

"$1"
