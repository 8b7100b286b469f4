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
from deployment import PROGRAM, Deployment  # noqa: E402
from up_test import SCENARIO  # noqa: E402

SPEED = 10


class ControlTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="spillover-control-")
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        text = SCENARIO.split("faults:")[0]
        if self.id().endswith(("as_operators_say", "gets_nothing")):
            text = text.replace("duration: 2m", "duration: 20m")
        (self.at / "scenario.yaml").write_text(text)
        self.deployment = Deployment(self.at / "scenario.yaml", SPEED, self.at)
        self.addCleanup(self.deployment.end)
        self.deployment.start_all()
        self.deployment.wait_for_start()
        self.deployment.wait_until(self.all_up, 60, "not all sites take part")

    def all_up(self):
        answer = subprocess.run(
            [PROGRAM, "status", "--director", f"127.0.0.1:{self.deployment.port}", "--keys",
             str(self.deployment.keys)], capture_output=True, text=True, timeout=60, check=False)
        return answer.returncode == 0 and {x["state"] for x in json.loads(answer.stdout)["sites"]} == {"up"}

    def ask(self, *words, code=0, keys=None):
        answer = subprocess.run(
            [PROGRAM, *words, "--director", f"127.0.0.1:{self.deployment.port}",
             "--keys", str(keys or self.deployment.keys)],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return answer.stdout if code == 0 else answer.stderr

    def kinds(self, kind):
        return [x for x in self.deployment.events()[1] if x["kind"] == kind]

    def test_faults_come_and_go_as_operators_say(self):
        fault = "{instances: {of: us-east1/checkout/web, become: silent}}"
        self.assertIn("fault 0: ", self.ask("fault", "add", fault))
        self.assertIn("fault 1: ", self.ask("fault", "add", "{for: 1s, region: {name: us-west1, "
                                            "become: lost}}"))
        listed = json.loads(self.ask("fault", "list", "--json"))
        self.assertEqual([x["fault"] for x in listed], [0, 1])
        time.sleep(3)
        status = json.loads(self.ask("status"))
        self.assertEqual({x["state"] for x in status["sites"]}, {"up"})
        self.assertEqual([x["fault"] for x in status["faults"]], [0])
        self.assertIn("us-east1/checkout/web", self.ask("watch", "--once"))
        self.ask("fault", "remove", "0")
        self.assertIn("there is no fault 9", self.ask("fault", "remove", "9", code=2))
        self.assertIn("nowhere", self.ask("fault", "add", "{region: {name: nowhere, become: lost}}",
                                          code=2))
        self.ask("fault", "clear")
        self.ask("stop")
        code, codes = self.deployment.finish(60)
        self.assertTrue(self.deployment.is_result(code), self.deployment.all_logs())
        self.assertEqual(set(codes.values()), {0}, self.deployment.all_logs())
        self.assertEqual(len(self.kinds("fault_started")), 2)
        self.assertEqual(len(self.kinds("fault_ended")), 2)
        acted = self.kinds("operator_acted")
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
        self.ask("stop")
        self.assertEqual(self.deployment.finish(60)[0], 0)
        self.assertEqual(len(self.kinds("operator_acted")), 1)

    def test_a_stopped_region_is_silence_and_comes_back(self):
        self.deployment.kill("us-east1", signal.SIGSTOP)
        time.sleep(4)
        self.deployment.kill("us-east1", signal.SIGCONT)
        code, _ = self.deployment.finish(90)
        self.assertTrue(self.deployment.is_result(code), self.deployment.all_logs())
        lost, back = self.kinds("site_lost"), self.kinds("site_returned")
        self.assertEqual([x["site"] for x in lost + back], ["us-east1", "us-east1"])
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
        time.sleep(2)
        self.deployment.start("us-east1")
        code, codes = self.deployment.finish(90)
        self.assertTrue(self.deployment.is_result(code), self.deployment.all_logs())
        self.assertEqual(set(codes.values()), {0}, self.deployment.all_logs())
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

    def test_the_next_director_has_everything(self):
        time.sleep(2)
        self.deployment.kill_and_wait("director")
        time.sleep(3)
        self.deployment.start("director")
        code, codes = self.deployment.finish(120)
        self.assertEqual((code, set(codes.values())), (0, {0}), self.deployment.all_logs())
        sites, events = self.deployment.events()
        for site in sites[1:]:
            numbers = [int(x["id"].split("#")[1]) for x in events if x["id"].startswith(site + "#")]
            self.assertEqual(sorted(numbers), list(range(1, len(numbers) + 1)), site)
        self.assertEqual(len([x for x in events if x["kind"] == "run_started"]), 1)
        self.assertEqual(self.deployment.summary()["imbalances"], [])
        self.assertFalse([x for x in self.deployment.summary()["notes"] if "books" in x])
        directors = [x for x in events if x["kind"] == "site_joined" and x["entity"] == "director"]
        self.assertEqual([x["incarnation"] for x in directors], [2])


if __name__ == "__main__":
    unittest.main()
