import unittest

from check_banned import check
from tidy_tree import TreeTest


class Banned(TreeTest):
    def bad(self, path, *lines):
        for line in lines:
            self.write(path, f"\n{line}\n")
            self.assertEqual(self.found(check), [f"{path}:2"], line)
        self.write(path, "")

    def good(self, path, *lines):
        for line in lines:
            self.write(path, f"\n{line}\n")
            self.assertEqual(self.found(check), [], line)
        self.write(path, "")

    def test_hidden_inputs_of_deciders(self):
        lines = (
            "auto t = std::chrono::steady_clock::now();",
            "auto t = std::chrono::system_clock :: now();",
            "auto t = time(nullptr);",
            "auto t = std::time(0);",
            "int x = rand();",
            "int x = std::rand();",
            "std::random_device seed;",
            'auto x = std::getenv("HOME");',
            "#include <random>",
            "auto x = std::hash<int>{}(1);",
            "#include <unordered_map>",
            "#include <unordered_set>",
        )
        self.bad("lb/a.cpp", *lines)
        self.good("app/a.cpp", *lines)

    def test_unordered_with_a_reason(self):
        self.good("lb/a.hpp", "#include <unordered_map>  // order-free: only looked up")
        self.bad("lb/a.hpp", "#include <unordered_map>  // order-free:")

    def test_sleeps(self):
        self.bad("tests/lb/a.cpp", "std::this_thread::sleep_for(1s);", "usleep(1);")

    def test_printing(self):
        lines = ("std::cout << 1;", 'std::printf("x");', 'puts("x");', 'fmt::print("x");')
        self.bad("actors/a.cpp", *lines)
        self.good("app/a.cpp", *lines)
        self.good("actors/a.cpp", 'std::fprintf(stderr, "x");', "std::snprintf(a, b, c);")

    def test_names_in_headers(self):
        self.bad("lb/a.hpp", "using namespace std::chrono_literals;")
        self.good("lb/a.cpp", "using namespace std::chrono_literals;")

    def test_parts_of_caf(self):
        self.bad("actors/a.cpp", 'aout(self) << "x";', "CAF_MAIN()")

    def test_only_code_counts(self):
        self.good("lb/a.cpp", "// std::random_device", 'auto x = "rand()";', "x.rand();",
                  "int operand(int x);", "instant time() const;", "my_random_device_x y;")

    def test_cmake(self):
        self.bad("lb/CMakeLists.txt", "file(GLOB x *.cpp)", "file( GLOB_RECURSE x *.cpp)",
                 "add_compile_options(-ffast-math)", "add_compile_options(-march=native)")
        self.good("lb/CMakeLists.txt", "# never -ffast-math, nor file(GLOB")

    def test_texts(self):
        self.bad("docs/a.md", "see /wo" "rk/main/x", "in /ro" "ot/.cache", "TO" "DO: more",
                 "FIX" "ME later")
        self.good("docs/a.md", "https://example.org/wo" "rk/x", "a/ro" "ot/b", "TO" "DOS")


if __name__ == "__main__":
    unittest.main()
