"""The house rules that text alone can show. A check maps files to findings (path, line, what)."""

import re

from source_text import ROOMS

MAX_COLUMNS = 100
MAX_FILE_LINES = 550
MAX_FUNCTION_LINES = 80


def library(source):
    return source.is_code and source.room in ROOMS and source.part in ("include", "src")


def grep(check, files, patterns, blanked=True):
    """Findings of (pattern, message) pairs, honouring `tidy: allow`."""
    compiled = [(re.compile(pattern), message) for pattern, message in patterns]
    for source in files:
        lines = source.code if blanked and source.is_code else source.lines
        for number, line in enumerate(lines, 1):
            for pattern, message in compiled:
                if pattern.search(line) and not source.allows(number, check):
                    yield source.path, number, message


def layering(files):
    """A room includes itself and the rooms before it; tools are separate and may include any."""
    include = re.compile(r'^\s*#\s*include\s*["<](?:nandi/(\w+)/[^">]*|(\.\./[^">]*))[">]')
    for source in files:
        if not source.is_code or source.room not in ROOMS:
            continue
        for number, line in enumerate(source.lines, 1):
            found = include.match(line)
            if not found:
                continue
            room, upward = found.groups()
            if upward and source.part == "test" and re.match(r"(\.\./)+tools/", upward):
                continue  # a test of what a tool is made of
            if upward:
                yield source.path, number, "an include goes up the tree: name the room's path"
            elif room not in ROOMS:
                yield source.path, number, f"there is no room {room}"
            elif source.part != "tools" and ROOMS.index(room) > ROOMS.index(source.room):
                yield source.path, number, f"{source.room} may not include {room}"


def determinism(files):
    """What differs between libraries, processors or runs stays out of engine, sim and checker."""
    libraries = [f for f in files if library(f) and f.room in ("engine", "sim", "checker")]
    yield from grep(
        "determinism",
        libraries,
        (
            (r"\bstd::\w+_distribution\b", "std distributions differ between libraries"),
            (r"\bstd::(shuffle|sample|random_shuffle)\b", "std::shuffle differs between libraries"),
            (r"\b(random_device|default_random_engine)\b", "randomness is handed in by seed"),
            (r"\b(?:std::)?s?rand\s*\(", "randomness is handed in, keyed by seed"),
            (r"\bsystem_clock\b", "the wall clock has no place in lease arithmetic"),
        ),
    )
    # sim/src/cli/ shows runs to people, with progress per second; no trace is made there.
    traced = [f for f in libraries if f.room in ("engine", "sim") and "/cli/" not in f.path]
    yield from grep(
        "determinism",
        traced,
        (
            (r"\bchrono::duration<\s*(double|float|long double)", "time is an integer"),
            (
                r"\b(double|float)\s+(\w+_)?"
                r"(time|interval|deadline|expiry|instant|due|slot|now|gap)_?\b",
                "time is an integer, gap an exact fraction",
            ),
            (r"#\s*include\s*<cmath>", "no libm in what reaches a trace"),
            (
                r"\bstd::(exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|t?l?gamma|erf)\s*\(",
                "no libm in what reaches a trace",
            ),
        ),
    )
    yield from unordered_iteration(libraries)


def unordered_iteration(files):
    """Loops over what the same file, or its header, declares as an unordered container."""
    declared = re.compile(r"\bunordered_\w+\s*<.*>\s*[&*]?\s*(\w+)\s*(?:[;={(,)]|$)")
    loop = re.compile(r"\bfor\s*\(.*[^:]:\s*(?:\w+(?:\.|->))*(\w+)\s*\)")
    names = {}
    for source in files:
        for line in source.code:
            names.setdefault(unit_of(source), set()).update(declared.findall(line))
    for source in files:
        for number, line in enumerate(source.code, 1):
            looped = loop.findall(line) + re.findall(r"\b(\w+)\.c?begin\(\)", line)
            for name in set(looped) & names[unit_of(source)]:
                if not source.allows(number, "determinism"):
                    yield source.path, number, f"iterates over the unordered container {name}"


