"""What the checks share: finding files, blanking comments and strings, reporting."""

import os
import re
import sys

sys.dont_write_bytecode = True

PURE = ("model", "producers", "regions", "lb", "consumers", "report")
LIBRARIES = PURE + ("exports", "scenario", "actors", "sweeps", "net", "sites")
CPP = (".hpp", ".cpp")

_SKIPPED = re.compile(r"build.*|runs|node_modules|__pycache__|\.(?!ci$|github$).+")

_TOKEN = re.compile(
    r"""
      //(?:\\\n|[^\n])*                                       # comment to the end of the line
    | /\*.*?\*/                                               # comment in between
    | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)")
    | (?P<string>"(?:\\.|[^"\\\n])*")
    | (?P<number>\b[0-9][0-9a-zA-Z_.']*)                      # 1'000 is no character
    | (?P<char>'(?:\\.|[^'\\\n])*')
    """,
    re.VERBOSE | re.DOTALL,
)


def files(root, directories=None, suffixes=None):
    """Yields the paths of files, relative to root, sorted, without build trees and the like."""
    found = []
    for top in directories if directories is not None else ["."]:
        for folder, names, leaves in os.walk(os.path.join(root, top)):
            names[:] = sorted(x for x in names if not _SKIPPED.fullmatch(x))
            for leaf in leaves:
                if suffixes is None or leaf.endswith(tuple(suffixes)):
                    found.append(os.path.relpath(os.path.join(folder, leaf), root))
    return sorted(found)


def read(root, path):
    """The text of a file, or None when it is no text."""
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read()
    except (UnicodeDecodeError, FileNotFoundError):
        return None


def blank(text, keep_includes=False):
    """Replaces comments and the contents of literals by spaces; every line keeps its number."""

    def replace(match):
        if match["number"]:
            return match[0]
        if keep_includes and match["string"]:
            start = text.rfind("\n", 0, match.start()) + 1
            if re.fullmatch(r"\s*#\s*include\s*", text[start : match.start()]):
                return match[0]
        spaces = re.sub(r"[^\n]", " ", match[0])
        if match["raw"] or match["string"]:
            return '"' + spaces[1:-1] + '"'
        if match["char"]:
            return "'" + spaces[1:-1] + "'"
        return spaces

    return _TOKEN.sub(replace, text)


def without_hash_comments(text):
    """The same for the comments of CMake and shell files."""
    return re.sub(r"(?m)(^|\s)#[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def main(check):
    """Runs check(root) for the root named on the command line; exits 1 when it finds anything."""
    problems = list(check(sys.argv[1] if len(sys.argv) > 1 else "."))
    for path, line, message in problems:
        print(f"{path}:{line}: {message}")
    if problems:
        print(f"{len(problems)} found")
    sys.exit(1 if problems else 0)
