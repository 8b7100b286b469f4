#!/usr/bin/env python3
"""How fast a sweep is beside plain runs, and whether its memory stays flat.

    rate      runs a second of `sweep --jobs 2` over those of two loops of plain `run --no-report` side by side,
              which do the same runs; in turns, block by block, so that a machine that changes its speed does
              so for both. Wanted: 0.95.
    overhead  what share of the time of a sweep's processes goes into anything but runs. Wanted: 5 %.
    memory    resident memory of the sweep's processes, late in a sweep over early in it.

usage: bench/sweep.py [--build DIR] [--scenario FILE] [--seeds N] [--settings 1|3|9] [--blocks N] [--least RATE]

Exits with 1 when the rate is below --least, the overhead above 25 %, or memory grew by a quarter: limits that a
busy machine keeps. With two processors of its own the figures above can be judged.
"""

import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

MINIMUM = "producers.checkout.overrides.us-west1.web.autoscaling.min_instances"
LENGTH = "faults.0.for"
JOBS = 2


def grid(settings):
    """The --vary options, and for each setting in its order the --set options of `run`."""
    minima = ["2", "4", "8"][: 3 if settings > 1 else 1]
    lengths = ["2m", "4m", "6m"] if settings == 9 else ["6m"]
    vary = ["--vary", f"{MINIMUM}={','.join(minima)}", "--vary", f"{LENGTH}={','.join(lengths)}"]
    return vary, [["--set", f"{MINIMUM}={x}", "--set", f"{LENGTH}={y}"] for x in minima for y in lengths]


def children_of(process):
    try:
        text = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [int(x) for x in text.split()]


def resident_mb(process):
    try:
        for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0


class Bench:
    def __init__(self, options, folder):
        self.program = str(options.build / "spillover")
        self.scenario, self.folder = str(options.scenario), folder
        self.vary, self.sets = grid(options.settings)
        self.sweep_seconds = self.plain_seconds = self.run_seconds = 0
        self.runs = 0
        self.memory = []  # of one process, in the order of time, by block

    def sweep(self, seeds):
        """Does a block by `sweep`."""
        out = self.folder / f"{seeds[0]}.sqlite"
        begin = time.monotonic()
        process = subprocess.Popen(
            [self.program, "sweep", self.scenario, *self.vary, "--seeds", f"{seeds[0]}..{seeds[-1]}",
             "--jobs", str(JOBS), "--out", str(out), "--quiet"])
        seen = []
        while process.poll() is None:
            seen.append(max([resident_mb(x) for x in children_of(process.pid)], default=0))
            time.sleep(0.05)
        self.sweep_seconds += time.monotonic() - begin
        if process.returncode > 1:
            sys.exit(f"the sweep ended with {process.returncode}")
        with sqlite3.connect(out) as db:
            runs, took = db.execute("SELECT count(*), sum(took_ns) FROM runs").fetchone()
        self.runs += runs
        self.run_seconds += took / 1e9 / JOBS
        self.memory.append([x for x in seen if x > 0])

    def plain(self, seeds):
        """Does the same block by `run`, in two loops."""
        todo = [(seed, changes) for seed in seeds for changes in self.sets]
        failed = []

        def loop(number):
            for seed, changes in todo[number::JOBS]:
                code = subprocess.run(
                    [self.program, "run", self.scenario, *changes, "--seed", str(seed), "--no-report", "--quiet",
                     "--out", str(self.folder / f"plain-{number}")], check=False).returncode
                if code > 1:
                    failed.append(code)

        begin = time.monotonic()
        threads = [threading.Thread(target=loop, args=(i,)) for i in range(JOBS)]
        for x in threads:
            x.start()
        for x in threads:
            x.join()
        self.plain_seconds += time.monotonic() - begin
        if failed:
            sys.exit(f"runs ended with {failed}")


def growth(memory):
    """Of the longest block: the median of its last fifth over that of its second one."""
    samples = max(memory, key=len)
    fifth = max(1, len(samples) // 5)
    early, late = sorted(samples[fifth: 2 * fifth]), sorted(samples[-fifth:])
    if not early or not late:
        sys.exit("too few samples of memory; give more --seeds")
    return late[len(late) // 2] / early[len(early) // 2], late[len(late) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--build", type=pathlib.Path, default=root / "build/release")
    parser.add_argument("--scenario", type=pathlib.Path, default=root / "configs/us-east1-brownout.yaml")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--settings", type=int, choices=[1, 3, 9], default=3)
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--least", type=float, default=0.6)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spillover-bench-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        size = max(1, options.seeds // options.blocks)
        for block in range(options.blocks):
            seeds = range(1 + block * size, 1 + (block + 1) * size)
            # In turns, each first once.
            for which in (bench.sweep, bench.plain) if block % 2 == 0 else (bench.plain, bench.sweep):
                which(seeds)
    rate = bench.plain_seconds / bench.sweep_seconds
    overhead = 1 - bench.run_seconds / bench.sweep_seconds
    grown, resident = growth(bench.memory)
    figures = {"runs": bench.runs, "sweep_runs_per_s": round(bench.runs / bench.sweep_seconds, 3),
               "plain_runs_per_s": round(bench.runs / bench.plain_seconds, 3), "rate": round(rate, 3),
               "overhead": round(overhead, 4), "memory_growth": round(grown, 3),
               "process_mb": round(resident, 1)}
    print(json.dumps(figures))
    wrong = [text for text, bad in (
        (f"the rate is below {options.least}", rate < options.least),
        ("the overhead is above 25 %", overhead > 0.25),
        ("memory grew by a quarter", grown > 1.25)) if bad]
    for text in wrong:
        print(text, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
