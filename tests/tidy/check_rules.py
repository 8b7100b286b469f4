"""Every rule that the tree cites (A-16, GB-3, C40) is explained in docs/policies."""

import os
import re

from tidy_common import CPP, files, line_of, main, read

POLICIES = "docs/policies"

_ID = r"(?:G[ABCDE]?|[A-E])-[0-9]+|C[0-9]{2}"
_CITED = re.compile(rf"(?<![\w-])(?:{_ID})(?![\w-])")
# Test names cannot hold a hyphen: GA_9_TheLargerWindowCounts.
_IN_TEST_NAME = re.compile(r"(?<![A-Za-z0-9])(G[ABCDE]?|[A-E])_([0-9]+)(?=_[A-Z])")
# A heading, a bold word, or the first cell of a table's row.
_EXPLAINED = re.compile(rf"(?m)^#+[ ]+({_ID})\b|\*\*({_ID})\*\*|^\|[ ]*({_ID})[ ]*\|")
_READ = CPP + (".yaml", ".json", ".md", ".py")
# Their ids are made up.
_OWN = ("tests/tidy/check_rules.py", "tests/tidy/test_rules.py")


def explained(root):
    """The ids that the pages explain, by the page and line of the first explanation."""
    result = {}
    for path in files(root, [POLICIES], (".md",)):
        text = read(root, path) or ""
        for match in _EXPLAINED.finditer(text):
            name = match[1] or match[2] or match[3]
            result.setdefault(name, []).append((path, line_of(text, match.start())))
    return result


def cited(path, text):
    """Yields (id, position) of what a file cites."""
    for match in _CITED.finditer(text):
        yield match[0], match.start()
    if path.startswith("tests/") and path.endswith(CPP):
        for match in _IN_TEST_NAME.finditer(text):
            yield f"{match[1]}-{match[2]}", match.start()


def check(root):
    known = explained(root)
    for name, places in sorted(known.items()):
        for path, line in places[1:]:
            yield path, line, f"{name} is explained already in {places[0][0]}:{places[0][1]}"
    for path in files(root, suffixes=_READ):
        if path.replace(os.sep, "/") in _OWN:
            continue
        text = read(root, path) or ""
        for name, position in cited(path, text):
            if name not in known:
                yield path, line_of(text, position), (
                    f"{name} is not explained in {POLICIES} (as a heading, in bold, or as the "
                    "first cell of a row)"
                )


if __name__ == "__main__":
    main(check)
