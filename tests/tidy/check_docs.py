"""Relative links of Markdown files lead somewhere; files the architecture names exist."""

import os
import re
from urllib.parse import unquote

from tidy_common import files, line_of, main, read

ARCHITECTURE = "docs/architecture.md"

_FENCE = re.compile(r"(?ms)^[ \t]*(```+|~~~+).*?^[ \t]*\1[ \t]*$")
_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|(?m:^\[[^\]]+\]:\s*<?([^\s>]+)>?)")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|#", re.IGNORECASE)
_PATH = re.compile(r"(?:\.?[\w-][\w.-]*/)+(?:[\w.-]+)?|[\w-]+\.(?:md|txt|json|yaml|yml|hpp|cpp|sh)")
# Made by builds and runs: not there in a fresh tree.
_MADE = ("build/", "runs/")


def _spaces(match):
    return re.sub(r"[^\n]", " ", match[0])


def _links(root, path, text):
    text = _SPAN.sub(_spaces, text)
    for match in _LINK.finditer(text):
        target = match[1] or match[2]
        if _ELSEWHERE.match(target):
            continue
        name = unquote(target.split("#")[0])
        base = root if name.startswith("/") else os.path.join(root, os.path.dirname(path))
        if not os.path.exists(os.path.join(base, name.lstrip("/"))):
            yield path, line_of(text, match.start()), (
                f"the link to {target} leads nowhere (links are relative to the file)"
            )


def _named(root, text):
    for match in _SPAN.finditer(text):
        name = match[1]
        if not _PATH.fullmatch(name) or name.startswith(_MADE):
            continue
        if not os.path.exists(os.path.join(root, name)):
            yield ARCHITECTURE, line_of(text, match.start()), (
                f"{name} does not exist (files are named from the root of the project)"
            )


def check(root):
    if not os.path.exists(os.path.join(root, ARCHITECTURE)):
        yield ARCHITECTURE, 1, "is missing (it says what is where and why)"
    for path in files(root, suffixes=(".md",)):
        text = _FENCE.sub(_spaces, read(root, path) or "")
        yield from _links(root, path, text)
        if path == ARCHITECTURE:
            yield from _named(root, text)


if __name__ == "__main__":
    main(check)
