#!/usr/bin/env python3
"""Checks that JUnit files are what CI systems can read: `check_junit.py FOLDER`.

Parses each *.xml of the folder, and compares it with the subset of JUnit's schema that Jenkins, GitLab
and GitHub's reporters have in common.
"""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path

# Of each element: attributes it must have, attributes it may have, and the elements in it.
SCHEMA = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, set(), {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time"},
        set(),
        {"properties", "testcase"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": ({"name", "classname", "time"}, set(), {"failure", "error"}),
    "failure": ({"message", "type"}, set(), set()),
    "error": ({"message", "type"}, set(), set()),
}
NUMBERS = {"tests": int, "failures": int, "errors": int, "skipped": int, "time": float}
PROPERTIES = {"scenario", "seed", "version"}


def check_element(element, say):
    if element.tag not in SCHEMA:
        return say(f"<{element.tag}> is no element of JUnit")
    needed, allowed, children = SCHEMA[element.tag]
    for name in needed - set(element.keys()):
        say(f"<{element.tag}> lacks the attribute {name}")
    for name in set(element.keys()) - needed - allowed:
        say(f"<{element.tag}> has the attribute {name}")
    for name, number in NUMBERS.items():
        value = element.get(name)
        try:
            if value is not None and number(value) < 0:
                say(f"<{element.tag}> has {name}={value}, below 0")
        except ValueError:
            say(f"<{element.tag}> has {name}={value}, no number")
    for child in element:
        if child.tag not in children:
            say(f"<{child.tag}> stands in <{element.tag}>")
        check_element(child, say)


def check_counts(suite, say):
    cases = suite.findall("testcase")
    for name, found in (
        ("tests", len(cases)),
        ("failures", len(suite.findall("testcase/failure"))),
        ("errors", len(suite.findall("testcase/error"))),
    ):
        if suite.get(name) != str(found):
            say(f"{name} is {suite.get(name)}, but there are {found}")
    if any(len(case) > 1 for case in cases):
        say("a test case both failed and erred")
    missing = PROPERTIES - {x.get("name") for x in suite.findall("properties/property")}
    if missing:
        say(f"the properties lack {sorted(missing)}")


def problems(path):
    found = []
    try:
        root = xml.fromstring(path.read_bytes())
    except xml.ParseError as error:
        return [f"is no XML: {error}"]
    if root.tag != "testsuites":
        found.append(f"begins with <{root.tag}>")
    check_element(root, found.append)
    for suite in root.iter("testsuite"):
        check_counts(suite, found.append)
    return found


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    files = sorted(Path(arguments[0]).glob("*.xml"))
    failed = not files
    if failed:
        print(f"{arguments[0]}: there are no JUnit files", file=sys.stderr)
    for path in files:
        for problem in problems(path):
            print(f"{path.name}: {problem}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
