#include "report/scenario_changes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace spillover;
using json = nlohmann::ordered_json;

/// @returns each change as "path: A -> B", with "+" or "-" in front of what only one has.
std::vector<std::string> told(const char* a, const char* b) {
  std::vector<std::string> result;
  for (const auto& x : scenario_changes(json::parse(a), json::parse(b))) {
    EXPECT_EQ(x.only_b, x.a_value.is_null());
    EXPECT_EQ(x.only_a, x.b_value.is_null());
    result.push_back(x.only_a   ? "- " + x.path + ": " + x.a
                     : x.only_b ? "+ " + x.path + ": " + x.b
                                : x.path + ": " + x.a + " -> " + x.b);
  }
  return result;
}

TEST(ScenarioChanges, AreLeavesAndWhatOnlyOneHas) {
  const struct {
    const char* why = "";
    const char* a = "";
    const char* b = "";
    std::vector<std::string> expected = {};
  } cases[] = {
    {"nothing", R"({"x": {"y": [1, 2]}})", R"({"x": {"y": [1, 2]}})", {}},
    {"the order of keys says nothing", R"({"x": 1, "y": 2})", R"({"y": 2, "x": 1})", {}},
    {"a leaf, by its path",
     R"({"x": {"y": "30s", "z": 1}})",
     R"({"x": {"y": "45s", "z": 1}})",
     {"x.y: 30s -> 45s"}},
    {"a subtree is one change",
     R"({"x": {}})",
     R"({"x": {"at": "30s", "of": ["a", {"b": true}]}})",
     {"+ x.at: 30s", "+ x.of: [a, {b: true}]"}},
    {"removed", R"({"x": {"flap": {"period": "1m"}}})", R"({"x": {}})", {"- x.flap: {period: 1m}"}},
    {"a value that becomes a subtree",
     R"({"t": "20ms"})",
     R"({"t": {"median": "20ms"}})",
     {"t: 20ms -> {median: 20ms}"}},
    {"an item put in front moves none of the others",
     R"({"f": ["b", "c"]})",
     R"({"f": ["a", "b", "c"]})",
     {"+ f[0]: a"}},
    {"nor does one that is taken out", R"({"f": [1, 2, 3]})", R"({"f": [1, 3]})", {"- f[1]: 2"}},
    {"an item that changed stays the same one",
     R"([{"at": "1m", "for": "2m"}, {"at": "9m"}])",
     R"([{"at": "1m", "for": "3m"}, {"at": "9m"}])",
     {"[0].for: 2m -> 3m"}},
    {"what has other keys is another item",
     R"([{"failover": 1}])",
     R"([{"errors": 2}])",
     {"- [0]: {failover: 1}", "+ [0]: {errors: 2}"}},
    {"a text is no number", R"({"x": "1"})", R"({"x": 1})", {"x: 1 -> 1"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(told(x.a, x.b), x.expected);
  }
}

TEST(ScenarioChanges, OfListsTooLongToAlignAreThoseByPlace) {
  auto a = json::array();
  for (auto i = 0; i < 2'100; ++i)
    a.push_back(i);
  auto b = a;
  b[1'000] = -1;
  const auto changes = scenario_changes(a, b);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].path, "[1000]");
  EXPECT_EQ(changes[0].b, "-1");
}

} // namespace
