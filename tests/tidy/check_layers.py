"""Who may include whom."""

import re

from tidy_common import CPP, PURE, blank, files, line_of, main, read

# A library, and what of it the include names.
LIBRARIES = {
    "CAF": r"caf/.*",
    "spdlog": r"spdlog/.*",
    "fmt": r"fmt/.*",
    "CLI11": r"CLI/.*",
    "libfyaml": r"libfyaml\.h",
    "valijson": r"valijson/.*",
    "absl": r"absl/.*",
    "nlohmann": r"nlohmann/.*",
    "Boost.Math, Random, Histogram": r"boost/(math|random|histogram)([./].*)?",
    "Boost": r"boost/.*",
    "pcg": r"pcg_random\.hpp",
    "SQLite": r"(SQLiteCpp/.*|sqlite3\.h)",
    "Protobuf": r"google/protobuf/.*",
    "ZeroMQ": r"zmq(_addon)?\.hp?p?",
    "POSIX": r"((sys|arpa|net|netinet)/)?[a-z_0-9]+\.h",
}

NUMBERS = {"Boost.Math, Random, Histogram", "pcg"}

# Directory: our directories it may include beside itself, and libraries beside the standard one.
ALLOWED = {
    "model": (set(), NUMBERS),
    "producers": ({"model"}, NUMBERS),
    "regions": ({"model"}, NUMBERS),
    "lb": ({"model"}, NUMBERS),
    "consumers": ({"model"}, NUMBERS),
    "report": ({"model"}, NUMBERS | {"nlohmann"}),
    "exports": ({"model", "report"}, NUMBERS | {"SQLite"}),
    "scenario": (set(PURE), NUMBERS | {"libfyaml", "nlohmann", "valijson", "absl"}),
    "actors": ({*PURE, "scenario"}, NUMBERS | {"CAF", "spdlog", "fmt", "POSIX"}),
    "sweeps": (
        {*PURE, "scenario", "actors"},
        NUMBERS | {"fmt", "nlohmann", "SQLite", "POSIX"},
    ),
    "net": (
        {*PURE, "scenario", "actors"},
        NUMBERS | {"CAF", "spdlog", "fmt", "nlohmann", "Boost", "Protobuf", "ZeroMQ", "POSIX"},
    ),
    "sites": (
        {*PURE, "scenario", "actors", "net"},
        NUMBERS | {"CAF", "spdlog", "fmt", "nlohmann", "POSIX"},
    ),
    "app": (
        {*PURE, "exports", "scenario", "actors", "sweeps", "net", "sites"},
        NUMBERS | {"CAF", "spdlog", "fmt", "CLI11", "nlohmann", "absl", "Boost", "POSIX"},
    ),
}

_INCLUDE = re.compile(r'(?m)^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]*)"|<([^>\n]*)>)')
_STANDARD = re.compile(r"[a-z_0-9]+")


def _library(name):
    return next((x for x, form in LIBRARIES.items() if re.fullmatch(form, name)), None)


def _ours(directory, name):
    """What is wrong with a quoted include, if anything."""
    others, _ = ALLOWED[directory]
    top, slash, _ = name.partition("/")
    known = ", ".join(f"{x}/" for x in sorted(others | {directory}))
    if not slash or top.startswith("."):
        return f'"{name}": our headers are named from the root of the project (allowed: {known})'
    if top != directory and top not in others:
        return f'{directory}/ must not include "{name}" (allowed: {known})'
    return None


def _theirs(directory, name):
    """What is wrong with an include in angle brackets, if anything."""
    if _STANDARD.fullmatch(name):
        return None
    _, libraries = ALLOWED[directory]
    if _library(name) in libraries:
        return None
    known = ", ".join(["the standard library", *sorted(libraries)])
    return f"{directory}/ must not include <{name}> (allowed: {known})"


def check(root):
    for directory in ALLOWED:
        for path in files(root, [directory], CPP):
            text = blank(read(root, path), keep_includes=True)
            for match in _INCLUDE.finditer(text):
                own, other = match.groups()
                problem = _theirs(directory, other) if own is None else _ours(directory, own)
                if problem:
                    yield path, line_of(text, match.start(0)), problem


if __name__ == "__main__":
    main(check)
