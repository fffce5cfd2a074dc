"""The files of the repository, and C++ text with comments and literals blanked out."""

import os
import re

CODE = (".cc", ".h")
ROOMS = ("engine", "sim", "checker", "reports")
TOP = ROOMS + ("scenarios", "cmake", ".ci")


class SourceFile:
    """One text file: its path relative to the root, and its lines."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.lines = text.split("\n")
        self._code = None

    @property
    def room(self):
        return self.path.split("/")[0]

    @property
    def part(self):
        """include, src, test, bench, fuzz or tools of a room; empty elsewhere."""
        pieces = self.path.split("/")
        return pieces[1] if len(pieces) > 2 else ""

    @property
    def is_code(self):
        return self.path.endswith(CODE)

    @property
    def code(self):
        """The lines with comments, string and character literals replaced by spaces."""
        if self._code is None:
            self._code = blank_literals(self.text).split("\n")
        return self._code

    def allows(self, number, check):
        """True when the line, or the one above, says `tidy: allow CHECK, because ...`."""
        for index in (number - 1, number - 2):
            if 0 <= index < len(self.lines):
                found = re.search(r"tidy: allow ([\w-]+), because \w+", self.lines[index])
                if found and found.group(1) == check:
                    return True
        return False


# Raw strings first: they may hold quotes and comment marks. Digit separators are no literals.
LITERAL = re.compile(
    r'R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"'
    r"|//[^\n]*"
    r"|/\*.*?\*/"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


def blank_literals(text):
    def blank(match):
        piece = match.group(0)
        # An include keeps its path: layering reads it.
        start = text.rfind("\n", 0, match.start()) + 1
        if text[start : match.start()].lstrip().startswith("#include"):
            return piece
        return re.sub(r"[^\n]", " ", piece)

    return LITERAL.sub(blank, text)


def read_tree(root):
    """Every text file under the top-level directories, and the files of the root itself."""
    files = []
    for name in sorted(os.listdir(root)):
        if name != ".git" and os.path.isfile(os.path.join(root, name)):
            add_file(files, root, name)
    for top in TOP:
        for directory, directories, names in os.walk(os.path.join(root, top)):
            directories[:] = sorted(d for d in directories if d not in ("build", "__pycache__"))
            for name in sorted(names):
                add_file(files, root, os.path.relpath(os.path.join(directory, name), root))
    return files


def add_file(files, root, path):
    try:
        with open(os.path.join(root, path), encoding="utf-8") as stream:
            files.append(SourceFile(path.replace(os.sep, "/"), stream.read()))
    except UnicodeDecodeError:
        pass  # corpora and other data
