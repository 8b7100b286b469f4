#include "report/page_parts.hpp"
#include "tests/report/log_builder.hpp"

#include <gtest/gtest.h>

#include <map>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;

// Places of what a row holds.
enum column : std::size_t { id, at, kind, entity, sentence, numbers, cause, change, reason };

TEST(PageEvents, LeadFromEachRowToThatOfItsCause) {
  auto to = test::clean_failover();
  const event_index index{to.log};
  const auto events = events_json(index, 1'000);
  const auto& rows = events["rows"];
  EXPECT_EQ(events["all"], rows.size());
  std::size_t linked = 0;
  for (const auto& row : rows) {
    const auto number = rows.size();
    ASSERT_GE(row.size(), 7u);
    if (row[cause].is_null())
      continue;
    ++linked;
    const auto place = row[cause].get<std::size_t>();
    ASSERT_LT(place, number);
    EXPECT_LE(rows[place][at], row[at]);
  }
  EXPECT_GT(linked, 20u);
  // The route's change goes back to the fault.
  std::map<std::string, page_json> by_id;
  for (const auto& row : rows)
    by_id[row[id]] = row;
  std::vector<std::string> chain;
  for (auto row = by_id.at("clients-east#4");; row = rows[row[cause].get<std::size_t>()]) {
    chain.push_back(events["kinds"][row[kind].get<std::size_t>()]);
    if (row[cause].is_null())
      break;
  }
  EXPECT_EQ(chain, (std::vector<std::string>{
                     "routing_changed", "neg_changed", "composite_changed", "source_changed",
                     "endpoint_changed", "instance_afflicted", "fault_applied", "fault_started"}));
}

TEST(PageEvents, TellWhatADecisionChangedAndWhatItAnswersTo) {
  log_builder to;
  to.everybody_starts_in({"clients-east"});
  to.route_turns(300s, {}, "clients-east", "us-east1", "us-west1", 299s);
  const scaling_decided decision{"cloud_run", 4, 6, 4, 0, "CPU", {}};
  to.add(310s, "us-west1/checkout/web", {}, decision);
  auto same = decision;
  same.after = 4;
  to.add(315s, "us-west1/checkout/web", {}, same);
  const event_index index{to.log};
  const auto rows = events_json(index, 1'000)["rows"];
  const auto& changed = rows[rows.size() - 2];
  ASSERT_EQ(changed.size(), 9u);
  EXPECT_EQ(changed[change].dump(), "[4,6]");
  EXPECT_EQ(changed[reason], "the last change of route towards us-west1, 10.0 s before");
  EXPECT_EQ(rows[changed[cause].get<std::size_t>()][sentence],
            "clients-east/lb prefers us-west1, us-east1 before");
  // One that leaves the number as it was answers to nothing.
  const auto& unchanged = rows[rows.size() - 1];
  ASSERT_EQ(unchanged.size(), 8u);
  EXPECT_EQ(unchanged[change].dump(), "[4,4]");
  EXPECT_TRUE(unchanged[cause].is_null());
}

TEST(PageEvents, LeaveOutWhatSaysLeastWhenThereAreTooMany) {
  log_builder to{20min, 0s};
  const auto decide = [&to](duration when, std::uint32_t after) {
    to.add(when, "us-west1/checkout/web", {}, scaling_decided{"hpa", 4, after, 4, 0, "CPU", {}});
  };
  const auto start = [&to](duration when) {
    to.add(when, "us-west1/checkout/web/0", {},
           instance_changed{instance_state::stopped, instance_state::starting, 1, "x"});
  };
  decide(1s, 4);
  decide(2s, 5);
  start(3s);
  start(4s);
  to.survivor_second(4s, 1, 1, 1);
  to.composite_turns(5s, {}, health::healthy, health::unhealthy);
  decide(6s, 5);
  const event_index index{to.log};
  const struct {
    const char* why = "";
    std::size_t limit = 0;
    std::vector<std::int64_t> expected = {};
  } cases[] = {
    {"all fit; numbers of a second are no events", 7, {0, 1, 2, 3, 4, 5, 6}},
    {"a decision that changes nothing goes first", 6, {0, 2, 3, 4, 5, 6}},
    {"then instances, the last ones", 5, {0, 2, 3, 5, 6}},
    {"then decisions", 3, {0, 2, 5}},
    {"the composite stays", 2, {0, 5}},
    {"of those alike the first", 1, {0}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto events = events_json(index, x.limit);
    std::vector<std::int64_t> seconds;
    for (const auto& row : events["rows"])
      seconds.push_back(row[at].get<std::int64_t>() / 1'000'000);
    EXPECT_EQ(seconds, x.expected);
    EXPECT_EQ(events["all"], 7);
    EXPECT_EQ(events["shown"], x.expected.size());
  }
  EXPECT_EQ(events_json(index, 3)["of_kinds"].dump(),
            R"([{"kind":"composite_changed","all":1,"shown":1},)"
            R"({"kind":"instance_changed","all":2,"shown":0},)"
            R"({"kind":"run_started","all":1,"shown":1},)"
            R"({"kind":"scaling_decided","all":3,"shown":1}])");
}

} // namespace
