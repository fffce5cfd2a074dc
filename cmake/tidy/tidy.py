#!/usr/bin/env python3
"""tidy.py CHECK ROOT: runs one check over the repository; exit status 1 when it finds something.

tidy.py --catches CHECK: runs it over planted violations, each of which must be found, and over
text that is right, in which nothing may be found.
"""

import sys

import checks
import planted
from source_text import SourceFile, read_tree


def run(check, root):
    files = read_tree(root)
    if not any(source.is_code for source in files):
        print(f"no code under {root}: nothing was checked")
        return 1
    findings = list(checks.ALL[check](files))
    for path, line, what in findings:
        print(f"{path}:{line}: {what}")
    return 1 if findings else 0


def catches(check):
    missed = 0
    for path, text in planted.VIOLATIONS[check]:
        if not list(checks.ALL[check]([SourceFile(path, text)])):
            print(f"missed in {path}:\n{text}")
            missed += 1
    for path, text in planted.CLEAN[check]:
        for finding in checks.ALL[check]([SourceFile(path, text)]):
            print(f"false alarm {finding} in:\n{text}")
            missed += 1
    return 1 if missed else 0


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(checks.ALL))
        return 0
    if len(arguments) == 2 and arguments[0] == "--catches" and arguments[1] in checks.ALL:
        return catches(arguments[1])
    if len(arguments) == 2 and arguments[0] in checks.ALL:
        return run(*arguments)
    print(__doc__, file=sys.stderr)
    print("checks: " + " ".join(checks.ALL), file=sys.stderr)
    return 64


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
