#!/usr/bin/env python3
"""Compares the five clocks of `spillover up`, in wall time, with those of `spillover run`.

Runs a scenario with the same seeds in both ways, and prints a table in Markdown: the mean of each clock
with its standard error, the difference, and the limit: 10 % or 0.3 s, whichever is larger. Exits with 1
when a difference is beyond its limit by more than its own standard error explains.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

CLOCKS = ("detect", "aggregate", "propagate", "route", "capacity")


def clocks_of(folder):
    failovers = json.loads((folder / "summary.json").read_text())["failovers"]
    if not failovers:
        return {}
    spans = {x: failovers[0]["clocks"][x]["ns"] for x in CLOCKS}
    return {x: y / 1e9 for x, y in spans.items() if y is not None}


def cut(scenario, duration, folder):
    """A copy of a scenario that ends earlier."""
    text, found = re.subn(r"(?m)^duration: .*$", f"duration: {duration}", scenario.read_text())
    if found != 1:
        sys.exit(f"{scenario}: no duration to change")
    copy = folder / scenario.name
    copy.write_text(text)
    return copy


def spoiled(out):
    flaws = json.loads((out / "summary.json").read_text())["imbalances"]
    return bool(flaws) and all("is spoiled" in x for x in flaws)


def run(program, words, out):
    done = subprocess.run([program, *words, "--out", str(out), "--quiet", "--no-report"],
                          capture_output=True, text=True, check=False)
    if done.returncode == 3 and spoiled(out):
        return None
    # An expectation that a shorter run cannot meet is no failure here.
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(words)} failed with {done.returncode}\n{done.stdout}{done.stderr}")
    return clocks_of(out)


def run_in_wall_time(options, words, out):
    """Once more, slower, when the machine was too busy for the clocks."""
    for speed in (options.speed, options.speed / 2, options.speed / 4):
        found = run(options.program, ["up", *words, "--speed", str(speed)], out)
        if found is not None:
            return found
        print(f"clocks were spoiled at speed {speed:g}", file=sys.stderr)
    print("SKIPPED: this machine is too busy for the clocks of a deployment")
    sys.exit(77)


def mean_and_error(values):
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return statistics.mean(values), error


def compare(virtual, wall):
    """Lines of the table, and the clocks that are too far apart."""
    lines, wrong = [], []
    for clock in CLOCKS:
        pairs = [(x[clock], y[clock]) for x, y in zip(virtual, wall) if clock in x and clock in y]
        if len(pairs) < len(virtual):
            only = [i for i, (x, y) in enumerate(zip(virtual, wall)) if (clock in x) != (clock in y)]
            if only:
                wrong.append(f"{clock} ends in one way only in runs {only}")
        if not pairs:
            continue
        a, a_error = mean_and_error([x for x, _ in pairs])
        b, b_error = mean_and_error([y for _, y in pairs])
        difference, error = mean_and_error([y - x for x, y in pairs])
        limit = max(0.3, 0.1 * a)
        slack = 0 if math.isnan(error) else error
        if abs(difference) - slack > limit:
            wrong.append(f"{clock}: {difference:+.3f} s, limit {limit:.3f} s")
        lines.append(f"| {clock} | {len(pairs)} | {a:.3f} ± {a_error:.3f} s | {b:.3f} ± {b_error:.3f} s "
                     f"| {difference:+.3f} ± {error:.3f} s | {limit:.3f} s |")
    return lines, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", type=pathlib.Path)
    parser.add_argument("--program", default="build/release/spillover")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--speed", type=float, default=20)
    parser.add_argument("--duration", help="end each run earlier, e.g. 8m")
    options = parser.parse_args()
    virtual, wall = [], []
    with tempfile.TemporaryDirectory(prefix="spillover-fidelity-") as folder:
        folder = pathlib.Path(folder)
        scenario = cut(options.scenario, options.duration, folder) if options.duration \
            else options.scenario
        for seed in range(1, options.runs + 1):
            words = [str(scenario), "--seed", str(seed)]
            virtual.append(run(options.program, ["run", *words], folder / "run"))
            wall.append(run_in_wall_time(options, words, folder / "up"))
            print(f"seed {seed}: run {virtual[-1]}\n        up {wall[-1]}", file=sys.stderr)
    lines, wrong = compare(virtual, wall)
    print(f"{options.scenario.name}, {options.runs} seeds, speed {options.speed:g}: "
          f"a real millisecond of transport is {options.speed:g} emulated ones.\n")
    print("| clock | runs | `run` | `up` | difference | limit |\n|---|---|---|---|---|---|")
    print("\n".join(lines))
    print("\n".join(f"\n{x}" for x in wrong))
    return 1 if wrong or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
