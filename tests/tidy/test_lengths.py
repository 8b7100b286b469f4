import unittest

from check_lengths import check, functions
from tidy_tree import TreeTest


def spans(text):
    return list(functions(text))


class Functions(unittest.TestCase):
    def test_a_function_from_its_signature_to_its_brace(self):
        self.assertEqual(spans("namespace a {\n\nint f(int x,\n    int y) {\n  return x;\n}\n}\n"),
                         [("f", 3, 6)])

    def test_what_is_a_function(self):
        for name, text in {
            "f": "template <class T, class U = foo<int>>\nauto f(T x) -> foo<T> {\n}",
            "g": "struct foo g(struct bar* x) noexcept(true) {\n}",
            "operator=": "foo& foo::operator=(const foo&) & {\n}",
            "foo": "foo::foo(int x) : a_{x}, b_(x), base<int>{} {\n}",
            "TEST": "TEST(Suite, Case) {\n  if (x) {\n  }\n}",
            "h": "[[nodiscard]] auto h(std::span<const int> x = {}) const -> int {\n}",
            "lambda": "const auto x = [](int a) {\n  return a;\n};",
            "q": "template <class T>\nvoid q(T x) requires std::integral<T> {\n}",
        }.items():
            self.assertEqual(len(spans(text)), 1, text)
            if name != "lambda":
                self.assertEqual(spans(text)[0][0], name)

    def test_what_is_none(self):
        for text in (
            "namespace a::b {\n}",
            'extern "C" {\n}',
            "class alignas(64) foo final : public bar<int, 3> {\n};",
            "template <class T>\nstruct foo {\n  int a = 3;\n};",
            "enum class foo : std::uint8_t {\n  a,\n};",
            "constexpr int x[] = {\n  1,\n};",
            "const struct {\n  int a;\n} cases[] = {\n  {1},\n};",
            "std::function<void(int)> f{\n};",
            "std::vector<int> x{\n  1,\n};",
            "MACRO(x)\nnamespace a {\n}",
            "MACRO(x)\nstruct a {\n};",
            "#define X(a) { \\\n  a\n",
        ):
            self.assertEqual(spans(text), [], text)

    def test_members_with_defaults_do_not_end_a_class(self):
        text = ("class foo {\npublic:\n  foo() : x_{1} {}\n  int f() {\n    return 1;\n  }\n"
                "private:\n  int x_{};\n  std::array<int, 2> y_ = {1, 2};\n};\nint g() {\n}\n")
        self.assertEqual(spans(text), [("foo", 3, 3), ("f", 4, 6), ("g", 11, 12)])

    def test_a_lambda_belongs_to_its_function(self):
        text = "int f() {\n  run([&](int x) {\n    return x;\n  });\n  return {[] {}};\n}\n"
        self.assertEqual(spans(text), [("f", 1, 6)])

    def test_braces_in_literals_and_comments(self):
        text = ("int f() {\n  // }\n  /* } */ auto a = '}';\n  auto b = \"}\\\"}\";\n"
                '  auto c = R"x(}\n)"}\n)x";\n  auto d = 1\'000\'000;\n}\n')
        self.assertEqual(spans(text), [("f", 1, 9)])


class Lengths(TreeTest):
    def test_a_function_of_71_lines(self):
        self.write("lb/a.cpp", "int ok() {\n" + "  a();\n" * 68 + "}\n")
        self.assertEqual(self.found(check), [])
        self.write("lb/a.cpp", "\nint bad() {\n" + "  a();\n" * 69 + "}\n")
        self.assertEqual(self.found(check), ["lb/a.cpp:2"])
        self.assertIn("function bad has 71 lines (at most 70)", self.messages(check))

    def test_files_of_501_lines(self):
        for path in ("lb/a.hpp", "scripts/a.sh", "tests/tidy/a.py"):
            self.write(path, "\n" * 500)
            self.assertEqual(self.found(check), [])
            self.write(path, "\n" * 501)
            self.assertEqual(self.found(check), [f"{path}:501"])
            self.write(path, "")

    def test_build_trees_are_left_out(self):
        self.write("build/release/a.cpp", "\n" * 501)
        self.assertEqual(self.found(check), [])


if __name__ == "__main__":
    unittest.main()
