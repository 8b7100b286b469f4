#include "report/event_log.hpp"
#include "sites/journal.hpp"
#include "sites/live_faults.hpp"
#include "sites/plan_messages.hpp"
#include "tests/net/folder.hpp"
#include "tests/support/small_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using net::test::folder;
using testing::HasSubstr;

scenario valid_world() {
  auto result = test::small_world();
  for (auto& service : result.published_services)
    for (auto& backend : service.backend_services)
      backend.billing.how = billing::mode::instance_based;
  return result;
}

const net::endpoints somewhere{"tcp://127.0.0.1:1", "tcp://127.0.0.1:2", "tcp://127.0.0.1:3", ""};
const live_fault some_fault{4, "{region: {name: near, become: silent}}", run_start + 7s, {0, 9}};

TEST(PlanMessages, ComeBackAsTheyWere) {
  plan_message plan;
  plan.peers = {{"near", somewhere}};
  plan.process = 77;
  plan.speed = 12.5;
  plan.incarnation = 3;
  plan.first_event = 2'000'001;
  plan.late = true;
  plan.start_real = 1'700'000'000'000'000'001;
  plan.faults = {some_fault};
  plan.lifted = {0, 4};
  const auto read = read_plan(write(plan));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->peers, plan.peers);
  EXPECT_EQ(read->speed, plan.speed);
  EXPECT_EQ(read->process, plan.process);
  EXPECT_EQ(read->incarnation, plan.incarnation);
  EXPECT_EQ(read->first_event, plan.first_event);
  EXPECT_EQ(read->late, plan.late);
  EXPECT_EQ(read->start_real, plan.start_real);
  EXPECT_EQ(read->faults, plan.faults);
  EXPECT_EQ(read->lifted, plan.lifted);
  EXPECT_EQ(read_number(write_number(-5)), -5);
  const auto done = read_finished(write(finished_message{7, 8, {"x"}}));
  ASSERT_TRUE(done);
  EXPECT_EQ(done->casualties, std::vector<std::string>{"x"});
  EXPECT_EQ(done->on_the_way + done->lines, 15u);
  const std::vector<kept_request> kept{
    {{1, 2, run_start + 1s, run_start + 2s, outcome::lost, 3}, true, false, true}};
  EXPECT_EQ(read_kept(write(kept)), kept);
  for (const std::vector<std::string>& lines :
       {std::vector<std::string>{}, {"{\"a\":1}"}, {"{}", "", "\"\\n\""}}) {
    const auto remains = read_remains(write(remains_message{5, {7, 4, lines}}));
    ASSERT_TRUE(remains);
    EXPECT_EQ(remains->process, 5u);
    EXPECT_EQ(remains->batch, (net::telemetry_batch{7, 4, lines}));
  }
}

TEST(PlanMessages, AreNotReadFromAnythingElse) {
  for (const std::string body :
       {"", "{", "null", "[]", "7", "{\"at\":{}}", "{\"peers\":7}", "[[1,2,3]]",
        "[[0,1,0,0,99,1,true,true,true]]", "\xff\xfe", "{\"number\":-1}"}) {
    EXPECT_FALSE(read_join(body)) << body;
    EXPECT_FALSE(read_plan(body)) << body;
    EXPECT_FALSE(read_fault(body)) << body;
    EXPECT_FALSE(read_finished(body)) << body;
    EXPECT_FALSE(read_remains(body)) << body;
  }
  EXPECT_FALSE(read_kept("[[0,1,0,0,99,1,true,true,true]]"));
  EXPECT_FALSE(read_kept("{}"));
  EXPECT_FALSE(read_number("7 "));
  EXPECT_FALSE(read_number(""));
}

TEST(LiveFaults, AreThoseOfAScenario) {
  const auto spec = valid_world();
  const auto read = parse_live_fault(
    "  {for: 2m, instances: {of: near/shop/web, fraction: 50%, become: silent}} ", spec);
  const auto* found = std::get_if<fault>(&read);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->lasts, 2min);
  EXPECT_EQ(std::get<instance_fault>(found->what).of, "near/shop/web");
}

TEST(LiveFaults, NeedNoFileOfATrace) {
  auto spec = valid_world();
  trace_config trace;
  trace.source.file = "traces/gone.csv";
  trace.traffic =
    std::make_shared<const recorded_traffic>(recorded_traffic::of_counts(1min, {10, 20}));
  spec.consumers.front().traffic.assign(1, trace);
  const auto read = parse_live_fault("{for: 2m, region: {name: near, become: lost}}", spec);
  EXPECT_NE(std::get_if<fault>(&read), nullptr);
}

TEST(LiveFaults, SayWhatIsWrong) {
  const auto spec = valid_world();
  const struct {
    const char* text;
    const char* problem;
  } cases[] = {
    {"", "on one line and in braces"},
    {"region: {name: near}", "in braces"},
    {"{region: {name: nowhere, become: silent}}", "nowhere"},
    {"{at: 5s, region: {name: near, become: silent}}", "at"},
    {"{region: {name: near, become: silent}}, {region: {name: far, become: silent}}", ""},
    {"{for: 2m}", ""},
  };
  for (const auto& x : cases) {
    const auto read = parse_live_fault(x.text, spec);
    const auto* problems = std::get_if<std::vector<std::string>>(&read);
    ASSERT_NE(problems, nullptr) << x.text;
    ASSERT_FALSE(problems->empty()) << x.text;
    EXPECT_THAT(problems->front(), HasSubstr(x.problem)) << x.text;
  }
}

