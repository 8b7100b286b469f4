#include "report/page_parts.hpp"
#include "tests/report/log_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;

TEST(PageGrid, PointsStandForAsManySecondsAsTheyMust) {
  const struct {
    const char* why;
    std::size_t seconds;
    std::size_t points;
    std::size_t step;
    std::size_t expected;
  } cases[] = {
    {"a point a second", 1'200, 1'800, 1, 1'200},
    {"just enough room", 1'800, 1'800, 1, 1'800},
    {"one second too many", 1'801, 1'800, 2, 901},
    {"the last point stands for less", 10, 4, 3, 4},
    {"no room at all is room for one", 10, 0, 10, 1},
    {"a run of no time", 0, 100, 1, 0},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto grid = make_grid(x.seconds, x.points);
    EXPECT_EQ(grid.step, x.step);
    EXPECT_EQ(grid.points(), x.expected);
  }
}

TEST(PageGrid, ASampleTellsOfTheSecondBeforeIt) {
  const page_grid grid{3, 1};
  const struct {
    const char* why;
    duration recorded;
    std::optional<std::size_t> expected;
  } cases[] = {
    {"nothing is before the start", 0s, std::nullopt}, {"the end of the first second", 1s, 0},
    {"a run that ends within a second", 1'500ms, 1},   {"the end of the last", 3s, 2},
    {"behind the end", 3s + 1ns, std::nullopt},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(grid.second_of(run_start + x.recorded), x.expected);
  }
}

TEST(PageCurve, KeepsExtremesWhereAPointStandsForSeveralSeconds) {
  const struct {
    const char* why = "";
    std::size_t step = 1;
    second_values values = {};
    std::int64_t scale = 1;
    const char* expected = "";
  } cases[] = {
    {"every second as it is", 1, {1, 2, 3}, 1, R"({"mean":[1,2,3]})"},
    {"a peak of one second stays",
     3,
     {0, 900, 0, 1, 1, 1},
     1,
     R"({"mean":[300,1],"lo":[0,1],"hi":[900,1]})"},
    {"so does a gap", 2, {5, 0, 7, 7}, 1, R"({"mean":[2.5,7],"lo":[0,7],"hi":[5,7]})"},
    {"the mean of the last is that of fewer",
     2,
     {1, 2, 9},
     1,
     R"({"mean":[1.5,9],"lo":[1,9],"hi":[2,9]})"},
    {"thousandths", 1, {1'500, 2'000}, 1'000, R"({"mean":[1.5,2]})"},
    {"of decimals three stay", 3, {1, 0, 0, 3, 0, 0}, 1, R"({"mean":[0.333,1],"lo":0,"hi":[1,3]})"},
    {"one number for what never changes", 1, {4, 4, 4}, 1, R"({"mean":4})"},
    {"no second, no number", 1, {}, 1, R"({"mean":[]})"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(curve_json({x.values.size(), x.step}, x.values, x.scale).dump(), x.expected);
  }
}

/// @returns the number at a point; a number alone stands for all points.
std::int64_t at(const page_json& values, std::size_t point) {
  return std::llround((values.is_array() ? values[point] : values).get<double>() * 1'000);
}

TEST(PageCurve, KeepsEveryMinimumAndMaximumWhateverAPointStandsFor) {
  // Thousandths between -40 and 5,000 that repeat late; primes, so that steps do not divide them.
  second_values values;
  for (std::int64_t i = 0, x = 17; i < 997; ++i, x = (x * 1'597 + 51'749) % 244'944)
    values.push_back(x % 5'041 - 40);
  for (std::size_t step = 2; step <= 61; ++step) {
    const page_grid grid{values.size(), step};
    const auto curve = curve_json(grid, values, 1'000);
    for (std::size_t point = 0; point < grid.points(); ++point) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(point * step);
      const auto to =
        values.begin() + static_cast<std::ptrdiff_t>(std::min((point + 1) * step, values.size()));
      ASSERT_EQ(at(curve["lo"], point), *std::min_element(from, to)) << step << ' ' << point;
      ASSERT_EQ(at(curve["hi"], point), *std::max_element(from, to)) << step << ' ' << point;
    }
  }
}

TEST(PageCurves, AddUpNothingThatBelongsToSomebodyElse) {
  log_builder to{3s, 0s};
  to.survivor_second(1s, 5, 4, 2, 7);
  to.survivor_second(3s, 6, 6, 3);
  to.client_second(2s, 8, 1);
  to.client_second(2s, 3, 0, "clients-west");
  to.add(2s, "clients-east/lb", {}, attempt_sample{"us-west1", 9});
  to.end();
  const event_index index{to.log};
  const auto curves = curves_json(index, {});
  EXPECT_EQ(curves["grid"].dump(), R"({"seconds":3,"step":1,"points":3})");
  const auto& backend = curves["backends"].at(0);
  EXPECT_EQ(backend["entity"], "us-west1/checkout/web");
  EXPECT_EQ(backend["region"], "us-west1");
  EXPECT_EQ(backend["arrivals"].dump(), R"({"mean":[5,0,6]})");
  EXPECT_EQ(backend["queue_peak"].dump(), R"({"mean":[7,0,0]})");
  EXPECT_EQ(backend["billed"].dump(), R"({"mean":[2,0,3]})");
  EXPECT_EQ(curves["traffic"].dump(),
            R"([{"consumer":"clients-east","region":"us-west1","sent":{"mean":[0,9,0]}}])");
  ASSERT_EQ(curves["requests"].size(), 2u);
  EXPECT_EQ(curves["requests"][0]["ended"].dump(),
            R"({"ok":{"mean":[0,8,0]},"lb_timeout":{"mean":[0,1,0]}})");
  EXPECT_EQ(curves["requests"][1]["ended"].dump(), R"({"ok":{"mean":[0,3,0]}})");
}

TEST(PageCurves, BecomeCoarserWhenThereAreMoreOfThemThanNumbersFit) {
  log_builder to{100s, 0s};
  for (auto at = 1s; at <= 100s; at += 1s)
    to.survivor_second(at, at == 42s ? 1'000 : 1, 1, 1);
  to.end();
  const event_index index{to.log};
  // 14 curves of three lists of ten numbers.
  const auto curves = curves_json(index, {.numbers = 420});
  EXPECT_EQ(curves["grid"].dump(), R"({"seconds":100,"step":10,"points":10})");
  EXPECT_EQ(curves["backends"][0]["arrivals"]["hi"].dump(), "[1,1,1,1,1000,1,1,1,1,1]");
  EXPECT_EQ(curves["backends"][0]["arrivals"]["lo"].dump(), "1");
}

client_sample answers(std::initializer_list<duration> latencies) {
  latency_histogram all;
  for (const auto x : latencies)
    all.add(x);
  client_sample result;
  result.latency = all.sparse();
  return result;
}

TEST(PageLatency, TellsQuantilesOfEachPointAndTheSlowestOfAll) {
  log_builder to{4s, 0s};
  to.add(1s, "clients-east/clients", {}, answers({10ms, 10ms, 10ms}));
  to.add(2s, "clients-east/clients", {}, answers({10ms, 3s}));
  to.end();
  const event_index index{to.log};
  const auto curves = curves_json(index, {.points = 2, .heat_columns = 4});
  ASSERT_EQ(curves["latency"].size(), 1u);
  const auto& latency = curves["latency"][0];
  // Upper bounds of buckets of at most 1.6 %; nothing where nobody was answered.
  const auto near = [](const page_json& list, std::int64_t expected) {
    EXPECT_GE(list[0], expected);
    EXPECT_LE(list[0], expected + expected / 50);
    EXPECT_TRUE(list[1].is_null());
  };
  near(latency["p50"], 10'000);
  near(latency["max"], 3'000'000);
  const auto& heat = latency["heat"];
  EXPECT_EQ(heat["step"], 1);
  ASSERT_EQ(heat["columns"].size(), 4u);
  const auto first = heat["first_row"].get<std::int64_t>();
  EXPECT_EQ(heat["columns"][0], page_json::array({first, 3}));
  ASSERT_EQ(heat["columns"][1].size(), 4u);
  EXPECT_EQ(heat["columns"][1][1], 1);
  const auto row = heat["columns"][1][2].get<std::int64_t>() - first;
  EXPECT_EQ(heat["bounds"].size(), static_cast<std::size_t>(row) + 1);
  EXPECT_GE(heat["bounds"].back(), 3'000'000);
  EXPECT_TRUE(heat["columns"][3].empty());
}

TEST(PageLatency, ShowsAllConsumersTogetherAndEachOfAFew) {
  for (const auto& [consumers, expected] : {std::pair{1, 1}, {2, 3}, {6, 7}, {7, 1}}) {
    std::vector<std::string> sites{"director"};
    for (auto i = 0; i < consumers; ++i)
      sites.push_back("c" + std::to_string(i));
    event_log log{sites};
    log.record(run_start, "director", {}, run_started{"x", "", 1, 1s, 0s});
    for (std::size_t i = 1; i < sites.size(); ++i)
      log.record(run_start + 1s, sites[i] + "/clients", {}, answers({10ms}));
    log.record(run_start + 1s, "director", {}, run_ended{});
    const event_index index{log};
    EXPECT_EQ(curves_json(index, {})["latency"].size(), static_cast<std::size_t>(expected))
      << consumers;
  }
}

} // namespace
