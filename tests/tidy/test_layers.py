import unittest

from check_layers import check
from tidy_tree import TreeTest


class Layers(TreeTest):
    def includes(self, path, *names):
        self.write(path, "#pragma once\n" + "".join(f"#include {x}\n" for x in names))
        return self.found(check)

    def test_what_each_layer_may_include(self):
        good = {
            "model/a.hpp": ['"model/b.hpp"', "<vector>", "<cstdint>", "<pcg_random.hpp>"],
            "lb/a.hpp": ['"lb/b.hpp"', '"model/b.hpp"', "<boost/math/distributions/normal.hpp>"],
            "report/a.cpp": ["<boost/histogram.hpp>", "<nlohmann/json.hpp>"],
            "scenario/a.cpp": ['"lb/b.hpp"', "<libfyaml.h>", "<valijson/schema.hpp>"],
            "actors/a.cpp": ['"scenario/plan.hpp"', "<caf/actor.hpp>", "<spdlog/spdlog.h>"],
            "app/a.cpp": ['"actors/b.hpp"', "<CLI/CLI.hpp>", "<sys/stat.h>"],
            "tests/lb/a.cpp": ['"app/main.hpp"', "<caf/all.hpp>", "<gtest/gtest.h>", '"x.hpp"'],
        }
        for path, names in good.items():
            self.assertEqual(self.includes(path, *names), [], path)

    def test_what_each_layer_must_not_include(self):
        bad = {
            "model/a.hpp": '"lb/b.hpp"',
            "producers/a.hpp": '"regions/b.hpp"',
            "producers/health/a.hpp": '"health/b.hpp"',
            "lb/a.hpp": "<caf/actor.hpp>",
            "consumers/a.hpp": "<nlohmann/json.hpp>",
            "regions/a.hpp": "<boost/asio.hpp>",
            "report/a.hpp": "<unistd.h>",
            "report/b.hpp": "<model/time.hpp>",
            "scenario/a.hpp": "<spdlog/spdlog.h>",
            "scenario/b.hpp": '"actors/b.hpp"',
            "actors/a.hpp": '"app/b.hpp"',
            "actors/b.hpp": "<CLI/CLI.hpp>",
            "actors/c.hpp": '"../model/b.hpp"',
            "actors/d.hpp": '"lane.hpp"',
        }
        for path, name in bad.items():
            self.write(path, f"#pragma once\n  #  include {name} // why\n")
        self.assertEqual(sorted(self.found(check)), sorted(f"{x}:2" for x in bad))

    def test_says_what_is_allowed(self):
        self.includes("lb/a.hpp", '"regions/b.hpp"')
        self.assertIn("(allowed: lb/, model/)", self.messages(check))

    def test_ignores_comments_and_strings(self):
        self.write("lb/a.cpp", '// #include "app/x.hpp"\n/*\n#include <caf/all.hpp>\n*/\n'
                   'auto x = R"(\n#include <caf/all.hpp>\n)";\n')
        self.assertEqual(self.found(check), [])


if __name__ == "__main__":
    unittest.main()
