import unittest

from check_rules import POLICIES, check
from tidy_tree import TreeTest


class Rules(TreeTest):
    def setUp(self):
        super().setUp()
        self.write(f"{POLICIES}/a.md", "### A-16\n\nSee B-2.\n\n| GA-1 | 2 |\n\n**B-2** is **C40**.\n")

    def test_what_is_explained_may_be_cited(self):
        self.write("lb/a.hpp", "/// A band (A-16, B-2).\n")
        self.write("configs/a.json", '{"description": "GA-1, C40"}\n')
        self.write("tests/lb/a_test.cpp", "TEST(Router, GA_1_AndSoOn) {}\n")
        self.assertEqual(self.found(check), [])

    def test_what_is_cited_must_be_explained(self):
        self.write("lb/a.hpp", "/// Rules.\n/// (A-17)\n")
        self.write("configs/a.yaml", "# C41\n")
        self.write("docs/a.md", "A-1 and GB-3\n")
        self.write("tests/lb/a_test.cpp", "\nTEST(Router, GA_2_AndSoOn) {}\n")
        self.assertEqual(self.found(check), ["configs/a.yaml:1", "docs/a.md:1", "docs/a.md:1",
                                             "lb/a.hpp:2", "tests/lb/a_test.cpp:2"])
        self.assertIn("GA-2 is not explained", self.messages(check))

    def test_naming_a_rule_does_not_explain_it(self):
        self.write(f"{POLICIES}/b.md", "See A-17.\n\n| a row | A-18 |\n")
        self.assertEqual(self.found(check), [f"{POLICIES}/b.md:1", f"{POLICIES}/b.md:3"])

    def test_a_rule_is_explained_once(self):
        self.write(f"{POLICIES}/b.md", "\n## A-16\n")
        self.assertEqual(self.found(check), [f"{POLICIES}/b.md:2"])

    def test_other_names_are_no_rules(self):
        self.write("lb/a.cpp", "// C++20, ISO-8859-1, UTF-8, X-17, AB-12, C123, A-1-2, GZ-3\n")
        self.assertEqual(self.found(check), [])


if __name__ == "__main__":
    unittest.main()
