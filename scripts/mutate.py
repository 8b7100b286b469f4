#!/usr/bin/env python3
"""Changes the deciders one at a time and sees whether the tests notice.

tests/mutation/mutants.toml holds the changes, each with the reason why it matters. For each of them
this script applies it in a copy of the tree, builds the tests of the changed
directory, runs them, and takes it back. A change is

  caught        a test failed, aborted or did not end
  survived      all tests passed: a test is missing
  spared        as survived, but its record says why no test can notice

The table in docs/mutation.md is written by --write; what was not run keeps its row.

exit codes: 0 all caught or spared; 1 one survived, or a spared one was caught; 2 a record is wrong
(its text is not there exactly once, or does not compile); 3 the tests fail without any change.
"""

import argparse
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORDS = "tests/mutation/mutants.toml"
DOCUMENT = "docs/mutation.md"
WORK = "build/mutation/tree"
NOT_RUN = "not run yet"
BEGIN, END = "<!-- written by scripts/mutate.py -->", "<!-- end -->"

# The test binary of a directory, unless the record names others.
TESTS = {x: x for x in ("model", "producers", "regions", "lb", "consumers", "report", "actors", "scenario", "exports",
                        "sweeps")}
KEYS = {"name": str, "file": str, "old": str, "new": str, "why": str}
OPTIONAL = {"tests": list, "spared": str}
NOT_COPIED = {".git", "build", "runs"}

# A change may make a loop endless: then time or memory ends the test, and it counts as caught.
MEMORY = 4 << 30
LEAST_SECONDS = 60


class RecordError(Exception):
    """A record that cannot be used."""


def load(root, path=RECORDS):
    """The records, checked; each with its tests filled in."""
    with open(os.path.join(root, path), "rb") as file:
        records = tomllib.load(file).get("mutant", [])
    names, problems = set(), []
    for number, x in enumerate(records, 1):
        problems += [f"{x.get('name', f'number {number}')}: {y}" for y in problems_of(root, x, names)]
        names.add(x.get("name"))
    if problems:
        raise RecordError("\n".join(problems))
    for x in records:
        x.setdefault("tests", [TESTS.get(x["file"].split("/")[0], "")])
    return records


def problems_of(root, x, names):
    """Yields what is wrong with one record."""
    for key, kind in KEYS.items():
        if not isinstance(x.get(key), kind) or (key != "new" and not x[key].strip()):
            yield f"needs {key}"
            return
    for key in x.keys() - KEYS.keys() - OPTIONAL.keys():
        yield f"unknown key {key}"
    if x["name"] in names:
        yield "there is another one of this name"
    if x["old"] == x["new"]:
        yield "changes nothing"
    if "tests" not in x and x["file"].split("/")[0] not in TESTS:
        yield "needs tests, because its directory has none of its own"
    path = os.path.join(root, x["file"])
    if not os.path.isfile(path):
        yield f"{x['file']} does not exist"
        return
    with open(path, encoding="utf-8") as file:
        count = file.read().count(x["old"])
    if count != 1:
        yield f"its old text is {count} times in {x['file']} (stale, or not unique)"


def update_copy(source, target):
    """Makes target hold the files of source; a file that is the same keeps its time."""
    wanted = set()
    for folder, names, leaves in os.walk(source):
        names[:] = [x for x in names if x not in NOT_COPIED]
        for leaf in leaves:
            path = os.path.relpath(os.path.join(folder, leaf), source)
            wanted.add(path)
            copy_file(os.path.join(source, path), os.path.join(target, path))
    for folder, names, leaves in os.walk(target):
        names[:] = [x for x in names if x not in NOT_COPIED]
        for leaf in leaves:
            path = os.path.join(folder, leaf)
            if os.path.relpath(path, target) not in wanted:
                os.remove(path)


def copy_file(source, target):
    with open(source, "rb") as file:
        content = file.read()
    if os.path.exists(target):
        with open(target, "rb") as file:
            if file.read() == content:
                return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as file:
        file.write(content)
    shutil.copymode(source, target)


