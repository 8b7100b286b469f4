#include "scenario/load_changed.hpp"
#include "scenario/value_path.hpp"
#include "tests/scenario/sample.hpp"

namespace spillover {
namespace {

using test::sample;

std::string shown(const std::variant<value_path, std::string>& x) {
  if (const auto* why = std::get_if<std::string>(&x))
    return "error: " + *why;
  std::string result;
  for (const auto& step : std::get<value_path>(x))
    result.append("<").append(step).append(">");
  return result;
}

TEST(ParseValuePath, ReadsKeysIndicesAndQuotes) {
  struct {
    const char* why = "";
    const char* text = "";
    const char* expected = "";
    const char* again = "";
  } const cases[] = {
    {"keys", "a.b_c.us-east1", "<a><b_c><us-east1>", "a.b_c.us-east1"},
    {"an index is a step", "faults.0.for", "<faults><0><for>", "faults.0.for"},
    {"so is one in brackets", "a[0][12].b", "<a><0><12><b>", "a.0.12.b"},
    {"a slash is nothing special", "where.us-east1/web", "<where><us-east1/web>",
     "where.us-east1/web"},
    {"a dot in quotes is", R"(a."b.c"[1])", "<a><b.c><1>", R"(a."b.c".1)"},
    {"either quotes, twice for one", R"('it''s'."say ""x""")", R"(<it's><say "x">)",
     R"("it's"."say ""x""")"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto path = parse_value_path(x.text);
    EXPECT_EQ(shown(path), x.expected);
    ASSERT_EQ(path.index(), 0u);
    const auto text = to_string(std::get<value_path>(path));
    EXPECT_EQ(text, x.again);
    EXPECT_EQ(parse_value_path(text), path);
  }
}

TEST(ParseValuePath, RefusesWhatIsNoPath) {
  for (const auto* text :
       {"", ".", "a.", ".a", "a..b", "a[x]", "a[", "a[]", "a]", "a\"b\"", "\"a", "a=b"})
    EXPECT_EQ(parse_value_path(text).index(), 1u) << text;
}

// The sample with changes, which must be the same as the sample with edits of its text.
struct good_change {
  const char* why = "";
  std::vector<value_change> changes = {};
  const char* before = "";
  const char* after = "";
};

std::variant<scenario, std::vector<problem>> changed(const std::vector<value_change>& changes) {
  return parse_changed_scenario(sample, "s", {}, changes);
}

TEST(ChangeValues, IsAsIfTheFileSaidSo) {
  const good_change cases[] = {
    {"a value at the top", {{"duration", "20m"}}, "duration: 10m", "duration: 20m"},
    {"deep down",
     {{"producers.checkout.backend_services.web.health_check.interval", "8s"}},
     "interval: 4s",
     "interval: 8s"},
    {"an entry of a list", {{"faults.1.for", "2m"}}, "at: 4m, for: 1m", "at: 4m, for: 2m"},
    {"in brackets too", {{"faults[1].for", "2m"}}, "at: 4m, for: 1m", "at: 4m, for: 2m"},
    {"a mapping as a whole",
     {{"consumers.shop.client.backoff", "{base: 2s, max: 9s}"}},
     "{base: 1s, max: 5s}",
     "{base: 2s, max: 9s}"},
    {"a list as a whole",
     {{"producers.checkout.regions", "[us-west1, us-east1]"}},
     "regions: [us-east1, us-west1]\n    backend",
     "regions: [us-west1, us-east1]\n    backend"},
    {"a value that the file leaves to its default",
     {{"producers.checkout.backend_services.api.health_check.interval", "8s"}},
     "api:\n",
     "api:\n        health_check: {interval: 8s}\n"},
    {"a name that refers to something may be new",
     {{"producers.checkout.overrides.us-east1.web.autoscaling.min_instances", "3"}},
     "overrides:\n",
     "overrides:\n      us-east1: {web: {autoscaling: {min_instances: 3}}}\n"},
    {"a text in quotes stays one",
     {{"description", "'12'"}},
     "seed: 7",
     "seed: 7\ndescription: '12'"},
    {"later ones win",
     {{"duration", "20m"}, {"duration", "30m"}},
     "duration: 10m",
     "duration: 30m"},
    {"a distribution by its parts",
     {{"producers.checkout.backend_services.web.instance.service_time.lognormal.p99", "300ms"}},
     "p99: 200ms",
     "p99: 300ms"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto result = changed(x.changes);
    ASSERT_EQ(result.index(), 0u) << test::joined(test::problems_of(result));
    const auto expected = parse_scenario(test::edited(x.before, x.after), "s");
    ASSERT_EQ(expected.index(), 0u);
    EXPECT_TRUE(std::get<scenario>(result) == std::get<scenario>(expected));
  }
}

TEST(ChangeValues, SaysWhatIsWrongWithAPathOrAValue) {
  struct {
    const char* why = "";
    value_change change = {};
    const char* expected = "";
  } const cases[] = {
    {"a slip in a key of the schema",
     {"producers.checkout.backend_services.web.health_chek.interval", "8s"},
     "producers.checkout.backend_services.web.health_chek.interval=8s: "
     "producers.checkout.backend_services.web has nothing called \"health_chek\"; did you mean "
     "\"health_check\"? allowed: "},
    {"a slip in a user's name",
     {"producers.chekout.regions", "[us-east1]"},
     "producers.chekout.regions=[us-east1]: producers has nothing called \"chekout\"; did you mean "
     "\"checkout\"? allowed: checkout\n"},
    {"only the end of a path",
     {"interval", "8s"},
     "interval=8s: a scenario has nothing called \"interval\"; did you mean "
     "producers.checkout.backend_services.web.health_check.interval?\n"},
    {"beyond the end of a list",
     {"faults.3.for", "1m"},
     "faults.3.for=1m: faults is a list of 3 and has no entry \"3\"; allowed: 0 to 2\n"},
    {"a list needs an index",
     {"faults.for", "1m"},
     "faults.for=1m: faults is a list of 3 and has no entry \"for\"; allowed: 0 to 2\n"},
    {"below a value",
     {"duration.minutes", "1"},
     "duration.minutes=1: duration is \"10m\", which has nothing called \"minutes\"; set it as a "
     "whole\n"},
    {"below a value that is not there",
     {"description.x", "1"},
     "description.x=1: description holds a value, nothing below; set it as a whole\n"},
    {"a value of the wrong kind stands in the change",
     {"duration", "soon"},
     "duration=soon:1:1: duration: must be a duration"},
    {"and so does one within a mapping",
     {"consumers.shop.client.backoff", "{base: 1s, mxa: 5s}"},
     "consumers.shop.client.backoff={base: 1s, mxa: 5s}:1:12: unknown key \"mxa\""},
    {"a text that is not YAML", {"name", "{a"}, "name={a:1:"},
    {"a rule over two values may stand in the file",
     {"producers.checkout.backend_services.web.health_check.interval", "2s"},
     "s:17:"},
    {"no path", {"a..b", "1"}, "a..b=1: the path a..b has an empty key\n"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto result = changed({x.change});
    ASSERT_EQ(result.index(), 1u);
    const auto text = test::joined(test::problems_of(result)) + "\n";
    EXPECT_EQ(text.substr(0, std::string_view{x.expected}.size()), x.expected);
  }
}

TEST(ChangeValues, LeavesTheOtherUsesOfAnAnchorAlone) {
  const auto text =
    test::edited("- {at: 2m, for: 1m, instances", "- {at: 2m, for: &long 1m, instances");
  const auto shared = text.find("at: 4m, for: 1m");
  ASSERT_NE(shared, std::string::npos);
  const auto with_alias = std::string{text}.replace(shared, 15, "at: 4m, for: *long");
  const auto result =
    parse_changed_scenario(with_alias, "s", {}, std::vector<value_change>{{"faults.0.for", "90s"}});
  ASSERT_EQ(result.index(), 0u) << test::joined(test::problems_of(result));
  const auto& faults = std::get<scenario>(result).faults;
  EXPECT_EQ(faults[0].lasts, std::chrono::seconds{90});
  EXPECT_EQ(faults[1].lasts, std::chrono::minutes{1});
}

} // namespace
} // namespace spillover
