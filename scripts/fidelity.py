#!/usr/bin/env python3
"""Compares the five clocks of `spillover up`, in wall time, with those of `spillover run`.

Runs a scenario with the same seeds in both ways, and prints a table in Markdown: the mean of each clock
with its standard error, the difference, and the limit: 10 % or 0.3 s, whichever is larger. Exits with 1
when a difference is beyond its limit by more than its own standard error explains, at half the speed and at a
quarter of it, too; with 77 when this machine is too busy for the clocks.
"""

import argparse
import json
import math
import pathlib
import re
import shutil
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
    try:
        flaws = json.loads((out / "summary.json").read_text())["imbalances"]
    except FileNotFoundError:
        return False
    return bool(flaws) and all("is spoiled" in x for x in flaws)


def run(program, words, out):
    """The clocks of a run, or None when the machine was too busy for them."""
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([program, *words, "--out", str(out), "--quiet", "--no-report"],
                          capture_output=True, text=True, check=False)
    if done.returncode == 3 and spoiled(out):
        return None
    # An expectation that a shorter run cannot meet is no failure here.
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(words)} failed with {done.returncode}\n{done.stdout}{done.stderr}")
    return clocks_of(out)


def run_in_wall_time(program, words, speed, out):
    """Once more, slower, when the machine was too busy for the clocks."""
    for slower in (speed, speed / 2, speed / 4, speed / 8):
        found = run(program, ["up", *words, "--speed", str(slower)], out)
        if found is not None:
            return found
        print(f"clocks were spoiled at speed {slower:g}", file=sys.stderr)
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
    with tempfile.TemporaryDirectory(prefix="spillover-fidelity-") as folder:
        folder = pathlib.Path(folder)
        scenario = cut(options.scenario, options.duration, folder) if options.duration \
            else options.scenario
        runs = [[str(scenario), "--seed", str(seed)] for seed in range(1, options.runs + 1)]
        virtual = [run(options.program, ["run", *words], folder / "run") for words in runs]
        # What a busy machine adds to a clock shrinks with the speed; what is wrong with it stays.
        for speed in (options.speed, options.speed / 2, options.speed / 4):
            wall = [run_in_wall_time(options.program, words, speed, folder / "up") for words in runs]
            for seed, (there, here) in enumerate(zip(virtual, wall), 1):
                print(f"seed {seed}: run {there}\n        up {here}", file=sys.stderr)
            lines, wrong = compare(virtual, wall)
            if not wrong:
                break
            print(f"at speed {speed:g}: {'; '.join(wrong)}", file=sys.stderr)
    print(f"{options.scenario.name}, {options.runs} seeds, speed {speed:g}: "
          f"a real millisecond of transport is {speed:g} emulated ones.\n")
    print("| clock | runs | `run` | `up` | difference | limit |\n|---|---|---|---|---|---|")
    print("\n".join(lines))
    print("\n".join(f"\n{x}" for x in wrong))
    return 1 if wrong or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