def failures(output):
    """The names of the tests that a GoogleTest binary's output says failed; a test that began and
    did not end is the last of them."""
    failed = re.findall(r"(?m)^\[  FAILED  \] (\w+\.\w+) \(", output)
    begun = re.findall(r"(?m)^\[ RUN      \] (\w+\.\w+)", output)
    ended = re.findall(r"(?m)^\[ +(?:OK|FAILED|SKIPPED) +\] (\w+\.\w+) \(", output)
    if begun and begun[-1] not in ended:
        failed.append(begun[-1])
    return failed


def run_in(tree, command, folder=None):
    """Runs what compiles a tree, from a folder of it if one is named, with its output in stdout."""
    # pcg's headers tell the time, which else would keep the compiler cache from knowing anything.
    cache = {"BASEDIR": tree, "NOHASHDIR": "1", "SLOPPINESS": "time_macros"}
    environment = {**os.environ, **{f"CCACHE_{x}": y for x, y in cache.items()}}
    return subprocess.run(
        command,
        cwd=folder or tree,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def run_bounded(command, folder, limit, environment=None):
    """Runs what a change may keep from ending.

    @returns its exit code, None when it did not end within limit seconds, and its output
    """
    try:
        result = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
            check=False,
        )
        code, output = result.returncode, result.stdout
    except subprocess.TimeoutExpired as error:
        code, output = None, error.stdout or b""
    return code, output.decode("utf-8", "replace")


class Workshop:
    """A copy of the tree, built and tested."""

    def __init__(self, folder, jobs):
        self.tree, self.jobs = folder, jobs
        self.build_folder = os.path.join(folder, "build", "release")
        self.seconds = {}

    def prepare(self):
        update_copy(ROOT, self.tree)
        if not os.path.exists(os.path.join(self.build_folder, "build.ninja")):
            # A variable that a change leaves without use must not end its trial.
            self._run(["cmake", "--preset", "release", "-DSPILLOVER_TESTS=ON", "-DSPILLOVER_WERROR=OFF"])

    def build(self, tests):
        """@returns the compiler's output when it failed, else None."""
        targets = [f"test_{x}" for x in tests]
        result = self._run(
            ["cmake", "--build", self.build_folder, "--parallel", str(self.jobs), "--target", *targets]
        )
        return result.stdout if result.returncode else None

    def check_unchanged(self, tests):
        """Builds and runs the tests without any change, which tells how long they take."""
        output = self.build(sorted(tests))
        if output is not None:
            sys.exit(fail(3, output + "the tree does not build"))
        for test in sorted(tests):
            start = time.monotonic()
            failed = self.run(test, 1200)
            self.seconds[test] = time.monotonic() - start
            if failed:
                sys.exit(fail(3, f"test_{test} fails without any change: {', '.join(failed)}"))

    def try_out(self, x):
        """@returns the tests that notice the change."""
        path = os.path.join(self.tree, x["file"])
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(x["old"], x["new"]))
        try:
            output = self.build(x["tests"])
            if output is not None:
                errors = [y for y in output.splitlines() if "error" in y][:3]
                raise RecordError(f"{x['name']}: does not compile\n" + "\n".join(errors))
            found = []
            for test in x["tests"]:
                found += self.run(test, LEAST_SECONDS + 5 * self.seconds[test])
            return found
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def run(self, test, limit):
        """@returns the names of the tests that failed, at least one when the binary did."""
        found = [
            os.path.join(self.build_folder, "tests", x, f"test_{test}")
            for x in os.listdir(os.path.join(self.build_folder, "tests"))
        ]
        program = next(x for x in found if os.path.exists(x))
        # Property tests draw the same cases each time, so that what is caught stays caught.
        environment = {"RC_PARAMS": "seed=1", **os.environ}
        code, output = run_bounded([program], self.tree, limit, environment)
        failed = failures(output)
        return failed if failed or code == 0 else [f"test_{test}"]

    def _run(self, command):
        return run_in(self.tree, command)


