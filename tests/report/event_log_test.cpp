#include "report/event_log.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

class EventLogTest : public testing::Test {
protected:
  event_id add(std::string_view entity, payload what, event_id cause = {}) {
    return log_.record(run_start + 1s, entity, cause, std::move(what));
  }

  event_log log_{{"director", "us-east1", "us-west1"}};
};

TEST_F(EventLogTest, NumbersTheEventsOfEachSiteFromOne) {
  EXPECT_EQ(add("us-east1/checkout/web", queue_changed{1}), (event_id{1, 1}));
  EXPECT_EQ(add("us-west1/checkout/web", queue_changed{1}), (event_id{2, 1}));
  EXPECT_EQ(add("us-east1/checkout/composite", composite_changed{}), (event_id{1, 2}));
  EXPECT_EQ(add("director", run_ended{}), (event_id{0, 1}));
}

TEST_F(EventLogTest, FindsEveryEventById) {
  const auto first = add("us-east1/checkout/web", queue_changed{7});
  const auto second = add("us-west1/checkout/web", queue_changed{8}, first);
  ASSERT_NE(log_.find(first), nullptr);
  EXPECT_EQ(std::get<queue_changed>(log_.find(first)->what).length, 7u);
  EXPECT_EQ(log_.find(second)->cause, first);
  EXPECT_EQ(log_.find(second)->entity, "us-west1/checkout/web");
  EXPECT_EQ(log_.find(second)->at, run_start + 1s);
}

TEST_F(EventLogTest, FindsNothingForIdsThatWereNotGiven) {
  add("us-east1/checkout/web", queue_changed{1});
  for (const auto id : {event_id{}, event_id{1, 2}, event_id{2, 1}, event_id{3, 1}})
    EXPECT_EQ(log_.find(id), nullptr) << id.site << '#' << id.number;
}

TEST_F(EventLogTest, KeepsTheLatestEventOfEachEntity) {
  EXPECT_FALSE(log_.latest("us-east1/checkout/web/7"));
  const auto first = add("us-east1/checkout/web/7", instance_changed{});
  add("us-east1/checkout/web/71", instance_changed{});
  EXPECT_EQ(log_.latest("us-east1/checkout/web/7"), first);
  const auto second = add("us-east1/checkout/web/7", instance_afflicted{});
  EXPECT_EQ(log_.latest("us-east1/checkout/web/7"), second);
  EXPECT_FALSE(log_.latest("us-east1/checkout/web"));
}

TEST_F(EventLogTest, SamplesAndBooksAreNoLatestEvent) {
  const auto state = add("us-east1/checkout/web", scaling_decided{});
  add("us-east1/checkout/web", revision_sample{});
  add("us-east1/checkout/web", attempt_sample{});
  add("us-east1/checkout/web", client_sample{});
  add("us-east1/checkout/web", books_closed{});
  EXPECT_EQ(log_.latest("us-east1/checkout/web"), state);
}

TEST_F(EventLogTest, ACopyFindsItsOwnEvents) {
  const auto id = add("us-east1/checkout/web", queue_changed{7});
  const auto copy = log_;
  EXPECT_NE(copy.find(id), nullptr);
  EXPECT_NE(copy.find(id), log_.find(id));
  EXPECT_EQ(copy.latest("us-east1/checkout/web"), id);
}

TEST(EventId, IsShownWithTheNameOfItsSite) {
  EXPECT_EQ(to_string(event_id{1, 42}, {"director", "us-east1"}), "us-east1#42");
  EXPECT_EQ(to_string(event_id{}, {"director", "us-east1"}), "");
}

} // namespace