def unit_of(source):
    """A header and its .cc file are one unit: what the one declares, the other uses."""
    return source.room, source.path.split("/")[-1].rsplit(".", 1)[0]


def portability(files):
    """What g++ 12 or clang 14 cannot compile."""
    yield from grep(
        "portability",
        [f for f in files if f.is_code],
        (
            (r"\bstd::(format|print|println|vformat)\b|#\s*include\s*<(format|print)>", "use fmt"),
            (r"\bstd::(views|ranges::views)\b", "clang 14 cannot parse range views"),
            (r"\bstd::expected\b|#\s*include\s*<expected>", "g++ 12 has no std::expected in C++20"),
        ),
    )


BANNED_WORDS = ("util", "utils", "common", "manager", "helper", "helpers")


def words_of(identifier):
    """lease_engine, LeaseEngine and kLeaseEngine all become [lease, engine] (and k)."""
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", identifier)]


def names(files):
    """Files are snake_case; nothing is named after a drawer (util, common, manager, helper)."""
    for source in files:
        base = source.path.split("/")[-1]
        if source.is_code and not re.fullmatch(r"[a-z][a-z0-9_]*\.(cc|h)", base):
            yield source.path, 1, "file names are snake_case, .cc or .h"
        if any(word in BANNED_WORDS for word in words_of(base.split(".")[0])):
            yield source.path, 1, "a name that says nothing: " + base
        if not source.is_code:
            continue
        for number, line in enumerate(source.code, 1):
            if line.lstrip().startswith("#include"):
                continue
            own = re.sub(r"\b(std|boost|benchmark|testing)(::\w+)+", " ", line)
            for identifier in re.findall(r"\b[A-Za-z_]\w*", own):
                bad = [word for word in words_of(identifier) if word in BANNED_WORDS]
                if bad and not source.allows(number, "names"):
                    yield source.path, number, f"{identifier}: say what it is, not '{bad[0]}'"


def columns(files):
    """Lines of code and prose end by column 100.

    In Markdown, tables, long addresses and literal blocks (diagrams, what a program printed) are
    let through: they cannot be wrapped.
    """
    for source in files:
        if source.room == "scenarios" and not source.path.endswith((".yaml", ".txt", ".md")):
            continue
        is_kept = "/corpus/" in source.path or "/golden/" in source.path
        if is_kept or source.path.endswith(".json"):
            continue
        literal = False
        for number, line in enumerate(source.lines, 1):
            free = False
            if source.path.endswith(".md"):
                literal ^= line.startswith("```")
                free = literal or line.startswith(("|", "    ")) or "://" in line
            if len(line) > MAX_COLUMNS and not free and not source.allows(number, "columns"):
                yield source.path, number, f"{len(line)} columns, {MAX_COLUMNS} at most"
            if source.is_code and "\t" in line:
                yield source.path, number, "a tab"
            if line != line.rstrip() and not source.path.endswith(".md"):
                yield source.path, number, "blanks at the end of the line"


def file_length(files):
    for source in files:
        if source.is_code and len(source.lines) - 1 > MAX_FILE_LINES:
            yield source.path, 1, f"{len(source.lines) - 1} lines, {MAX_FILE_LINES} at most: split"


def function_length(files):
    for source in files:
        if not source.is_code:
            continue
        for first, last in function_bodies("\n".join(source.code)):
            length = last - first + 1
            if length > MAX_FUNCTION_LINES and not source.allows(first, "function_length"):
                what = f"{length} lines in one function, {MAX_FUNCTION_LINES} at most"
                yield source.path, first, what


