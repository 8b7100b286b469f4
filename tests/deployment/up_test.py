"""What `up` promises: a verdict as of `run`, and nothing left behind, however it ends."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from deployment import PROGRAM, descendants, runs  # noqa: E402

SCENARIO = """
name: two-minutes
seed: 3
duration: 2m
warm_up: 20s
network:
  default: {latency: 20ms, jitter: 2ms}
producers:
  checkout:
    regions: [us-east1, us-west1]
    backend_services:
      web:
        instance: {concurrency: 80, cold_start: 2s, service_time: 40ms, cpu_per_request: 5ms}
        autoscaling: {policy: fixed, instances: 4}
        health_check: {interval: 2s, timeout: 1s, healthy_threshold: 2, unhealthy_threshold: 2}
    composite_health:
      sources: [{backend_service: web}]
consumers:
  clients:
    load_balancer: {regions: [us-east1, us-west1], timeout: 5s}
    traffic: [{open_loop: {rate: 50, arrivals: poisson}}]
faults:
  - {at: 40s, for: 30s, instances: {of: us-east1/checkout/web, fraction: 75%, become: silent}}
expect:
  - failover: {from: us-east1, within: 15s}
  - failback: {to: us-east1, within: 20s}
"""


def up(folder, *more, **how):
    (folder / "scenario.yaml").write_text(SCENARIO)
    return subprocess.Popen(
        [PROGRAM, "up", str(folder / "scenario.yaml"), "--out", str(folder / "up"), *more],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(folder)}, **how)


def clocks(folder):
    failover = json.loads((folder / "summary.json").read_text())["failovers"][0]["clocks"]
    return {x: failover[x]["ns"] / 1e9 for x in ("detect", "aggregate", "propagate", "route")}


class UpTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="spillover-up-")
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)

    def state_folders(self):
        return list((self.at / "spillover").glob("*"))

    def wait_for_children(self, process, count=3):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = descendants(process.pid)
            if len(found) == count:
                return found
            time.sleep(0.05)
        self.fail(f"there are not {count} children")

    def test_gives_the_verdict_of_run(self):
        # A machine that is busy with other things needs more time for the same.
        for speed in ("20", "10", "5"):
            process = up(self.at, "--speed", speed)
            out, err = process.communicate(timeout=200)
            if "is spoiled" not in out:
                break
        self.assertEqual(process.returncode, 0, out + err)
        self.assertIn("expectations 2 of 2 met", out)
        self.assertEqual(self.state_folders(), [])
        subprocess.run([PROGRAM, "run", str(self.at / "scenario.yaml"), "--out",
                        str(self.at / "run"), "--quiet"], check=True)
        files = {x.name for x in (self.at / "run").iterdir()}
        self.assertEqual({x.name for x in (self.at / "up").iterdir()}, files)
        virtual, wall = clocks(self.at / "run"), clocks(self.at / "up")
        for name, span in virtual.items():
            # One pair of runs; docs/fidelity.md compares many.
            self.assertLess(abs(span - wall[name]), max(0.5, 0.3 * span), (name, virtual, wall))

    def test_ends_early_with_a_verdict_when_interrupted(self):
        process = up(self.at, "--speed", "1")
        children = self.wait_for_children(process)
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, out + err)
        self.assertIn("stopped", out)
        self.assertFalse([x for x in children if runs(x)])
        self.assertEqual(self.state_folders(), [])

    def test_leaves_no_process_when_it_is_killed(self):
        process = up(self.at, "--speed", "1")
        children = self.wait_for_children(process)
        process.kill()
        process.communicate(timeout=60)
        end = time.monotonic() + 30
        while [x for x in children if runs(x)] and time.monotonic() < end:
            time.sleep(0.05)
        self.assertFalse([x for x in children if runs(x)])
        # The keys it could not remove go with the next start.
        self.assertEqual(len(self.state_folders()), 1)
        process = up(self.at, "--speed", "20")
        process.communicate(timeout=120)
        self.assertEqual(self.state_folders(), [])

    def test_sees_a_killed_region_as_an_outage(self):
        process = up(self.at, "--speed", "10", "--restart-after", "2")
        children = self.wait_for_children(process)
        time.sleep(5)
        name = {x: pathlib.Path(f"/proc/{x}/cmdline").read_bytes().split(b"\0")[2].decode()
                for x in children}
        region = next(x for x, site in name.items() if site == "us-west1")
        os.kill(region, signal.SIGKILL)
        out, err = process.communicate(timeout=120)
        self.assertTrue(process.returncode in (0, 1) or "is spoiled" in out, out + err)
        self.assertIn("the site us-west1 was lost", out)
        self.assertIn("and back at", out)


if __name__ == "__main__":
    unittest.main()
