#include "report/event_log.hpp"
#include "report/event_reader.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

const std::vector<std::string> sites{"director", "us-east1", "us-west1"};

event happened(event_id id, duration at, event_id cause = {}) {
  static const char* const entities[] = {"director", "us-east1/checkout/web",
                                         "us-west1/checkout/web"};
  return {id, cause, run_start + at, entities[id.site], queue_changed{1}};
}

std::vector<event_id> ids_of(const event_log& x) {
  std::vector<event_id> result;
  for (const auto& e : x.events())
    result.push_back(e.id);
  return result;
}

TEST(JoinedLog, HoldsNumbersWithHoles) {
  event_log log{sites};
  EXPECT_FALSE(log.joined());
  log.number_from(0, 100);
  const auto add = [&log](event_id id) {
    return log.record_as(id, run_start, "director", {}, queue_changed{});
  };
  EXPECT_TRUE(add({0, 7}));
  EXPECT_TRUE(add({0, 2}));
  EXPECT_FALSE(add({0, 7})) << "twice";
  EXPECT_EQ(log.record(run_start, "director", {}, queue_changed{}), (event_id{0, 100}));
  EXPECT_TRUE(add({0, 5'000'000}));
  EXPECT_TRUE(add({0, 5'000'002}));
  EXPECT_EQ(log.record(run_start, "director", {}, queue_changed{}), (event_id{0, 5'000'003}));
  for (const std::uint64_t number : {2, 7, 100, 5'000'000, 5'000'002, 5'000'003}) {
    ASSERT_NE(log.find({0, number}), nullptr) << number;
    EXPECT_EQ(log.find({0, number})->id.number, number);
  }
  for (const std::uint64_t number : {1, 3, 99, 101, 4'999'999, 5'000'001, 5'000'004})
    EXPECT_EQ(log.find({0, number}), nullptr) << number;
  EXPECT_TRUE(log.joined());
}

TEST(JoinedLog, IsInTheOrderOfTimeWithCausesBeforeEffects) {
  // The clock of us-west1 is behind: its effect seems to come before its cause.
  const std::vector<event> events{
    happened({2, 1}, 1s, {1, 2}), happened({1, 1}, 2s),         happened({1, 2}, 3s, {1, 1}),
    happened({2, 2}, 4s, {1, 9}), happened({0, 1}, 4s, {2, 1}),
  };
  const auto log = join_events(sites, events);
  EXPECT_EQ(ids_of(log), (std::vector<event_id>{{1, 1}, {1, 2}, {2, 1}, {0, 1}, {2, 2}}));
  EXPECT_EQ(log.find({2, 1})->cause, (event_id{1, 2}));
  EXPECT_FALSE(log.find({2, 2})->cause) << "what never came is no cause";
}

TEST(JoinedLog, CountsWhatCameTwiceOnce) {
  auto again = happened({1, 1}, 1s);
  std::get<queue_changed>(again.what).length = 9;
  const auto log = join_events(sites, {happened({1, 1}, 1s), again});
  ASSERT_EQ(log.events().size(), 1u);
  EXPECT_EQ(std::get<queue_changed>(log.events()[0].what).length, 1u);
}

TEST(JoinedLog, SurvivesCausesInACircle) {
  const auto log = join_events(sites, {happened({1, 1}, 1s, {2, 1}), happened({2, 1}, 1s, {1, 1})});
  EXPECT_EQ(log.events().size(), 2u);
}

TEST(JoinedLog, IsReadAsItWasWritten) {
  auto log = join_events(sites, {happened({1, 1'000'001}, 1s), happened({0, 2}, 2s, {1, 1'000'001}),
                                 happened({1, 3}, 3s)});
  std::stringstream file;
  write_event_log(file, log);
  std::string problem;
  const auto read = read_event_log(file, problem);
  ASSERT_TRUE(read) << problem;
  EXPECT_TRUE(read->joined());
  EXPECT_EQ(ids_of(*read), ids_of(log));
  std::stringstream twice{file.str() + to_json(happened({1, 3}, 3s), sites) + "\n"};
  EXPECT_FALSE(read_event_log(twice, problem));
  EXPECT_NE(problem.find("comes twice"), std::string::npos) << problem;
}

} // namespace
