#!/usr/bin/env python3
"""Changes the deciders of policy knative_kpa one at a time and sees whether the vectors notice.

tests/oracle/mutants.toml holds the changes, one rule each. For each of them this script compiles the
changed source beside the release build, links kpa_oracle with it, and replays the vectors. No
source and no file of the build is altered. A change is

  caught        kpa_oracle found a difference, aborted or did not end
  survived      everything agreed: a vector is missing

exit codes: 0 all caught; 1 one survived; 2 a record is wrong (its text is not there exactly once, or
does not compile); 3 the build or the vectors fail without any change.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))

import mutate

RECORDS = "tests/oracle/mutants.toml"
SOURCES = "producers/autoscaling/kpa/"
VECTORS = "tests/oracle/kpa"
BUILD = "build/release"
WORK = "build/mutation/kpa"
PROGRAM = "kpa_oracle"
LIMIT_SECONDS = 60

# What names an output, each with its value; and what would end a trial for a variable without use.
WITH_VALUE = {"-o", "-c", "-MF", "-MT", "-MQ"}
DROPPED = {"-MD", "-MMD", "-Werror"}


def load(root):
    """The records, checked as those of scripts/mutate.py are, and for what only these need."""
    records = mutate.load(root, RECORDS)
    problems = [f"{x['name']}: {y}" for x in records for y in problems_of(x)]
    if problems:
        raise mutate.RecordError("\n".join(problems))
    return records


def problems_of(x):
    """Yields what is wrong with one record beyond what mutate.problems_of says."""
    if not re.fullmatch(r"[a-z0-9-]+", x["name"]):
        yield "its name is to be lower case words with hyphens"
    if not x["file"].startswith(SOURCES) or not x["file"].endswith(".cpp"):
        yield f"is not about a source in {SOURCES}"
    if not re.match(r"C-\d+: ", x["why"]):
        yield "its reason does not begin with a rule"
    if "spared" in x:
        yield "is spared: what no vector can notice is no record here"


def compile_command(command, source, target):
    """The arguments that compile another source as a recorded command compiles its own."""
    result, words = [], iter(shlex.split(command))
    for word in words:
        if word in WITH_VALUE:
            next(words)
        elif word not in DROPPED:
            result.append(word)
    return [*result, "-o", target, "-c", source]


def link_command(line, extra, target):
    """The arguments that link another program as Ninja's line does, an object file first.

    The object defines all that its unchanged twin in the library does, so that the linker takes
    nothing from there.
    """
    words = [x for x in shlex.split(line) if x not in (":", "&&")]
    words[words.index("-o") + 1] = target
    first = next(i for i, x in enumerate(words) if x.endswith(".o"))
    return [*words[:first], extra, *words[first:]]


def verdict_of(code, output):
    """Who noticed, of what one run of kpa_oracle ended with and said; "" when nobody did."""
    if code == 0:
        return ""
    found = re.findall(r"(?m)^(\w+) +\d+ compared, ([1-9]\d*) mismatches$", output)
    if code == 1 and found:
        return ", ".join(f"{kind} {count}" for kind, count in found)
    return "did not end" if code is None else f"ended with {code}"


class Bench:
    """Replays vectors through the release build with one source replaced."""

    def __init__(self, root, vectors):
        self.root, self.vectors = root, os.path.abspath(vectors)
        self.build = os.path.join(root, BUILD)
        self.compile, self.link = {}, ""

    def prepare(self, jobs):
        """Builds what is not changed, with so many compilers.

        @returns what keeps it from agreeing with the vectors, None when it does
        """
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            mutate.run_in(self.root, ["cmake", "--preset", os.path.basename(BUILD)])
        built = mutate.run_in(self.root, ["cmake", "--build", self.build, "-j", str(jobs), "--target", PROGRAM])
        if built.returncode:
            return built.stdout + "the tree does not build"
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            self.compile = {os.path.relpath(x["file"], self.root): x["command"] for x in json.load(file)}
        lines = mutate.run_in(self.root, ["ninja", "-C", self.build, "-t", "commands", PROGRAM])
        self.link = lines.stdout.strip().splitlines()[-1]
        code, output = self.replay(os.path.join(self.build, PROGRAM))
        return None if code == 0 else f"{output}the vectors fail without any change"

    def replay(self, program):
        return mutate.run_bounded([program, self.vectors], self.root, LIMIT_SECONDS)

    def try_out(self, x):
        """@returns who noticed the change, "" when nobody did."""
        with open(os.path.join(self.root, x["file"]), encoding="utf-8") as file:
            text = file.read()
        # The same path each time, so that the compiler cache knows it.
        folder = os.path.join(self.root, WORK, x["name"])
        source = os.path.join(folder, os.path.basename(x["file"]))
        program = os.path.join(folder, PROGRAM)
        os.makedirs(folder, exist_ok=True)
        try:
            with open(source, "w", encoding="utf-8") as file:
                file.write(text.replace(x["old"], x["new"]))
            self._make(x, compile_command(self.compile[x["file"]], source, source + ".o"))
            self._make(x, link_command(self.link, source + ".o", program))
            return verdict_of(*self.replay(program))
        finally:
            shutil.rmtree(folder)

    def _make(self, x, command):
        result = mutate.run_in(self.root, command, self.build)
        if result.returncode:
            errors = [y for y in result.stdout.splitlines() if "error" in y][:3]
            raise mutate.RecordError(f"{x['name']}: does not compile\n" + "\n".join(errors))


def tried(bench, x):
    """One change with what came of it, in a process of its own."""
    try:
        found = bench.try_out(x)
    except mutate.RecordError as error:
        return 2, str(error)
    said = f"caught: {found}" if found else "**survived**"
    return (0 if found else 1), f"{x['name']:40} {said}"


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="print the changes, try none")
    parser.add_argument("--check", action="store_true", help="check the records, try none")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these changes")
    parser.add_argument("--sample", type=int, metavar="N", help="N of them")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="changes at a time")
    parser.add_argument(
        "--vectors", default=os.path.join(ROOT, VECTORS), metavar="DIR", help=f"what to replay ({VECTORS})"
    )
    return parser.parse_args()


def main():
    options = parse()
    chosen = mutate.choose(load(ROOT), options)
    if options.check:
        return 0
    if options.list:
        for x in chosen:
            print(f"{x['name']:40} {x['file']}: {x['why']}")
        return 0
    bench = Bench(ROOT, options.vectors)
    problem = bench.prepare(options.jobs)
    if problem:
        return mutate.fail(3, problem)
    codes = []
    with concurrent.futures.ProcessPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        for code, said in pool.map(tried, [bench] * len(chosen), chosen):
            codes.append(code)
            print(said, flush=True)
    print(f"{len(chosen)} changes tried, {codes.count(0)} caught")
    return max(codes, default=0)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except mutate.RecordError as error:
        sys.exit(mutate.fail(2, str(error)))
