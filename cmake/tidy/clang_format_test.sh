#!/usr/bin/env bash
# Every source file is as clang-format writes it. Usage: clang_format_test.sh tree|catches
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 70
if ! command -v clang-format >/dev/null; then
  echo "[  SKIPPED ] there is no clang-format"
  exit 77
fi
case "$1" in
  tree)
    # One line per file, written at once: the processes share a pipe.
    found="$(find engine sim checker reports cmake \( -name '*.cc' -o -name '*.h' \) -print0 |
      xargs -0 -n 16 -P 2 sh -c 'clang-format --dry-run -Werror "$@" 2>&1 |
        sed -n "s/^\([^: ]*:[0-9]*\):.*error:.*/\1/p" | sort -u -t: -k1,1' format | sort)"
    [ -z "$found" ] || {
      printf 'not formatted (cmake --build build/release --target format):\n%s\n' "$found"
      exit 1
    }
    ;;
  catches)
    format="clang-format --dry-run -Werror --assume-filename=a.cc"
    printf 'int  f( int x );\n' | $format 2>/dev/null && { echo "did not see two blanks"; exit 1; }
    printf 'int f(int x);\n' | $format
    ;;
esac
