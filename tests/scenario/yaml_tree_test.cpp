#include "scenario/yaml_tree.hpp"

#include "scenario/schema.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace spillover {

namespace {

nlohmann::json read(std::string_view text) {
  problem_list problems{"s"};
  const auto tree = parse_yaml(text, problems);
  EXPECT_TRUE(problems.empty()) << text;
  return tree ? to_json(*tree) : nlohmann::json{};
}

TEST(ParseYaml, ReadsScalarsByTheRulesOfJson) {
  const struct {
    const char* text;
    const char* json;
  } cases[] = {
    {"1", "1"},
    {"-1", "-1"},
    {"1.5", "1.5"},
    {"1e3", "1e3"},
    {"0", "0"},
    {"", "null"},
    {"~", "null"},
    {"null", "null"},
    {"true", "true"},
    {"false", "false"},
    {"yes", R"("yes")"},
    {"no", R"("no")"},
    {"012", R"("012")"},
    {"0x1F", R"("0x1F")"},
    {"1_000", R"("1_000")"},
    {".inf", R"(".inf")"},
    {"1e999", R"("1e999")"},
    {"1.", R"("1.")"},
    {"\"1\"", R"("1")"},
    {"'true'", R"("true")"},
    {"9223372036854775807", "9223372036854775807"},
    {"9223372036854775808", "9223372036854775808.0"},
    {"50%", R"("50%")"},
  };
  for (const auto& x : cases)
    EXPECT_EQ(read(std::string{"k: "} + x.text).at("k"), nlohmann::json::parse(x.json)) << x.text;
}

TEST(ParseYaml, ResolvesAliasesAndMerges) {
  EXPECT_EQ(read("a: &x {p: 1, q: 2}\nb: *x\nc: {<<: *x, q: 3}\nd: {q: 4, <<: [*x, {r: 5, p: 6}]}"),
            nlohmann::json::parse(R"({"a": {"p": 1, "q": 2}, "b": {"p": 1, "q": 2},
                                      "c": {"p": 1, "q": 3}, "d": {"p": 1, "q": 4, "r": 5}})"));
}

TEST(ParseYaml, AnAliasMeansTheLastAnchorBeforeIt) {
  EXPECT_EQ(read("a: &x 1\nb: *x\nc: &x 2\nd: *x"),
            nlohmann::json::parse(R"({"a": 1, "b": 1, "c": 2, "d": 2})"));
}

TEST(ParseYaml, KnowsWhereEachKeyAndValueStands) {
  problem_list problems{"s"};
  const auto tree = parse_yaml("ä: {b: [1,\n  two]}\nc:\n- d: e\n", problems);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->members[0].key_at, (mark{1, 1}));
  EXPECT_EQ(tree->members[0].value.at, (mark{1, 4}));
  EXPECT_EQ(tree->members[0].value.members[0].key_at, (mark{1, 5}));
  EXPECT_EQ(tree->members[0].value.members[0].value.items[1].at, (mark{2, 3}));
  EXPECT_EQ(tree->members[1].value.items[0].members[0].value.at, (mark{4, 6}));
}

TEST(ParseYaml, AnAliasCannotNameItsOwnCollection) {
  problem_list problems{"s"};
  EXPECT_FALSE(parse_yaml("a: &x [*x]", problems));
  EXPECT_EQ(to_string(problems.take().front()), "s:1:8: alias *x names no anchor before it");
}

TEST(ParseYaml, ManyKeysAreReadInTime) {
  std::string text;
  for (int i = 0; i < 60'000; ++i)
    text += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(read(text).size(), 60'000u);
}

TEST(FindBinary, FindsTheFirstByteThatNoTextHas) {
  const struct {
    const char* why;
    std::string_view text;
    std::optional<std::size_t> expected;
  } cases[] = {
    {"plain text", "a\tb\r\n", std::nullopt},
    {"two, three and four bytes", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", std::nullopt},
    {"a control character", "ab\x01", 2},
    {"a continuation alone", "a\x80", 1},
    {"a sequence cut short", "a\xe2\x82", 1},
    {"an overlong form", "\xc0\xaf", 0},
    {"an overlong form of three", "\xe0\x80\xaf", 0},
    {"a surrogate", "\xed\xa0\x80", 0},
    {"beyond Unicode", "\xf4\x90\x80\x80", 0},
  };
  for (const auto& x : cases)
    EXPECT_EQ(find_binary(x.text), x.expected) << x.why;
}

} // namespace

} // namespace spillover
