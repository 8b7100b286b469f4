#include "report/event_pattern.hpp"

#include "report/event_log.hpp"
#include "tests/report/log_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillover::test {
namespace {

using namespace std::chrono_literals;

TEST(EventPattern, MeansEventsByKindPathAndFields) {
  event x;
  x.entity = "us-east1/checkout/web";
  x.what = fault_applied{3, true, 5, 10, "data cut"};
  const struct {
    const char* why = "";
    event_pattern pattern = {};
    bool expected = false;
  } cases[] = {
    {"the kind is enough", {"fault_applied"}, true},
    {"another kind", {"fault_started"}, false},
    {"the entity itself", {"fault_applied", "us-east1/checkout/web"}, true},
    {"what it lies below", {"fault_applied", "us-east1"}, true},
    {"a path ends where a part ends", {"fault_applied", "us-east"}, false},
    {"what lies below it", {"fault_applied", "us-east1/checkout/web/1"}, false},
    {"a number", {"fault_applied", "", {{"affected", "5"}}}, true},
    {"a flag", {"fault_applied", "", {{"active", "true"}}}, true},
    {"a text with a blank needs no quotes", {"fault_applied", "", {{"effect", "data cut"}}}, true},
    {"all fields must be equal",
     {"fault_applied", "", {{"affected", "5"}, {"present", "9"}}},
     false},
    {"a field that it has not", {"fault_applied", "", {{"length", "5"}}}, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(matches(c.pattern, x), c.expected);
  }
}

TEST(EventPattern, ReadsAsASentence) {
  EXPECT_EQ(to_string(event_pattern{"first_request"}), "first_request");
  EXPECT_EQ(to_string(event_pattern{
              "source_changed", "us-east1", {{"after", "UNHEALTHY"}, {"healthy", "5"}}}),
            "source_changed of us-east1 with after=UNHEALTHY, healthy=5");
}

TEST(EventPattern, KnowsEveryKindAndItsFields) {
  EXPECT_EQ(event_kinds().size(), std::variant_size_v<payload>);
  EXPECT_EQ(event_kinds().front(), "run_started");
  EXPECT_THAT(fields_of_kind("queue_changed"), testing::ElementsAre("length"));
  EXPECT_THAT(fields_of_kind("first_request"), testing::ElementsAre("region"));
  EXPECT_TRUE(fields_of_kind("no_such_kind").empty());
}

TEST(EventPattern, KnowsWhatAFieldCanBe) {
  EXPECT_EQ(problem_of_value("source_changed", "after", "HEALTHY"), "");
  EXPECT_EQ(problem_of_value("source_changed", "after", "healthy"),
            "must be one of UNKNOWN, HEALTHY, UNHEALTHY");
  EXPECT_EQ(problem_of_value("instance_changed", "before", "READY"),
            "must be one of starting, ready, deprioritised, draining, crashed, stopped");
  EXPECT_EQ(problem_of_value("queue_changed", "length", "12"), "");
  EXPECT_EQ(problem_of_value("queue_changed", "length", "12 "), "must be a whole number");
  EXPECT_EQ(problem_of_value("routing_changed", "fail_open", "yes"), "must be one of true, false");
  EXPECT_EQ(problem_of_value("first_request", "region", "anything"), "");
  EXPECT_EQ(problem_of_value("first_request", "no_such_field", "anything"), "");
}

// Whoever copies a value from what `fields_text` shows must find it again.
TEST(EventPattern, ShowsFieldsAsFieldsTextDoes) {
  auto run = clean_failover();
  for (const auto& x : run.log.events()) {
    std::string shown;
    auto plain = true;
    for (const auto& [name, value] : fields_of(x)) {
      plain = plain && value.find_first_of(" \"\\=") == std::string::npos && !value.empty();
      shown += (shown.empty() ? "" : " ") + std::string{name} + "=" + value;
    }
    if (plain) {
      EXPECT_EQ(shown, fields_text(x));
    }
  }
}

} // namespace
} // namespace spillover::test
