"""Calls and texts that must not be anywhere, or not in some directories."""

import re

from tidy_common import CPP, LIBRARIES, PURE, blank, files, line_of, main, read
from tidy_common import without_hash_comments

EVERYWHERE = PURE + ("scenario", "actors", "net", "sites", "app", "tests", "bench")

# Expression, directories, endings, what is wrong (what is allowed). Applied to C++ without its
# comments and literals.
CODE = [
    (r"_clock\s*::\s*now\b", PURE, CPP, "reads a clock (a decider takes the time as an argument)"),
    (r"\btime\s*\(\s*(?:nullptr|NULL|0\s*\)|&)", PURE, CPP,
     "reads a clock (a decider takes the time as an argument)"),
    (r"(?<![\w.>])s?rand\s*\(", PURE, CPP, "hidden randomness (use model/random.hpp)"),
    (r"\brandom_device\b", PURE, CPP, "random seeds (use model/random.hpp)"),
    (r"#\s*include\s*<random>", PURE, CPP,
     "<random> differs between standard libraries (use model/random.hpp and Boost.Random)"),
    (r"\bgetenv\b", PURE, CPP, "reads the environment (pass settings as arguments)"),
    (r"\bstd\s*::\s*hash\b", PURE, CPP,
     "std::hash differs between standard libraries (use ordered containers or an own hash)"),
    (r"\b(?:sleep_for|sleep_until|u?sleep|nanosleep)\s*\(", EVERYWHERE, CPP,
     "sleeps (use the run's clock and timers; tests step virtual time)"),
    (r"\bstd\s*::\s*cout\b|(?<!\w)(?:std\s*::\s*)?v?printf\s*\(|(?<!\w)puts\s*\("
     r"|\bfmt\s*::\s*print\s*\(\s*\"", LIBRARIES, CPP,
     "prints to stdout (only app/ prints; actors and net log with spdlog)"),
    (r"\busing\s+namespace\b", EVERYWHERE, (".hpp",),
     "using namespace in a header (qualify the names)"),
    (r"\baout\s*\(|\bcaf\s*::\s*aout\b", EVERYWHERE, CPP, "CAF's printer (log with spdlog)"),
    (r"\bCAF_MAIN\b", EVERYWHERE, CPP,
     "CAF's main reads an INI file from the working directory (app/ has its own main)"),
]

CMAKE = [
    (r"(?i)\bfile\s*\(\s*GLOB", "globbed sources (list them)"),
    (r"-ffast-math|-march=native", "results would differ between builds (neither flag is used)"),
]

TEXT = [
    (r"(?<![\w.~$}/-])/(?:work|root|home/[a-z]+)/", "a path of one machine (name it relatively)"),
    (r"\b(?:TO" r"DO|FIX" r"ME)\b", "unfinished (finish it, or file an issue)"),
]

_UNORDERED = re.compile(r"#\s*include\s*<unordered_(?:map|set)>")
_REASON = re.compile(r"//\s*order-free:\s*\S")


def _unordered(root):
    for path in files(root, PURE, CPP):
        text = read(root, path)
        for match in _UNORDERED.finditer(blank(text)):
            line = line_of(text, match.start())
            if not _REASON.search(text.splitlines()[line - 1]):
                yield path, line, (
                    "unordered containers make order depend on the library (use std::map or a"
                    " vector, or say on this line why order cannot show: // order-free: ...)"
                )


def _code(root):
    for expression, directories, suffixes, message in CODE:
        for path in files(root, directories, suffixes):
            text = blank(read(root, path))
            for match in re.finditer(expression, text):
                yield path, line_of(text, match.start()), message


def _cmake(root):
    for path in files(root, suffixes=(".cmake", "CMakeLists.txt", "CMakePresets.json")):
        text = without_hash_comments(read(root, path))
        for expression, message in CMAKE:
            for match in re.finditer(expression, text):
                yield path, line_of(text, match.start()), message


def _text(root):
    for path in files(root):
        text = read(root, path)
        for expression, message in TEXT if text else []:
            for match in re.finditer(expression, text):
                yield path, line_of(text, match.start()), f"{match[0]}: {message}"


def check(root):
    for rule in (_code, _unordered, _cmake, _text):
        yield from rule(root)


if __name__ == "__main__":
    main(check)
