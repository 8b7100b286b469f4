"""Kills, stops and cuts the processes of a deployment at random, and asks whether the books balance.

usage: chaos_test.py [--seconds N] [--seed N] [--without-kills]

The books of a site whose process was killed are not compared with others'. Without kills they all are, though
sites are stopped, links cut and directors killed.
"""

import argparse
import json
import pathlib
import random
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from deployment import Deployment  # noqa: E402

SPEED = 5
SCENARIO = """
name: chaos
seed: 11
duration: {duration}s
network:
  default: {{latency: 15ms, jitter: 3ms}}
producers:
  checkout:
    regions: [us-east1, us-west1, europe-west1]
    backend_services:
      web:
        instance: {{concurrency: 80, cold_start: 2s, service_time: 30ms, cpu_per_request: 5ms}}
        autoscaling: {{policy: cloud_run, min_instances: 3, max_instances: 20}}
        health_check: {{interval: 2s, timeout: 1s, healthy_threshold: 2, unhealthy_threshold: 2}}
    composite_health:
      sources: [{{backend_service: web}}]
consumers:
  clients-east:
    load_balancer: {{regions: [us-east1, us-west1, europe-west1], timeout: 5s, retries: 1}}
    traffic: [{{open_loop: {{rate: 60, arrivals: poisson}}}}]
  clients-west:
    load_balancer: {{regions: [us-west1, us-east1], timeout: 5s}}
    traffic: [{{open_loop: {{rate: 40, arrivals: poisson}}}}]
"""


class Chaos:
    """One thing after the other happens to a deployment."""

    def __init__(self, deployment, seed, kills):
        self.deployment, self.random, self.kills = deployment, random.Random(seed), kills
        self.back = []  # when, what brings something back
        self.away = set()
        self.done = {}
        self.killed = set()

    def step(self):
        now = time.monotonic()
        for entry in [x for x in self.back if x[0] <= now]:
            self.back.remove(entry)
            entry[1]()
        if not self.back or (len(self.back) < 2 and self.random.random() < 0.5):
            self.random.choice([self.stop, self.stop, self.cut, self.restart_director]
                               + [self.kill, self.kill] * self.kills)()

    def victim(self):
        return self.random.choice(
            [x for x in self.deployment.sites if x != "director" and x not in self.away] or [None])

    def count(self, what, site):
        self.done[what] = self.done.get(what, 0) + 1
        print(f"{time.monotonic():.1f} {what} {site}", flush=True)

    def later(self, seconds, site, what):
        self.away.add(site)

        def back():
            self.away.discard(site)
            what()
        self.back.append((time.monotonic() + seconds, back))

    def kill(self):
        site = self.victim()
        if site:
            self.count("kill", site)
            self.killed.add(site)
            self.deployment.kill_and_wait(site)
            self.later(self.random.uniform(0, 5), site, lambda: self.deployment.start(site))

    def stop(self):
        site = self.victim()
        if site:
            self.count("stop", site)
            self.deployment.kill(site, signal.SIGSTOP)
            self.later(self.random.uniform(0.2, 6), site,
                       lambda: self.deployment.kill(site, signal.SIGCONT))

    def cut(self):
        consumer = self.random.choice(["clients-east", "clients-west"])
        self.count("cut", consumer)
        fault = ("{for: %ds, link: {between: [%s, us-east1], become: cut}}"
                 % (self.random.randint(2, 30), consumer))
        answer = self.deployment.ask("fault", "add", fault)
        # The director may be away: then nobody says that it was done.
        if answer.returncode not in (0, 3):
            raise AssertionError(answer.stderr)

    def restart_director(self):
        if "director" not in self.away:
            self.count("restart", "director")
            self.deployment.kill_and_wait("director")
            self.later(self.random.uniform(0, 4), "director",
                       lambda: self.deployment.start("director"))

    def settle(self):
        for _, what in sorted(self.back, key=lambda x: x[0]):
            what()
        self.back.clear()


def open_files(process):
    try:
        return len(list(pathlib.Path(f"/proc/{process.pid}/fd").iterdir()))
    except OSError:
        return 0  # it ended just now


def check(deployment, chaos, code, codes):
    wrong = []
    summary = deployment.summary()
    if not chaos.kills:
        wrong += [x for x in summary["imbalances"] + summary["notes"] if "books" in x]
        if summary["requests"]["in_flight"] > 500:
            wrong.append(f"{summary['requests']['in_flight']} requests have no end")
    if not deployment.is_result(code):
        wrong.append(f"the director ended with {code}: {summary['imbalances']}")
    if any(x not in (0,) for x in codes.values()):
        wrong.append(f"sites ended with {codes}")
    sites, events = deployment.events()
    ids = [x["id"] for x in events]
    if len(ids) != len(set(ids)):
        wrong.append("an event was counted twice")
    # Lines that a process told are all there: what it numbered has no holes but at its end.
    for site in sites[1:]:
        numbers = sorted(int(x.split("#")[1]) for x in ids if x.startswith(site + "#"))
        for before, after in zip(numbers, numbers[1:]):
            if after != before + 1 and after % 1_000_000 != 1:
                wrong.append(f"events are missing after {site}#{before}")
    joined = {x["entity"] for x in events if x["kind"] == "site_joined" and x["incarnation"] > 1}
    if not chaos.killed <= joined:
        wrong.append(f"{chaos.killed - joined} were killed, and did not join again")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=180)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without-kills", action="store_true")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="spillover-chaos-") as folder:
        folder = pathlib.Path(folder)
        calm = 10  # real seconds in the end
        # Ended by an operator, however long it takes until everybody is back.
        (folder / "scenario.yaml").write_text(SCENARIO.format(duration=(options.seconds + 900) * SPEED))
        deployment = Deployment(folder / "scenario.yaml", SPEED, folder)
        try:
            deployment.start_all()
            deployment.wait_for_start()
            chaos = Chaos(deployment, options.seed, not options.without_kills)
            end = time.monotonic() + options.seconds
            most = 0
            while time.monotonic() < end:
                chaos.step()
                time.sleep(0.2)
                most = max([most] + [open_files(x) for x in deployment.processes.values()
                                     if x.poll() is None])
            chaos.settle()
            deployment.wait_for_all()
            time.sleep(calm)
            deployment.stop()
            code, codes = deployment.finish(90)
            wrong = check(deployment, chaos, code, codes)
            if most > 250:
                wrong.append(f"a process had {most} files open")
            print(json.dumps({"done": chaos.done, "most_open_files": most,
                              "requests": deployment.summary()["requests"]["started"]}))
            if wrong:
                print("\n".join(wrong) + "\n" + deployment.all_logs())
                return 1
            return 0
        finally:
            deployment.end()


if __name__ == "__main__":
    sys.exit(main())
