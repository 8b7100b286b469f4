#include "sweeps/grid.hpp"

#include <gtest/gtest.h>

namespace spillover {
namespace {

std::string shown(const std::variant<variation, std::string>& x) {
  if (const auto* why = std::get_if<std::string>(&x))
    return "error: " + *why;
  const auto& y = std::get<variation>(x);
  std::string result = y.path;
  for (const auto& value : y.values)
    result.append(" <").append(value).append(">");
  return result;
}

TEST(ParseVariation, TakesYamlValuesApart) {
  struct {
    const char* why = "";
    const char* text = "";
    const char* expected = "";
  } const cases[] = {
    {"plain values", "a.b=5s,2s", "a.b <5s> <2s>"},
    {"blanks around are no part of them", " a = 1 , 2 ", "a <1> <2>"},
    {"commas in mappings and lists belong to them", "a={b: 1, c: [2, 3]},[4, 5]",
     "a <{b: 1, c: [2, 3]}> <[4, 5]>"},
    {"and those in quotes", "a=\"x,y\",'p,q'", "a <\"x,y\"> <'p,q'>"},
    {"a quote in double quotes is escaped", R"(a="x\",y",z)", R"(a <"x\",y"> <z>)"},
    {"a quoted key may hold an equals sign", "where.\"a=b\"=1", "where.\"a=b\" <1>"},
    {"a value may too", "a=b=c", "a <b=c>"},
    {"no path", "=1", "error: has no path before the =; got =1"},
    {"no value", "a", "error: must be PATH=VALUE,VALUE,...; got a"},
    {"nothing between commas", "a=1,,2",
     "error: has an empty value in a=1,,2; write '' for an empty text"},
    {"the same twice would be two settings of one", "a=1,2,1", "error: names the value 1 twice"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(shown(parse_variation(x.text)), x.expected);
  }
}

TEST(FullFactorial, ChangesTheLastFastest) {
  const std::vector<variation> all{{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}};
  std::string text;
  for (const auto& x : full_factorial(all))
    text += to_string(x) + "; ";
  EXPECT_EQ(text, "a=1 b=x; a=1 b=y; a=1 b=z; a=2 b=x; a=2 b=y; a=2 b=z; ");
  EXPECT_EQ(count_settings(all), 6u);
}

TEST(FullFactorial, IsTheScenarioItselfWithoutVariations) {
  EXPECT_EQ(full_factorial({}), std::vector<setting>{setting{}});
  EXPECT_EQ(to_string(setting{}), "as it is");
  EXPECT_EQ(count_settings({}), 1u);
}

TEST(CountSettings, StopsAboveTheLimit) {
  const variation wide{"a", std::vector<std::string>(1'000, "1")};
  EXPECT_EQ(count_settings(std::vector{wide}), 1'000u);
  EXPECT_EQ(count_settings(std::vector(10, wide)), max_settings + 1);
}

TEST(SettingText, UsesTheShortestEndsThatDiffer) {
  struct {
    const char* why = "";
    setting of = {};
    const char* expected = "";
  } const cases[] = {
    {"one alone is called by its last key", {{"a.b.c", "1"}}, "c=1"},
    {"two with the same last key need more", {{"a.b.c", "1"}, {"a.d.c", "2"}}, "b.c=1 d.c=2"},
    {"one may be the end of the other", {{"b.c", "1"}, {"a.b.c", "2"}}, "b.c=1 a.b.c=2"},
    {"a dot in quotes is no step", {{"a.\"x.y\"", "1"}}, "\"x.y\"=1"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(to_string(x.of), x.expected);
  }
}

TEST(ParseSeeds, ReadsRangesAndNumbers) {
  struct {
    const char* why = "";
    const char* text = "";
    const char* expected = "";
  } const cases[] = {
    {"a range holds both ends", "3..5", "3..5"},
    {"order and repetition do not matter", "9,1..3,2..4", "1..4,9"},
    {"one", "7", "7"},
    {"the greatest that a scenario can have", "9223372036854775806..9223372036854775807",
     "9223372036854775806..9223372036854775807"},
    {"neighbours become a range", "1,2", "1..2"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto seeds = parse_seeds(x.text);
    ASSERT_EQ(seeds.index(), 0u) << std::get<std::string>(seeds);
    EXPECT_EQ(seeds_text(std::get<std::vector<std::uint64_t>>(seeds)), x.expected);
  }
}

TEST(ParseSeeds, RefusesWhatIsNoSeed) {
  for (const auto* text : {"", "x", "-1", "1..", "..5", "1..2..3", "1,,2", "5..4",
                           "9223372036854775808", "1..10000001", "0..9223372036854775807"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(parse_seeds(text).index(), 1u);
  }
}

} // namespace
} // namespace spillover