def verdict_of(x, found):
    """What a row of the table says."""
    if found:
        more = len(set(found)) - 1
        return f"`{found[0]}`" + (f" and {more} more" if more else "")
    return f"spared: {x['spared']}" if "spared" in x else "**survived**"


def read_rows(root):
    """The rows of the table, by name."""
    with open(os.path.join(root, DOCUMENT), encoding="utf-8") as file:
        table = file.read().partition(BEGIN)[2].partition(END)[0]
    return dict(re.findall(r"(?m)^\| `([^`]+)` \|.*\| (.*?) \|$", table))


def write_rows(root, records, verdicts):
    """Writes the table; of what has no verdict here the row stays."""
    rows = {**read_rows(root), **verdicts}
    lines = ["| change | file | why it matters | caught by |", "|---|---|---|---|"]
    for x in records:
        said = rows.get(x["name"], NOT_RUN)
        lines.append(f"| `{x['name']}` | `{x['file']}` | {x['why']} | {said} |")
    path = os.path.join(root, DOCUMENT)
    with open(path, encoding="utf-8") as file:
        before, _, rest = file.read().partition(BEGIN)
    text = before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.partition(END)[2]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def check_table(root, records):
    """Yields where the table does not fit the records."""
    rows = read_rows(root)
    for x in records:
        said = rows.pop(x["name"], None)
        if said is None:
            yield f"{x['name']}: has no row (run this script with --only {x['name']} --write)"
        elif said == NOT_RUN:
            continue
        elif "survived" in said:
            yield f"{x['name']}: survives, and its record does not say why"
        elif said.startswith("spared") != ("spared" in x):
            yield f"{x['name']}: the table and its record disagree on whether it is spared"
    for name in rows:
        yield f"{name}: has a row and no record"


def fail(code, text):
    print(text, file=sys.stderr)
    return code


def choose(records, options):
    """The records to try, those of one file together."""
    if options.only:
        unknown = set(options.only) - {x["name"] for x in records}
        if unknown:
            raise RecordError(f"there is no change named {', '.join(sorted(unknown))}")
        records = [x for x in records if x["name"] in options.only]
    if options.sample is not None:
        # Only what is cheap to build: one source, whose tests do not need CAF.
        cheap = [x for x in records if x["file"].endswith(".cpp") and x["tests"][0] in TESTS]
        cheap = [x for x in cheap if x["tests"] != ["actors"]]
        records = random.Random(options.seed).sample(cheap, min(options.sample, len(cheap)))
    return sorted(records, key=lambda x: x["file"])


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="print the changes, try none")
    parser.add_argument("--check", action="store_true", help="check records and table, try none")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these changes")
    parser.add_argument("--sample", type=int, metavar="N", help="N of them that are cheap to build")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at a time")
    parser.add_argument("--work", default=WORK, help=f"folder of the copy ({WORK})")
    parser.add_argument("--write", action="store_true", help=f"put the results into {DOCUMENT}")
    return parser.parse_args()


def main():
    options = parse()
    records = load(ROOT)
    if options.check:
        problems = list(check_table(ROOT, records))
        return fail(1, "\n".join(problems)) if problems else 0
    chosen = choose(records, options)
    if options.list:
        for x in chosen:
            print(f"{x['name']:40} {x['file']}: {x['why']}")
        return 0
    shop = Workshop(os.path.join(ROOT, options.work), options.jobs)
    shop.prepare()
    shop.check_unchanged({y for x in chosen for y in x["tests"]})
    code = 0
    for x in chosen:
        try:
            found = shop.try_out(x)
        except RecordError as error:
            print(error, flush=True)
            code = 2
            continue
        said = verdict_of(x, found)
        print(f"{x['name']:40} {said}", flush=True)
        if bool(found) == ("spared" in x):
            code = max(code, 1)
        if options.write:
            write_rows(ROOT, records, {x["name"]: said})
    print(f"{len(chosen)} changes tried")
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RecordError as error:
        sys.exit(fail(2, str(error)))
