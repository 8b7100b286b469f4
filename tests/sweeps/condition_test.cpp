#include "sweeps/condition.hpp"

#include "sweeps/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spillover {
namespace {

using testing::HasSubstr;

run_outcome run_of(std::optional<std::int64_t> failover_ns, std::int64_t failed_ppm = 0) {
  run_outcome result;
  result.end = run_end::met;
  result.values[*find_measure("failover_ns")] = failover_ns;
  result.values[*find_measure("failed_ppm")] = failed_ppm;
  result.values[*find_measure("billed_vcpu_milli")] = 7'000;
  result.values[*find_measure("billed_idle_vcpu_milli")] = 500;
  return result;
}

std::vector<condition> parsed(const std::string& text) {
  auto result = parse_conditions(text, 0.9);
  if (const auto* wrong = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << text << ": " << *wrong;
    return {};
  }
  return std::get<std::vector<condition>>(std::move(result));
}

TEST(Quantity, HasAShortNameAndThatOfTheStore) {
  EXPECT_EQ(find_quantity("failover"), find_quantity("failover_ns"));
  EXPECT_EQ(find_quantity("errors"), find_quantity("failed_ppm"));
  ASSERT_NE(find_quantity("failover"), nullptr);
  EXPECT_EQ(find_quantity("failover")->unit, measure_unit::ns);
  EXPECT_EQ(find_quantity("nonsense"), nullptr);
  for (const auto& x : quantities())
    EXPECT_EQ(find_quantity(x.name), &x) << "two are called " << x.name;
  for (const auto& x : measures())
    EXPECT_NE(find_quantity(x.name), nullptr) << x.name;
}

TEST(Quantity, OfARunThatIsNoResultIsTheWorst) {
  const auto& failover = *find_quantity("failover");
  const auto& cost = *find_quantity("cost");
  auto run = run_of(12);
  EXPECT_EQ(failover.of(run), 12);
  EXPECT_EQ(cost.of(run), 7'500) << "idle minimum instances cost too";
  EXPECT_EQ(failover.of(run_of(std::nullopt)), never_ended);
  run.end = run_end::failed;
  EXPECT_EQ(failover.of(run), never_ended);
}

TEST(Quantity, IsShownInItsUnit) {
  EXPECT_EQ(value_text(measure_unit::ns, 17.84e9), "17.8 s");
  EXPECT_EQ(value_text(measure_unit::ns, never_ended), "not within the run");
  EXPECT_EQ(value_text(measure_unit::ppm, 250), "0.03 %");
  EXPECT_EQ(value_text(measure_unit::milli_vcpu_s, 1'530'240), "1,530.2");
  EXPECT_EQ(value_text(measure_unit::count, 3), "3");
  EXPECT_EQ(value_text(measure_unit::count, 3.25), "3.25");
  EXPECT_EQ(difference_text(measure_unit::ns, -2.5e9), "-2.5 s");
  EXPECT_EQ(difference_text(measure_unit::count, 2), "+2");
  EXPECT_EQ(difference_text(measure_unit::count, 0), "0");
}

TEST(Condition, HoldsInRuns) {
  struct {
    const char* why = "";
    const char* text = "";
    run_outcome run = {};
    bool expected = false;
  } const cases[] = {
    {"below the bound", "failover<15s", run_of(14'999'999'999), true},
    {"the bound itself is not below", "failover<15s", run_of(15'000'000'000), false},
    {"but at most", "failover <= 15s", run_of(15'000'000'000), true},
    {"what never ended is not within any bound", "failover<10h", run_of(std::nullopt), false},
    {"nor above one", "failover>1s", run_of(std::nullopt), false},
    {"above", "failover>1s", run_of(2'000'000'000), true},
    {"at least", "failover>=2s", run_of(2'000'000'000), true},
    {"shares are percentages", "errors<0.5%", run_of(1, 4'999), true},
    {"and half a percent is 5,000 in a million", "errors<0.5%", run_of(1, 5'000), false},
    {"time of vCPUs in seconds", "cost<7.6", run_of(1), true},
    {"a sum", "cost<7.4", run_of(1), false},
    {"expectations", "met", run_of(1), true},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto all = parsed(x.text);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].holds_in(x.run), x.expected);
  }
}

TEST(Condition, SaysInWhatShareOfRuns) {
  struct {
    const char* why = "";
    const char* text = "";
    std::optional<double> expected = std::nullopt;
  } const cases[] = {
    {"as usual", "failover<15s", 0.9},
    {"a quantile is a share", "p95(failover)<15s", 0.95},
    {"of a fraction of a percent too", "p99.9( failover ) < 15s", 0.999},
    {"the median is a half", "median(failover)<15s", 0.5},
    {"that a low quantile is high, most runs do", "p5(failover)>15s", 0.95},
    {"a mean is none", "mean(cost)<15", std::nullopt},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto all = parsed(x.text);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].share.has_value(), x.expected.has_value());
    EXPECT_NEAR(all[0].share.value_or(0), x.expected.value_or(0), 1e-12);
  }
  const auto both = parsed("failover<15s and errors<0.5%, met");
  ASSERT_EQ(both.size(), 3u);
  EXPECT_EQ(both[1].text, "errors<0.5%");
}

TEST(Condition, SaysWhatIsAllowed) {
  struct {
    const char* text = "";
    const char* expected = "";
  } const cases[] = {
    {"failovr<15s", "there is no 'failovr'; choose detect, aggregate"},
    {"failover<15", "failover must be a time such as 15s or 250ms, not '15'"},
    {"errors<0.5", "errors must be a percentage such as 0.5%, not '0.5'"},
    {"cost<15s", "cost must be a number of vCPU-s, not '15s'"},
    {"transitions<", "transitions must be a number, not ''"},
    {"failover", "'failover' is no condition; write for example failover<15s"},
    {"", "'' is no condition"},
    {"failover<15s,", "'' is no condition"},
    {"p100(failover)<15s", "choose p1(...) to p99.9(...), median(...) or mean(...)"},
    {"max(failover)<15s", "choose p1(...)"},
    {"p95(failover<15s", "is no function of a quantity"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.text);
    const auto result = parse_conditions(x.text, 0.95);
    ASSERT_TRUE(std::holds_alternative<std::string>(result));
    EXPECT_THAT(std::get<std::string>(result), HasSubstr(x.expected));
  }
}

} // namespace
} // namespace spillover
