"""What operators can do to a deployment that runs, and what happens to it when its parts fail."""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from deployment import PROGRAM, Deployment, run_tests, too_busy  # noqa: E402
from up_test import SCENARIO  # noqa: E402

SPEED = 10


class ControlTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="spillover-control-")
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        # Every test ends its run itself.
        text = SCENARIO.split("faults:")[0].replace("duration: 2m", "duration: 90m")
        (self.at / "scenario.yaml").write_text(text)
        self.deployment = Deployment(self.at / "scenario.yaml", SPEED, self.at)
        self.addCleanup(self.deployment.end)
        self.deployment.start_all()
        self.deployment.wait_for_start()
        self.deployment.wait_for_all()

    def ask(self, *words, code=0, keys=None):
        answer = self.deployment.ask(*words, keys=keys)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return answer.stdout if code == 0 else answer.stderr

    def finish(self, seconds=90):
        """Ends with a result, and with nothing wrong at any site; skips the test when the machine spoiled it."""
        code, codes = self.deployment.finish(seconds)
        self.assertTrue(self.deployment.is_result(code),
                        str(self.deployment.summary()["imbalances"]) + self.deployment.all_logs())
        self.assertEqual(set(codes.values()), {0}, self.deployment.all_logs())
        return code

    def watch(self):
        """Somebody who watches, and has seen something."""
        process = subprocess.Popen(
            [PROGRAM, "watch", "--interval", "0.3", "--director", f"127.0.0.1:{self.deployment.port}", "--keys",
             str(self.deployment.keys)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.assertTrue(process.stdout.readline())
        # What it prints is little, and fits into the pipe.
        return process

    def kinds(self, kind):
        return [x for x in self.deployment.events()[1] if x["kind"] == kind]

    def test_faults_come_and_go_as_operators_say(self):
        fault = "{instances: {of: us-east1/checkout/web, become: silent}}"
        self.assertIn("fault 0: ", self.ask("fault", "add", fault))
        self.assertIn("fault 1: ", self.ask("fault", "add", "{for: 1s, region: {name: us-west1, "
                                            "become: lost}}"))
        listed = json.loads(self.ask("fault", "list", "--json"))
        self.assertEqual([x["fault"] for x in listed], [0, 1])
        self.deployment.wait_until(
            lambda: [x["state"] for x in json.loads(self.ask("fault", "list", "--json"))]
            == ["active", "over"], 60, "the faults do not come and go")
        # The director looks at its own timeline a little later than at the clock.
        self.deployment.wait_until(
            lambda: [x["fault"] for x in self.deployment.status()["faults"]] == [0], 60,
            "the status tells of other faults")
        self.assertIn("us-east1/checkout/web", self.ask("watch", "--once"))
        self.ask("fault", "remove", "0")
        self.assertIn("there is no fault 9", self.ask("fault", "remove", "9", code=2))
        self.assertIn("nowhere", self.ask("fault", "add", "{region: {name: nowhere, become: lost}}",
                                          code=2))
        self.ask("fault", "clear")
        self.ask("stop")
        self.finish()
        self.assertEqual(len(self.kinds("fault_started")), 2)
        self.assertEqual(len(self.kinds("fault_ended")), 2)
        acted = self.kinds("operator_acted")
        self.assertEqual([x["what"].split(" ")[0:2] for x in acted],
                         [["fault", "add"], ["fault", "add"], ["fault", "remove"], ["fault", "remove"],
                          ["stop"]])
        self.assertTrue(all("operator" in x["who"] for x in acted), acted)
        started = self.kinds("fault_started")[0]
        self.assertIn(started["cause"], [x["id"] for x in acted])
        applied = [x for x in self.kinds("fault_applied") if x["entity"] == "us-east1/checkout/web"]
        self.assertEqual([x["active"] for x in applied], [True, False])
        self.assertEqual(applied[0]["cause"], started["id"])

    def test_who_has_no_key_gets_nothing(self):
        other = self.at / "other"
        subprocess.run([PROGRAM, "keys", other, "--sites", ",".join(self.deployment.sites)],
                       check=True, stdout=subprocess.DEVNULL)
        for words in (("status",), ("stop",)):
            self.assertIn("does not answer", self.ask(*words, keys=other, code=3))
        watch = self.watch()
        self.ask("stop")
        self.finish()
        self.assertEqual(len(self.kinds("operator_acted")), 1)
        # Who watched learns that the run ended, though nobody expected it.
        self.assertEqual(watch.wait(60), 0)

    def test_a_stopped_region_is_silence_and_comes_back(self):
        self.deployment.kill("us-east1", signal.SIGSTOP)
        self.deployment.wait_for_state("us-east1", "lost")
        # Until requests to it have timed out, five emulated seconds after they were sent.
        time.sleep(0.7)
        self.deployment.kill("us-east1", signal.SIGCONT)
        self.deployment.wait_for_state("us-east1", "up")
        self.deployment.wait_for_all()
        self.deployment.stop()
        self.finish()
        lost = [x["at_ns"] for x in self.kinds("site_lost") if x["site"] == "us-east1"]
        back = [x["at_ns"] for x in self.kinds("site_returned") if x["site"] == "us-east1"]
        self.assertTrue(lost)
        self.assertEqual(len(lost), len(back), (lost, back))
        # Requests that reached it were not refused: they waited until their deadline.
        wire = [x for x in self.kinds("books_closed") if x["account"] == "wire"]
        self.assertFalse([x for x in wire if "unavailable" in x["ended"]], wire)
        ends = {}
        for x in self.kinds("attempt_sample"):
            for how, count in x["ended"].items():
                ends[how] = ends.get(how, 0) + count
        self.assertGreater(ends.get("lb_timeout", 0), 0, ends)

    def test_a_killed_region_refuses_until_its_next_process_is_healthy(self):
        self.deployment.kill_and_wait("us-east1")
        self.deployment.wait_for_state("us-east1", "lost")
        time.sleep(0.5)
        self.deployment.start("us-east1")
        self.deployment.wait_for_state("us-east1", "up", process=2)
        def serves():
            return self.deployment.status().get("services", {}).get("us-east1/checkout") == "HEALTHY"
        self.deployment.wait_until(serves, 60, "the region does not become healthy")
        # Until the consumer has heard of it, and has recorded some seconds more.
        time.sleep(1)
        self.deployment.stop()
        self.finish()
        joined = [x for x in self.kinds("site_joined") if x["entity"] == "us-east1"]
        self.assertEqual([x["incarnation"] for x in joined], [1, 2])
        unavailable = [x for x in self.kinds("attempt_sample")
                       if x["region"] == "us-east1" and x["ended"].get("unavailable")]
        self.assertTrue(unavailable)
        healthy = next(x["at_ns"] for x in self.kinds("composite_changed")
                       if x["entity"].startswith("us-east1") and x["after"] == "HEALTHY"
                       and x["at_ns"] > joined[1]["at_ns"])
        served = [x["at_ns"] for x in self.kinds("attempt_sample")
                  if x["region"] == "us-east1" and x["ended"].get("ok")
                  and x["at_ns"] > joined[1]["at_ns"]]
        self.assertTrue(served)
        self.assertGreater(served[0], healthy)

    def test_the_next_director_knows_whom_the_one_before_lost(self):
        watch = self.watch()
        self.deployment.kill("us-east1", signal.SIGSTOP)
        self.deployment.wait_for_state("us-east1", "lost")
        self.deployment.kill_and_wait("director")
        # A director that is gone before the end is no end.
        self.assertEqual(watch.wait(60), 3)
        self.deployment.kill("us-east1", signal.SIGCONT)
        self.deployment.start("director")
        self.deployment.wait_for_all()
        self.deployment.stop()
        self.finish()
        lost = [x for x in self.kinds("site_lost") if x["site"] == "us-east1"]
        back = [x for x in self.kinds("site_returned") if x["site"] == "us-east1"]
        self.assertTrue(lost)
        self.assertEqual(len(lost), len(back), (lost, back))

    def test_the_next_director_has_everything(self):
        time.sleep(2)
        self.deployment.kill_and_wait("director")
        time.sleep(3)
        self.deployment.start("director")
        self.deployment.wait_for_all()
        time.sleep(2)
        self.deployment.stop()
        if self.finish() == 3:
            too_busy("clocks are spoiled")
        sites, events = self.deployment.events()
        for site in sites[1:]:
            numbers = [int(x["id"].split("#")[1]) for x in events if x["id"].startswith(site + "#")]
            self.assertEqual(sorted(numbers), list(range(1, len(numbers) + 1)), site)
        self.assertEqual(len([x for x in events if x["kind"] == "run_started"]), 1)
        self.assertEqual(self.deployment.summary()["imbalances"], [])
        self.assertFalse([x for x in self.deployment.summary()["notes"] if "books" in x])
        directors = [x for x in events if x["kind"] == "site_joined" and x["entity"] == "director"]
        self.assertEqual([x["incarnation"] for x in directors], [2])

    def test_the_next_process_tells_what_a_killed_one_could_not(self):
        self.deployment.kill_and_wait("director")
        time.sleep(2)
        killed = [x for x in self.deployment.sites[1:] if x.startswith("us-")][0]
        self.deployment.kill_and_wait(killed)
        left = list(self.deployment.state.glob(f"{killed}.*.spill"))
        self.assertEqual(len(left), 1, left)
        self.deployment.start("director")
        self.deployment.start(killed)
        self.deployment.wait_for_state(killed, "up", process=2)
        self.deployment.wait_until(lambda: not left[0].exists(), 60, "what it left is not delivered")
        self.deployment.wait_for_all()
        self.deployment.stop()
        self.finish()
        _, events = self.deployment.events()
        numbers = [int(x["id"].split("#")[1]) for x in events if x["id"].startswith(killed + "#")]
        first = sorted(x for x in numbers if x < 1_000_000)
        self.assertEqual(first, list(range(1, len(first) + 1)), "none twice, and none missing")
        # While no director lived: two real seconds and more, ten emulated ones each.
        samples = [x["at_ns"] for x in self.kinds("revision_sample")
                   if x["entity"].startswith(killed) and int(x["id"].split("#")[1]) < 1_000_000]
        back = [x["at_ns"] for x in self.kinds("site_joined")
                if x["entity"] == "director" and x["incarnation"] == 2][0]
        self.assertGreater(len([x for x in samples if x > back - 60e9]), 10)
        self.assertEqual(list(self.deployment.state.glob("*.spill")), [])


if __name__ == "__main__":
    run_tests()
