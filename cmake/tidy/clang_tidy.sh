#!/usr/bin/env bash
# clang_tidy.sh BUILD: clang-tidy over the sources of libraries and tools and every public header,
# with the flags of a clang build that has compile_commands.json.
# clang_tidy.sh --catches: plants mistakes and expects them to be found.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 70
root="$PWD"

if [ "${1:-}" = --catches ]; then
  scratch="$(mktemp -d)"
  trap 'rm -rf "$scratch"' EXIT
  cp .clang-tidy "$scratch"
  printf 'int f(int* p);\nint f(int* p) {\n  if (p == nullptr) return *p;\n  return 0;\n}\n' \
    >"$scratch/null.cc"
  printf 'class lower {};\nint use(const lower& x);\n' >"$scratch/naming.cc"
  printf 'int f(int x);\nint f(int x) { return x; }\n' >"$scratch/clean.cc"
  for planted in null naming; do
    clang-tidy --quiet "$scratch/$planted.cc" -- -std=c++20 >"$scratch/out" 2>&1 &&
      { echo "clang-tidy saw nothing in $planted.cc"; exit 1; }
  done
  clang-tidy --quiet "$scratch/clean.cc" -- -std=c++20 2>&1
  exit
fi

build="$1"
# What the compile database knows, and of that our libraries, tools and header checks.
files="$(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u |
  grep -E "^$root/((engine|sim|checker|reports)/(src|tools)/|$build/.*/header_check/)")"
[ -n "$files" ] || { echo "nothing to check in $build"; exit 1; }
printf '%s\n' "$files" |
  xargs -n 4 -P "$(nproc)" clang-tidy -p "$build" --quiet 2>/dev/null |
  grep -vE '^$|warnings? generated'
[ "${PIPESTATUS[1]}" -eq 0 ]
