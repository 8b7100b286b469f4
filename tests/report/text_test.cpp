#include "report/verdict.hpp"
#include "tests/report/log_builder.hpp"
#include "tests/support/golden.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;

const std::vector<expectation> expectations{
  expect_failover{"us-east1", 20s},
  expect_capacity_recovered{"us-west1", 90s},
  expect_errors{run_start + 5min, run_start + 7min, 0.005},
  expect_failback{"us-east1", 30s},
  expect_transitions{"us-east1/checkout", 2},
};

void expect_page(const std::string& text) {
  EXPECT_TRUE(text.ends_with('\n'));
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 110u) << line;
    EXPECT_FALSE(line.empty());
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

void expect_golden_page(const std::string& name, const verdict& x, const std::string& where) {
  const auto text = to_text(x, where);
  expect_page(text);
  test::expect_golden("tests/report/golden/" + name, text);
}

TEST(VerdictText, ShowsACleanFailover) {
  const auto run = test::clean_failover();
  expect_golden_page("clean_failover.txt", judge(run.log, expectations, {}),
                     "runs/brownout-1/report.html");
}

TEST(VerdictText, ShowsWhatFailed) {
  log_builder run;
  run.everybody_starts_in({"clients-east", "clients-west"});
  const auto fault = run.half_falls_silent();
  const auto down = run.region_turns_unhealthy(fault);
  const auto neg = run.consumer_learns(316'800ms, down, "clients-east", health::unhealthy);
  run.route_turns(317'800ms, neg, "clients-east", "us-east1", "us-west1", 317'750ms);
  for (auto at = 301s; at <= 420s; ++at)
    run.client_second(at, 290, 10);
  run.close_books("us-west1/checkout/api", "revision", "", {}, 1);
  test::close_balanced_books(run, 100);
  expect_golden_page("failed.txt", judge(run.log, expectations, {}), "runs/brownout-1");
}

TEST(VerdictText, ShowsTwoConsumersAndAMissedRegion) {
  auto run = test::clean_failover({"clients-east", "clients-west"});
  auto judged = judge(run.log, {expect_failover{"us-east1", 10s}}, {});
  auto& missed = judged.failovers.emplace_back();
  missed.from = "us-west1";
  missed.fault_at = run_start + 700s;
  missed.fault_detail = "region us-west1: out of reach";
  missed.detect.detail = "no endpoint turned unhealthy";
  missed.cost.missing = "nothing was billed before or since";
  expect_golden_page("two_blocks.txt", judged, "");
}

TEST(VerdictText, ListsWhatFailedFirstAndThenWhatHasAName) {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  const auto fault = run.half_falls_silent();
  run.region_turns_unhealthy(fault);
  for (auto at = 301s; at <= 341s; ++at)
    run.client_second(at, 290, 10);
  run.add(341s, "director", {},
          run_stopped{"too long: queue of us-west1/checkout/web above 1,000"});
  run.add(341s, "director", {}, run_ended{});
  expect_golden_page("stopped.txt",
                     judge(run.log,
                           {{expect_errors{run_start + 5min, run_start + 7min, 0.05}, "few errors"},
                            expect_transitions{"us-east1/checkout", 2},
                            {expect_errors{run_start + 5min, run_start + 7min, 0}, "no errors"},
                            expect_failover{"us-east1", 1min},
                            expect_clock{failover_clock::propagate, "us-east1", 0s}},
                           {}),
                     "runs/brownout-1");
}

TEST(VerdictText, ShowsALimitOfNothingAsSuch) {
  const auto run = test::clean_failover();
  const auto text = to_text(judge(run.log, {expect_failover{"us-east1", 0s}}, {}), "");
  EXPECT_NE(text.find("FAIL   17.8 s of 0 s\n"), std::string::npos) << text;
}

TEST(VerdictText, SaysInOneLineThatNothingFailedOver) {
  log_builder run;
  test::close_balanced_books(run);
  EXPECT_EQ(to_text(judge(run.log, {}, {}), ""),
            "no failover: no fault turned a composite health check UNHEALTHY\n"
            "requests 1,000   none ended after the warm-up\n"
            "no expectations\n");
}

TEST(VerdictText, WrapsWhatIsTooLong) {
  const auto run = test::clean_failover();
  auto judged = judge(run.log, expectations, {});
  auto& failover = judged.failovers.front();
  failover.detect.detail = std::string(200, 'x');
  failover.aggregate.detail = "many words " + std::string(90, 'y') + " and more words";
  failover.aggregate.basis = std::string(84, 'z') + " end";
  failover.route.detail.clear();
  for (int i = 0; i < 80; ++i)
    failover.route.detail += "\xC3\xA9";
  failover.from = std::string(120, 'r');
  judged.notes = {
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen"};
  expect_golden_page("wrapped.txt", judged, std::string(130, 'w'));
}

} // namespace
