"""Tests of scripts/mutate.py, but for what builds."""

import importlib.util
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

_SCRIPT = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", "mutate.py")
_SPEC = importlib.util.spec_from_file_location("mutate", _SCRIPT)
mutate = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(mutate)

RECORD = {"name": "a", "file": "lb/x.cpp", "old": "1 < 2", "new": "1 <= 2", "why": "because"}


class Folder(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.root = self._folder.name

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()


class Records(Folder):
    def problems(self, content="1 < 2", names=(), **changes):
        self.write("lb/x.cpp", content)
        return list(mutate.problems_of(self.root, {**RECORD, **changes}, set(names)))

    def test_a_record_whose_text_is_there_once_is_fine(self):
        self.assertEqual(self.problems(), [])

    def test_what_is_wrong_is_said(self):
        cases = [
            ("stale", {"content": "1 > 2"}),
            ("not unique", {"content": "1 < 2, 1 < 2"}),
            ("another one of this name", {"names": ["a"]}),
            ("changes nothing", {"new": "1 < 2"}),
            ("needs why", {"why": " "}),
            ("unknown key", {"because": "x"}),
            ("does not exist", {"file": "lb/y.cpp"}),
            ("needs tests", {"file": "app/x.cpp"}),
        ]
        self.write("app/x.cpp", "1 < 2")
        for expected, changes in cases:
            with self.subTest(expected):
                self.assertIn(expected, " ".join(self.problems(**changes)))

    def test_code_may_be_taken_away(self):
        self.assertEqual(self.problems(new=""), [])


class Output(unittest.TestCase):
    def test_failed_tests_are_named(self):
        text = (
            "[ RUN      ] A.Works\n[       OK ] A.Works (0 ms)\n"
            "[ RUN      ] A.Fails\nx\n[  FAILED  ] A.Fails (1 ms)\n"
            "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.Fails\n"
        )
        self.assertEqual(mutate.failures(text), ["A.Fails"])

    def test_a_test_that_did_not_end_failed(self):
        text = "[ RUN      ] A.Works\n[       OK ] A.Works (0 ms)\n[ RUN      ] A.Aborts\ncheck failed"
        self.assertEqual(mutate.failures(text), ["A.Aborts"])

    def test_nothing_failed(self):
        self.assertEqual(mutate.failures("[ RUN      ] A.B\n[       OK ] A.B (0 ms)\n"), [])


class Table(Folder):
    def setUp(self):
        super().setUp()
        self.write("docs/mutation.md", f"before\n{mutate.BEGIN}\n{mutate.END}\nafter\n")

    def test_rows_that_were_not_run_stay(self):
        both = [RECORD, {**RECORD, "name": "b"}]
        mutate.write_rows(self.root, both, {"a": "`A.B`", "b": "`C.D`"})
        mutate.write_rows(self.root, both, {"b": "`E.F`"})
        self.assertEqual(mutate.read_rows(self.root), {"a": "`A.B`", "b": "`E.F`"})
        text = self.read("docs/mutation.md")
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"))

    def test_the_row_of_a_record_that_is_gone_goes(self):
        mutate.write_rows(self.root, [RECORD], {"a": "`A.B`"})
        mutate.write_rows(self.root, [{**RECORD, "name": "b"}], {"b": "`C.D`"})
        self.assertEqual(list(mutate.read_rows(self.root)), ["b"])

    def test_the_table_must_fit_the_records(self):
        cases = [
            ([RECORD], {"a": "`A.B`"}, ""),
            ([RECORD], {}, ""),
            ([RECORD, {**RECORD, "name": "b"}], None, "has no row"),
            ([RECORD], {"a": "**survived**"}, "survives"),
            ([{**RECORD, "spared": "x"}], {"a": "`A.B`"}, "disagree"),
            ([{**RECORD, "spared": "x"}], {"a": "spared: x"}, ""),
        ]
        for records, verdicts, expected in cases:
            with self.subTest(expected):
                self.write("docs/mutation.md", f"{mutate.BEGIN}\n{mutate.END}\n")
                if verdicts is not None:
                    mutate.write_rows(self.root, records, verdicts)
                said = " ".join(mutate.check_table(self.root, records))
                self.assertIn(expected, said)
                self.assertEqual(expected == "", said == "")


class Copy(Folder):
    def test_only_what_differs_is_written(self):
        self.write("from/a.cpp", "a")
        self.write("from/build/x", "x")
        self.write("to/gone.cpp", "x")
        self.write("to/build/kept", "x")
        source, target = os.path.join(self.root, "from"), os.path.join(self.root, "to")
        mutate.update_copy(source, target)
        self.assertEqual(sorted(os.listdir(target)), ["a.cpp", "build"])
        self.assertEqual(os.listdir(os.path.join(target, "build")), ["kept"])
        os.utime(os.path.join(target, "a.cpp"), (1, 1))
        mutate.update_copy(source, target)
        self.assertEqual(os.stat(os.path.join(target, "a.cpp")).st_mtime, 1)
        self.write("from/a.cpp", "b")
        mutate.update_copy(source, target)
        self.assertEqual(self.read("to/a.cpp"), "b")


if __name__ == "__main__":
    unittest.main()
