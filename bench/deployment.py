#!/usr/bin/env python3
"""What a deployment of real processes costs: accuracy, throughput, and the way of an idle request.

    accuracy     2,000 requests a second at speed 1 over links of 10 ms to a service of 20 ms: how much the
                 latency differs from the 40 ms it should be, as quantiles; two hops. Limit: p99 of a hop 2 ms.
    throughput   200,000 requests a second from a consumer to a region and back, encrypted, with event log: are
                 all answered, do the books balance, and how much above `run` is p99? Limit: 2 ms.
    round trip   100 requests a second over links without latency to a service without time, processes pinned,
                 processors kept awake; beside a bare DEALER/ROUTER in the same run, 100 messages a second, too.
                 Limit: p50 at most 2.5 times.

usage: bench/deployment.py [accuracy|throughput|roundtrip ...] [--build DIR] [--rate N] [--seconds N]

Needs two processors of its own; exits with 1 when a limit is exceeded.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SCENARIO = """
name: bench
seed: 1
duration: {seconds}s
warm_up: 3s
network:
  default: {{latency: {latency}}}
producers:
  checkout:
    regions: [us-east1]
    backend_services:
      web:
        instance: {{concurrency: 1000, cold_start: 1s, service_time: {service}, cpu_per_request: 1us, cpu: 4}}
        autoscaling: {{policy: fixed, instances: {instances}}}
consumers:
  clients:
    load_balancer: {{regions: [us-east1], timeout: 10s, retries: 0}}
    traffic: [{{open_loop: {{rate: {rate}, arrivals: {arrivals}}}}}]
"""


class Bench:
    def __init__(self, build, folder, seconds):
        self.program = str(build / "spillover")
        self.wire = str(build / "bench" / "wire_bench")
        self.folder, self.seconds = folder, seconds
        self.failed = False

    def write(self, **values):
        defaults = {"latency": "10ms", "service": "20ms", "instances": 10, "arrivals": "poisson",
                    "seconds": self.seconds}
        file = self.folder / "bench.yaml"
        file.write_text(SCENARIO.format(**{**defaults, **values}))
        return file

    def run(self, how, file, meanwhile=None):
        out = self.folder / how
        process = subprocess.Popen(
            [self.program, how, str(file), "--out", str(out), "--quiet", "--no-report"],
            stderr=subprocess.PIPE, text=True)
        if meanwhile:
            meanwhile(process)
        _, err = process.communicate()
        if process.returncode == 2:
            sys.exit(f"{how} {file}: {err}")
        summary = json.loads((out / "summary.json").read_text())
        if process.returncode not in (0, 1):
            print(f"{how} ended with {process.returncode}: {summary['imbalances']} {err[-500:]}")
            self.failed = True
        return summary["requests"]

    def check(self, what, value, limit):
        good = value <= limit
        self.failed = self.failed or not good
        return f"{what} {value:.3f} (limit {limit:g}{'' if good else ', EXCEEDED'})"

    def accuracy(self):
        found = self.run("up", self.write(rate=2000))["latency_ns"]
        late = {x: (found[x] / 1e6 - 40) / 2 for x in ("p50", "p99", "p99.9")}
        print(f"accuracy at 2,000 requests/s: a hop takes {late['p50']:+.3f} ms (p50), "
              + self.check("p99", late["p99"], 2) + f" ms, {late['p99.9']:+.3f} ms (p99.9) more")

    def throughput(self, rate):
        file = self.write(rate=rate, latency="8ms", service="2ms", instances=20)
        virtual, real = self.run("run", file), self.run("up", file)
        ok, ended = real["ended"]["ok"], sum(real["ended"].values())
        more = (real["latency_ns"]["p99"] - virtual["latency_ns"]["p99"]) / 1e6
        print(f"throughput: {real['started'] / self.seconds:,.0f} requests/s, "
              f"{100 * ok / ended:.3f} % answered, p50 {real['latency_ns']['p50'] / 1e6:.2f} ms, "
              f"p99 {real['latency_ns']['p99'] / 1e6:.2f} ms; above `run`: "
              + self.check("p99", more, 2) + " ms")
        self.failed = self.failed or ok < 0.999 * ended

    def roundtrip(self):
        text = subprocess.run([self.wire, "--short"], capture_output=True, text=True,
                              check=True).stdout
        hot, bare = map(float, re.search(
            r"bare DEALER/ROUTER: +round trip p50 (\d+) us, at 100 a second (\d+) us", text).groups())
        with awake():
            found = self.run("up", self.write(rate=100, latency="0ms", service="0ms",
                                              arrivals="uniform"), pin)["latency_ns"]["p50"]
        us = found / 1e3
        print(f"idle round trip: {us:.0f} us (p50), bare DEALER/ROUTER at the same rate {bare:.0f} us: "
              + self.check("ratio", us / bare, 2.5) + f"; bare in a loop {hot:.0f} us")


def pin(process):
    """Gives each child a processor of its own, as far as there are any."""
    time.sleep(1.5)
    children = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == process.pid:
            children.append(entry.parent)
    for i, child in enumerate(sorted(children)):
        for task in (child / "task").iterdir():
            os.sched_setaffinity(int(task.name), {i % os.cpu_count()})


class awake:
    """Keeps every processor from sleeping, by work that gives way to everything else."""

    def __enter__(self):
        self.busy = [subprocess.Popen(["chrt", "-i", "0", "sh", "-c", "while :; do :; done"])
                     for _ in range(os.cpu_count())]

    def __exit__(self, *_):
        for x in self.busy:
            x.kill()
            x.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["accuracy", "throughput", "roundtrip"])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--rate", type=int, default=200_000)
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spillover-bench-") as folder:
        bench = Bench(options.build, pathlib.Path(folder), options.seconds)
        for what in options.what:
            if what == "throughput":
                bench.throughput(options.rate)
            else:
                getattr(bench, what)()
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
