"""Tests of mutate_kpa.py, but for what builds."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import mutate_kpa

RECORD = {
    "name": "a-b",
    "file": "producers/autoscaling/kpa/window.cpp",
    "old": "1 < 2",
    "new": "1 <= 2",
    "why": "C-11: because",
}


class Records(unittest.TestCase):
    def test_there_are_enough_of_each_source(self):
        files = [x["file"] for x in mutate_kpa.load(mutate_kpa.ROOT)]
        self.assertGreaterEqual(len(files), 50)
        for name in ("collector", "decider", "reconciler", "request_stats", "settings", "window"):
            self.assertGreaterEqual(files.count(f"{mutate_kpa.SOURCES}{name}.cpp"), 5, name)

    def test_what_is_wrong_is_said(self):
        cases = [
            ("not about a source", {"file": "producers/fleet.cpp"}),
            ("not about a source", {"file": "producers/autoscaling/kpa/decider.hpp"}),
            ("does not begin with a rule", {"why": "because"}),
            ("is spared", {"spared": "both do the same"}),
            ("lower case words", {"name": "../a"}),
        ]
        self.assertEqual(list(mutate_kpa.problems_of(RECORD)), [])
        for expected, changes in cases:
            with self.subTest(expected, **changes):
                self.assertIn(expected, " ".join(mutate_kpa.problems_of({**RECORD, **changes})))


class Commands(unittest.TestCase):
    def test_another_source_is_compiled_as_the_recorded_one(self):
        command = "ccache c++ -I/t -O2 -Werror -std=c++20 -MD -MT a.o -MF a.o.d -o a.o -c /t/a.cpp"
        self.assertEqual(
            mutate_kpa.compile_command(command, "b.cpp", "b.o"),
            ["ccache", "c++", "-I/t", "-O2", "-std=c++20", "-o", "b.o", "-c", "b.cpp"],
        )

    def test_the_changed_object_comes_before_the_library_that_has_the_unchanged_one(self):
        line = ": && c++ -O2 main.o read.o -o kpa_oracle  libproducers.a && :"
        self.assertEqual(
            mutate_kpa.link_command(line, "b.o", "b"),
            ["c++", "-O2", "b.o", "main.o", "read.o", "-o", "b", "libproducers.a"],
        )


class Verdicts(unittest.TestCase):
    def test_names_the_kinds_that_noticed(self):
        output = (
            "x.jsonl:3: desired: expected 1, got 2\n"
            "scale                 6629 compared, 2 mismatches\n"
            "window                1394 compared, 0 mismatches\n"
            "pipeline               534 compared, 10 mismatches\n"
            "8557 compared, 12 mismatches\n"
        )
        cases = [
            ("agreement is survival", 0, "window 1394 compared, 0 mismatches\n", ""),
            ("differences", 1, output, "scale 2, pipeline 10"),
            ("an abort", -6, "check failed", "ended with -6"),
            ("an error of a library", 1, "terminate called", "ended with 1"),
            ("no end", None, "", "did not end"),
        ]
        for why, code, said, expected in cases:
            with self.subTest(why):
                self.assertEqual(mutate_kpa.verdict_of(code, said), expected)


if __name__ == "__main__":
    unittest.main()
