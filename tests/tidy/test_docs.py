import unittest

from check_docs import ARCHITECTURE, check
from tidy_tree import TreeTest


class Docs(TreeTest):
    def setUp(self):
        super().setUp()
        self.write(ARCHITECTURE, "`lb/router.hpp`, `lb/`, `README.md`, `a::b`, `build/release/x`\n")
        self.write("lb/router.hpp", "")
        self.write("README.md", "[a](docs/architecture.md#ideas) [b](https://example.org/x)\n"
                   "[c](#here) ![d](lb/router.hpp \"title\")\n")

    def test_everything_leads_somewhere(self):
        self.assertEqual(self.found(check), [])

    def test_links_that_lead_nowhere(self):
        self.write("docs/a.md", "[a](b.md)\n[c](../README.md)\n\n[d]: ../lb/none.hpp\n")
        self.assertEqual(self.found(check), ["docs/a.md:1", "docs/a.md:4"])

    def test_code_is_no_link(self):
        self.write("docs/a.md", "`[](x)`\n```cpp\n[a](int b) {}\n```\n[a](no.md)\n")
        self.assertEqual(self.found(check), ["docs/a.md:5"])

    def test_files_the_architecture_names(self):
        self.write(ARCHITECTURE, "`lb/router.hpp`\n`lb/none.hpp` and `none/` and `NONE.md`\n")
        self.assertEqual(self.found(check), [f"{ARCHITECTURE}:2"] * 3)


class NoDocs(TreeTest):
    def test_the_architecture_must_be_there(self):
        self.assertEqual(self.found(check), [f"{ARCHITECTURE}:1"])


if __name__ == "__main__":
    unittest.main()
