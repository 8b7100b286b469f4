#include "report/deployment_check.hpp"

#include "report/verdict.hpp"
#include "tests/report/log_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

pace_sample late_by(duration most) {
  pace_sample x;
  x.span_ns = 1'000'000'000;
  x.timers = 10;
  x.late_most_ns = static_cast<std::uint64_t>(most.count());
  return x;
}

/// A failover with clocks as long as these, the first of them from 300 s on.
failover_anatomy failover_of(duration detect, duration aggregate) {
  failover_anatomy x;
  x.from = "us-east1";
  x.fault_at = run_start + 300s;
  x.detect.span = detect;
  x.aggregate.span = aggregate;
  return x;
}

TEST(SpoiledClocks, AreThoseThatRanWhileAProcessWasTooLate) {
  const struct {
    const char* what = "";
    duration at{};
    duration late{};
    const char* spoiled = "";
  } cases[] = {
    {"in time", 305s, 299ms, ""},
    {"beyond a tenth of a long clock", 305s, 1'001ms, "clock detect of us-east1 (10.0 s)"},
    {"within a tenth of a long clock", 305s, 999ms, ""},
    {"beyond the floor of a short one", 311s, 301ms, "clock aggregate of us-east1"},
    {"before the fault", 299s, 5s, ""},
    {"when all is over", 314s, 5s, ""},
  };
  for (const auto& x : cases) {
    log_builder run;
    run.add(x.at, "us-west1", {}, late_by(x.late));
    const auto found = spoiled_clocks(event_index{run.log}, {failover_of(10s, 1s)});
    if (*x.spoiled == '\0')
      EXPECT_THAT(found, IsEmpty()) << x.what;
    else
      EXPECT_THAT(found, Contains(AllOf(HasSubstr(x.spoiled), HasSubstr("us-west1")))) << x.what;
  }
}

TEST(SpoiledClocks, AreNotThoseOfAProcessThatWasLost) {
  log_builder run;
  run.add(302s, "director", {}, site_lost{"us-west1", "no sign of life"});
  run.add(307s, "director", {}, site_returned{"us-west1"});
  run.add(307s, "us-west1", {}, late_by(6s));
  EXPECT_THAT(spoiled_clocks(event_index{run.log}, {failover_of(10s, 1s)}), IsEmpty());
  run.add(309s, "us-west1", {}, late_by(6s));
  EXPECT_THAT(spoiled_clocks(event_index{run.log}, {failover_of(10s, 1s)}), testing::SizeIs(1));
}

TEST(IncompleteSites, AreThoseWithAnEarlierProcessOrWithoutBooks) {
  log_builder run;
  run.add(1s, "us-east1", {}, site_joined{1, false});
  run.add(1s, "us-west1", {}, site_joined{1, false});
  run.add(2s, "director", {}, site_lost{"us-west1", "no sign of life"});
  run.add(3s, "director", {}, site_joined{2, true});
  run.add(9s, "us-east1/checkout", {}, books_closed{});
  EXPECT_THAT(incomplete_sites(event_index{run.log}), ElementsAre("us-west1"));
  run.add(9s, "us-west1/checkout", {}, books_closed{});
  EXPECT_THAT(incomplete_sites(event_index{run.log}), IsEmpty()) << "it was only silent";
  run.add(10s, "us-east1", {}, site_joined{2, true});
  EXPECT_THAT(incomplete_sites(event_index{run.log}), ElementsAre("us-east1"));
}

TEST(Wire, LosesWhatLeftOneProcessAndNeverCameToTheOther) {
  log_builder run;
  const auto books = [](const char* other, std::uint64_t shipped, std::uint64_t refused,
                        std::uint64_t dropped, std::uint64_t came) {
    books_closed x;
    x.account = "wire";
    x.counterpart = other;
    x.taken = shipped + refused + dropped;
    x.ended[static_cast<std::size_t>(outcome::unavailable)] = refused;
    x.ended[static_cast<std::size_t>(outcome::lost)] = dropped;
    x.in_flight = shipped;
    x.late = came;
    return x;
  };
  run.add(9s, "clients-east/wire/us-east1", {}, books("us-east1", 100, 7, 2, 95));
  run.add(9s, "us-east1/wire/clients-east", {}, books("clients-east", 95, 0, 0, 99));
  const event_index index{run.log};
  const auto total = total_wire(index);
  EXPECT_EQ(total.lost, 1u);
  EXPECT_EQ(total.dropped, 2u);
  EXPECT_EQ(total.refused, 7u);
  EXPECT_EQ(refused_by_wire(index, "clients-east", "us-east1"), 7u);
  EXPECT_EQ(refused_by_wire(index, "clients-east", "us-west1"), 0u);
  EXPECT_THAT(deployment_notes(index),
              ElementsAre(HasSubstr("3 requests or answers were lost between processes"),
                          HasSubstr("7 requests were refused at once")));
}

TEST(DeploymentNotes, TellOfClocksThatDifferByMoreThanTheWayExplains) {
  log_builder run;
  run.add(1s, "director", {}, clock_sample{"us-east1", 400'000, 1'000'000});
  EXPECT_THAT(deployment_notes(event_index{run.log}), IsEmpty());
  run.add(2s, "director", {}, clock_sample{"us-east1", -12'345'678, 1'000'000});
  EXPECT_THAT(deployment_notes(event_index{run.log}),
              ElementsAre(AllOf(HasSubstr("us-east1"), HasSubstr("-12.3 ms"))));
}

} // namespace