class JournalTest : public testing::Test {
protected:
  static event happened(std::uint64_t number) {
    return {{1, number}, {}, run_start + 1s, "near/shop/web", queue_changed{3}};
  }

  folder folder_;
  std::filesystem::path file_ = folder_.path() / "director.journal";
  std::vector<std::string> sites_{"director", "near", "far"};
};

TEST_F(JournalTest, GivesBackWhatAnEarlierOneWrote) {
  {
    journal first{file_, sites_, 77};
    EXPECT_EQ(first.before().directors, 0u);
    first.joined("near", {5, 1, 1, somewhere});
    first.started(1234, 10);
    first.line("near", 1, to_json(happened(1), sites_));
    first.line("near", 2, to_json(happened(2), sites_));
    first.added(some_fault);
    first.lifted(4);
    first.stopped({run_start + 9s, "by an operator", {0, 7}});
    first.flush();
  }
  journal second{file_, sites_, 77};
  const auto& before = second.before();
  EXPECT_EQ(before.directors, 1u);
  EXPECT_EQ(before.start, 1234);
  EXPECT_EQ(before.speed, 10);
  EXPECT_EQ(before.processes.at("near").start, 5u);
  EXPECT_EQ(before.processes.at("near").at, somewhere);
  EXPECT_EQ(before.lines.at("near"), 2u);
  ASSERT_EQ(before.events.size(), 2u);
  EXPECT_EQ(before.events[1].id, (event_id{1, 2}));
  EXPECT_EQ(before.faults, std::vector{some_fault});
  EXPECT_TRUE(before.lifted.contains(4));
  ASSERT_TRUE(before.stopped);
  EXPECT_EQ(before.stopped->at, run_start + 9s);
  EXPECT_EQ(before.stopped->reason, "by an operator");
  EXPECT_EQ(before.stopped->cause, (event_id{0, 7}));
}

TEST_F(JournalTest, LinesOfAnotherProcessAreCountedAnew) {
  {
    journal first{file_, sites_, 77};
    first.joined("near", {5, 1, 1, somewhere});
    first.line("near", 9, to_json(happened(9), sites_));
    first.joined("near", {6, 2, 1'000'001, somewhere});
    first.line("near", 1, to_json(happened(1'000'001), sites_));
    // Only where it is has changed.
    first.joined("near", {6, 2, 1'000'001, somewhere});
    first.flush();
  }
  journal second{file_, sites_, 77};
  EXPECT_EQ(second.before().lines.at("near"), 1u);
  EXPECT_EQ(second.before().processes.at("near").incarnation, 2u);
}

TEST_F(JournalTest, KeepsWhatIsKnownOfEachProcess) {
  {
    journal first{file_, sites_, 77};
    first.joined("near", {5, 1, 1, somewhere});
    first.line("near", 2, to_json(happened(2), sites_));
    first.joined("near", {6, 2, 1'000'001, somewhere});
    first.line("near", 1, to_json(happened(1'000'001), sites_));
    first.remains("near", 5, 3, to_json(happened(3), sites_));
    first.joined("near", {7, 3, 2'000'001, somewhere});
    first.flush();
  }
  journal second{file_, sites_, 77};
  const auto& before = second.before();
  EXPECT_EQ(before.lines.at("near"), 0u);
  EXPECT_EQ(before.earlier.at("near"), (std::map<std::uint64_t, std::uint64_t>{{5, 3}, {6, 1}}));
  ASSERT_EQ(before.events.size(), 3u);
  EXPECT_EQ(before.events[2].id, (event_id{1, 3}));
}

TEST_F(JournalTest, PassesOverWhatAKilledDirectorDidNotWriteWhole) {
  {
    journal first{file_, sites_, 77};
    first.line("near", 1, to_json(happened(1), sites_));
    first.flush();
    std::ofstream{file_, std::ios::app} << "line near 2 {\"id\":\"near#2\"";
  }
  {
    journal second{file_, sites_, 77};
    EXPECT_EQ(second.before().lines.at("near"), 1u);
    second.line("near", 2, to_json(happened(2), sites_));
    second.flush();
  }
  journal third{file_, sites_, 77};
  EXPECT_EQ(third.before().lines.at("near"), 2u);
  EXPECT_EQ(third.before().events.size(), 2u);
}

TEST_F(JournalTest, RefusesAnotherScenariosAndOtherFiles) {
  { const journal first{file_, sites_, 77}; }
  EXPECT_THROW(journal(file_, sites_, 78), std::runtime_error);
  std::ofstream{file_} << "something else\n";
  EXPECT_THROW(journal(file_, sites_, 77), std::runtime_error);
}

} // namespace
