#include "report/clock_notes.hpp"

#include "report/verdict.hpp"
#include "tests/report/log_builder.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;
using notes = std::vector<std::string>;

// us-east1 turns at `turned`, the consumer learns it 2.4 s later and thinks that it is so old.
void propagate(log_builder& run, duration turned, duration age,
               std::string_view consumer = "clients-east") {
  const auto turn =
    run.composite_turns(turned, {}, health::healthy, health::unhealthy, "us-east1/checkout");
  run.add(turned + 2'400ms, std::string{consumer} + "/lb", turn,
          neg_changed{"us-east1", health::healthy, health::unhealthy, 2, age.count()});
}

void clock(log_builder& run, duration at, std::string_view site, std::uint32_t fault, bool active,
           std::string effect) {
  run.add(at, site, {}, fault_applied{fault, active, 0, 0, std::move(effect)});
}

notes notes_of(const log_builder& run) {
  return clock_notes(event_index{run.log});
}

TEST(ClockNotes, TellTheAgeByTheSitesOwnClocksBesideTheTrueOne) {
  log_builder run;
  clock(run, 300s, "us-east1", 0, true, "3s ahead");
  propagate(run, 310s, -600ms);
  const notes expected{"by the sites' own clocks propagation from us-east1 to clients-east took "
                       "-0.6 s at 312.400 s, not 2.4 s; clock us-east1 is 3s ahead"};
  EXPECT_EQ(notes_of(run), expected);
  EXPECT_EQ(judge(run.log, {}, {}).notes.back(), expected.front());
}

TEST(ClockNotes, NameBothClocksAndCountFurtherStates) {
  log_builder run;
  clock(run, 300s, "us-east1", 0, true, "3s ahead");
  clock(run, 300s, "clients-east", 1, true, "1s behind");
  propagate(run, 310s, -1'600ms);
  propagate(run, 320s, -1'600ms);
  EXPECT_EQ(
    notes_of(run),
    notes{"by the sites' own clocks propagation from us-east1 to clients-east took -1.6 s at "
          "312.400 s, not 2.4 s; clock us-east1 is 3s ahead, clock clients-east is 1s "
          "behind; 1 more"});
}

TEST(ClockNotes, SayNothingOfWhatIsRight) {
  log_builder run;
  propagate(run, 290s, 2'400ms);
  EXPECT_EQ(notes_of(run), notes{}) << "no clock is wrong";
  clock(run, 300s, "us-west1", 0, true, "3s ahead");
  propagate(run, 305s, 2'400ms);
  EXPECT_EQ(notes_of(run), notes{}) << "another region's clock is wrong";
  clock(run, 310s, "us-east1", 1, true, "3s ahead");
  clock(run, 310s, "clients-east", 2, true, "3s ahead");
  propagate(run, 315s, 2'400ms);
  EXPECT_EQ(notes_of(run), notes{}) << "both are wrong alike";
  clock(run, 320s, "us-east1", 1, false, "3s ahead");
  clock(run, 320s, "clients-east", 2, false, "3s ahead");
  propagate(run, 325s, 0s);
  EXPECT_EQ(notes_of(run), notes{}) << "no clock is wrong any more";
}

TEST(ClockNotes, ReadTheProducersClockWhenItSendsAndTheConsumersWhenItReceives) {
  log_builder run;
  clock(run, 300s, "us-east1", 0, true, "3s ahead");
  const auto turn = run.composite_turns(309s, {}, health::healthy, health::unhealthy);
  clock(run, 310s, "us-east1", 0, false, "3s ahead");
  run.add(311s, "clients-east/lb", turn,
          neg_changed{"us-east1", health::healthy, health::unhealthy, 2, duration{-1s}.count()});
  EXPECT_EQ(notes_of(run).size(), 1u);
}

} // namespace
