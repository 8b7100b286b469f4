import unittest

from check_packages import LIST, check, looked_for
from tidy_tree import TreeTest


class Packages(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("CMakeLists.txt", "find_package(CAF 0.17.6 EXACT REQUIRED COMPONENTS core)\n"
                   "# find_package(Nothing)\n")
        self.write(LIST, "# [build] why\nlibcaf-dev\n")

    def test_lists_in_step(self):
        self.assertEqual(self.found(check), [])

    def test_reads_every_kind_of_call(self):
        self.write("CMakeLists.txt", 'find_package(GTest REQUIRED)\n'
                   "pkg_check_modules(X REQUIRED IMPORTED_TARGET libfyaml>=0.7 other)\n"
                   'find_path(Y NAMES caf/config.hpp PATHS /usr)\n'
                   'find_program(Z mold DOC "Fast linker")\n')
        self.assertEqual([x for _, _, x in looked_for(self.root)],
                         ["GTest", "libfyaml", "other", "caf/config.hpp", "mold"])

    def test_a_library_whose_package_is_not_listed(self):
        self.write("app/CMakeLists.txt", "\nfind_package(fmt)\n")
        self.assertEqual(self.found(check), ["app/CMakeLists.txt:2"])
        self.assertIn("libfmt-dev", self.messages(check))

    def test_a_library_nobody_knows(self):
        self.write("app/CMakeLists.txt", "find_package(Unheard)\n")
        self.assertEqual(self.found(check), ["app/CMakeLists.txt:1"])

    def test_a_package_nobody_uses(self):
        self.write(LIST, "# [build] why\nlibcaf-dev\nlibfmt-dev\n")
        self.assertEqual(self.found(check), [f"{LIST}:3"])

    def test_a_tool_that_is_called(self):
        self.write("scripts/test.sh", "clang-tidy-14 x\n")
        self.assertEqual(self.found(check), ["scripts/test.sh:1"])
        self.write(LIST, "# [build] why\nlibcaf-dev\nclang-tidy-14\n")
        self.assertEqual(self.found(check), [])

    def test_a_library_that_the_program_is_linked_to(self):
        self.write(LIST, "# [build] why\nlibcaf-dev\nlibcaf-core0.17\nlibfmt9\n")
        self.assertEqual(self.found(check), [f"{LIST}:4"])

    def test_twice_and_outside_of_a_group(self):
        self.write(LIST, "libcaf-dev\n# [build] why\nlibcaf-dev\n")
        self.assertEqual(self.found(check), [f"{LIST}:1", f"{LIST}:3"])


if __name__ == "__main__":
    unittest.main()
