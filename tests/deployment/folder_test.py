"""What `up` leaves can be used like the folder of `run`: reports, comparisons, exports, and the traffic it played.

Its scenario plays a trace, of which each site reads its part.
"""

import csv
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from deployment import PROGRAM, run_tests, spoiled, too_busy  # noqa: E402

CONFIGS = pathlib.Path(__file__).parent.parent.parent / "configs"

# The evening's peak in three minutes, so thin that a machine which does other things can follow.
CUTS = {
    r"(?m)^duration: .*$": "duration: 3m",
    r"(?m)^warm_up: .*$": "warm_up: 30s",
    r"scale: 1.5, from: 10m, to: 30m": "scale: 0.1, from: 21m, to: 24m",
    r"at: 12m, for: 4m": "at: 1m, for: 1m",
    r"from: 3m, to: 20m": "from: 30s, to: 3m",
}


def spillover(*words):
    return subprocess.run([PROGRAM, *(str(x) for x in words)], capture_output=True, text=True, timeout=300,
                          check=False, stdin=subprocess.DEVNULL)


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def rows(file):
    with open(file, newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


class FolderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="spillover-folder-")
        cls.addClassCleanup(folder.cleanup)
        cls.at = pathlib.Path(folder.name)
        text = (CONFIGS / "replayed-trace.yaml").read_text()
        for pattern, replacement in CUTS.items():
            text, found = re.subn(pattern, replacement, text)
            assert found == 1, pattern
        (cls.at / "scenario.yaml").write_text(text)
        shutil.copytree(CONFIGS / "traces", cls.at / "traces")
        cls.virtual, cls.up = cls.at / "run", cls.at / "up"
        answer = spillover("run", cls.at / "scenario.yaml", "--out", cls.virtual, "--quiet")
        assert answer.returncode in (0, 1), answer.stderr
        for speed in (20, 10, 5):
            answer = spillover("up", cls.at / "scenario.yaml", "--out", cls.up, "--speed", speed, "--no-progress")
            if answer.returncode != 3:
                break
        if answer.returncode == 3 and spoiled(cls.up):
            too_busy(answer.stdout)
        assert answer.returncode in (0, 1), answer.stdout + answer.stderr

    def test_plays_the_trace_as_run_does(self):
        virtual, wall = summary(self.virtual), summary(self.up)
        self.assertGreater(virtual["requests"]["started"], 3000)
        self.assertEqual(wall["requests"]["started"], virtual["requests"]["started"])
        # In each second, too.
        for folder in (self.virtual, self.up):
            self.assertEqual(spillover("export", folder, "--csv", self.at / f"started-{folder.name}",
                                       "--requests", "0", "--quiet").returncode, 0)
        started = [{(x["consumer"], x["from_ns"]): x["started"] for x in rows(self.at / name / "requests.csv")}
                   for name in ("started-run", "started-up")]
        self.assertGreaterEqual(len(started[0]), 180)
        self.assertEqual(started[0], started[1])

    def test_keeps_the_trace_for_a_run_elsewhere(self):
        elsewhere = self.at / "elsewhere"
        shutil.copytree(self.up, elsewhere)
        answer = spillover("run", elsewhere / "scenario.yaml", "--out", self.at / "again", "--quiet")
        self.assertIn(answer.returncode, (0, 1), answer.stderr)
        self.assertEqual((self.at / "again" / "events.jsonl").read_bytes(),
                         (self.virtual / "events.jsonl").read_bytes())

    def test_has_a_report(self):
        page = self.at / "page.html"
        answer = spillover("report", self.up, "--out", page)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("replayed-trace", page.read_text())
        answer = spillover("report", self.up, "--markdown")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertRegex(answer.stdout, r"us-east1 \S+ us-west1")

    def test_can_be_compared_with_run(self):
        page = self.at / "both.html"
        answer = spillover("compare", self.virtual, self.up, "--json", "--html", page)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        both = json.loads(answer.stdout)
        self.assertEqual([both[x]["name"] for x in "ab"], ["replayed-trace"] * 2)
        self.assertIn("replayed-trace", page.read_text())
        self.assertEqual(spillover("compare", self.up, self.up, "--strict").returncode, 0)

    def test_can_be_exported(self):
        files = {"--csv": "tables", "--sqlite": "run.db", "--chrome-trace": "trace.json",
                 "--otlp-json": "spans.json", "--otlp-metrics-json": "metrics.json"}
        answer = spillover("export", self.up, *(y for x in files.items() for y in (x[0], self.at / x[1])))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        # It does not happen again, so that a request is one span.
        self.assertIn("one span", answer.stderr)
        kept = rows(self.at / "tables" / "requests_kept.csv")
        self.assertGreater(len(kept), 10)
        asked = {(x["consumer"], int(x["request"])) for x in kept}
        hops = rows(self.at / "tables" / "hops.csv")
        self.assertEqual({x["kind"] for x in hops}, {"request"})
        self.assertLessEqual({(x["consumer"], int(x["request"])) for x in hops}, asked)
        trace = json.loads((self.at / "trace.json").read_text())["traceEvents"]
        self.assertEqual(len([x for x in trace if x.get("cat") == "request"]), len(hops))
        spans = [y for x in json.loads((self.at / "spans.json").read_text())["resourceSpans"]
                 for y in x["scopeSpans"][0]["spans"]]
        self.assertEqual(len(spans), len(hops))
        self.check_totals(json.loads((self.at / "metrics.json").read_text()))

    def check_totals(self, metrics):
        """The sums of the tables, the database and the metrics are those of the summary."""
        total = summary(self.up)["requests"]
        ended = sum(total["ended"].values())
        table = rows(self.at / "tables" / "requests.csv")
        self.assertEqual(sum(int(x["started"]) for x in table), total["started"])
        with sqlite3.connect(self.at / "run.db") as base:
            self.assertEqual(base.execute("SELECT sum(started) FROM requests").fetchone()[0], total["started"])
        counted = sum(int(point["asInt"]) for x in metrics["resourceMetrics"]
                      for metric in x["scopeMetrics"][0]["metrics"] if metric["name"] == "spillover.requests"
                      for point in metric["sum"]["dataPoints"])
        self.assertEqual(counted, sum(int(x[how]) for x in table for how in total["ended"]))
        self.assertGreaterEqual(counted, ended)


if __name__ == "__main__":
    run_tests()
