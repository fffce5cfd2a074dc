#!/usr/bin/env bash
# A wrong argument of ./test and ./run is refused, not ignored.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 70
./test --no-such-option >/dev/null 2>&1
[ $? -eq 64 ] || { echo "./test --no-such-option did not exit with 64"; exit 1; }