def function_bodies(code):
    """(first line, last line) of each outermost brace pair that a parameter list precedes."""
    head_start = opened_line = 0
    function_depth = None
    braces = []  # where the head of each open brace started
    line = 1
    for position, character in enumerate(code):
        if character == "\n":
            line += 1
        elif character == "{":
            if function_depth is None and opens_function(code[head_start:position]):
                function_depth, opened_line = len(braces), line
            braces.append(head_start if is_initializer(code, position) else None)
            head_start = position + 1
        elif character == "}" and braces:
            # After an initializer the head goes on: `A::A() : x_{1}, y_(2) {`.
            resumed = braces.pop()
            head_start = position + 1 if resumed is None else resumed
            if function_depth == len(braces):
                function_depth = None
                yield opened_line, line
        elif character == ";":
            head_start = position + 1


def is_initializer(code, position):
    """Formatted code has no blank between a name and the braces of its initializer."""
    return position > 0 and re.match(r"[\w>]", code[position - 1]) is not None


def opens_function(head):
    head = re.sub(r"^\s*#.*$", " ", head, flags=re.MULTILINE)
    head = re.sub(r"\b(alignas|decltype|requires|__attribute__)\s*\([^()]*\)", " ", head)
    if re.search(r"\b(namespace|enum|concept)\b|\bextern\s*$", head):
        return False
    if re.search(r"\b(class|struct|union)\b", re.sub(r"<[^<>]*>|\([^()]*\)", " ", head)):
        return False
    return "(" in head and not re.search(r"(=\s*|[\w>])$", head)


def headers(files):
    """Every header opens with its purpose and guards itself with #pragma once."""
    for source in files:
        if not source.path.endswith(".h"):
            continue
        if not re.search(r"^#pragma once$", source.text, re.MULTILINE):
            yield source.path, 1, "no #pragma once"
        if source.part == "include":
            opening = "\n".join(source.lines[:12])
            if not re.search(r"^(//|/\*)", opening, re.MULTILINE):
                yield source.path, 1, "a public header opens with a comment that states its purpose"


def heavy_includes(files):
    """Libraries that cost seconds to parse are named in .cc files, never in a public header."""
    heavy = r"nlohmann|CLI|boost/(?:graph|asio|spirit|process)|spdlog|yaml-cpp|z3|hiredis|openssl"
    include = re.compile(rf'^\s*#\s*include\s*["<]({heavy})(?:[/.]|\+\+|_)')
    for source in files:
        if not source.path.endswith(".h") or source.part != "include":
            continue
        for number, line in enumerate(source.lines, 1):
            found = include.match(line)
            if found and not source.allows(number, "heavy_includes"):
                yield source.path, number, f"{found.group(1)} belongs into a .cc file"


def unfinished(files):
    """Marks of work left undone, and paths of one machine."""
    marks = "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"))
    yield from grep(
        "unfinished",
        files,
        (
            (rf"\b({marks})\b", "finish it or leave it out"),
            (r"not (yet )?implemented\b", "finish it or leave it out"),
            (r"(?<![\w.$}])/(home|root|mnt|work)/\w", "a path of one machine"),
        ),
        blanked=False,
    )


def tests(files):
    """A test that is switched off, or that cannot fail, is no test."""
    yield from grep(
        "tests",
        [f for f in files if f.is_code and f.room in ROOMS],
        (
            (r"\bTEST\w*\s*\([^,]*,\s*DISABLED_", "a disabled test"),
            (r"\bTEST\w*\s*\(\s*DISABLED_", "a disabled test suite"),
            (r"\b(EXPECT|ASSERT)_TRUE\(\s*true\s*\)", "cannot fail"),
            (r"\bRC_ASSERT\(\s*true\s*\)", "cannot fail"),
        ),
    )


def scenario_headers(files):
    """Every scenario opens with prose: what it shows and why."""
    for source in files:
        if source.room == "scenarios" and source.path.endswith((".yaml", ".yml")):
            if not re.match(r"#[ #=-]*\w+", source.text):
                yield source.path, 1, "a scenario opens with a comment that says what it shows"


ALL = {
    check.__name__: check
    for check in (
        layering,
        determinism,
        portability,
        names,
        columns,
        file_length,
        function_length,
        headers,
        heavy_includes,
        unfinished,
        tests,
        scenario_headers,
    )
}
