#include "report/verdict.hpp"
#include "tests/report/log_builder.hpp"
#include "tests/support/golden.hpp"

#include <gtest/gtest.h>

namespace spillover::test {
namespace {

using namespace std::chrono_literals;

// check_junit.py reads what these hold with a parser of its own.
void expect_golden_file(const std::string& name, const event_log& log,
                        const std::vector<expectation>& expectations) {
  expect_golden("tests/report/golden/" + name, to_junit(judge(log, expectations, {}), log));
}

TEST(Junit, HoldsATestCaseForEachExpectation) {
  const auto run = clean_failover();
  expect_golden_file("clean_failover.xml", run.log,
                     {{expect_failover{"us-east1", 20s}, "east is left in time"},
                      expect_capacity_recovered{"us-west1", 1min},
                      expect_errors{run_start + 5min, run_start + 7min, 0},
                      expect_clock{failover_clock::detect, "us-east1", 10s},
                      expect_latency{0.99, run_start + 5min, run_start + 7min, 1s},
                      expect_rate{"us-west1", run_start + 5min, run_start + 7min, 250.5, 400},
                      expect_instances{"us-west1/checkout/web", run_start + 20min,
                                       run_start + 20min, 8, std::nullopt},
                      expect_sequence{{{"source_changed"}, {"first_request"}}, 1h}});
}

TEST(Junit, TellsBooksThatDifferAsAnErrorAndAStopAsAProperty) {
  log_builder run;
  run.half_falls_silent();
  run.close_books("us-west1/checkout/api", "revision", "", {}, 1);
  run.add(341s, "director", {}, run_stopped{"queue of us-west1/checkout/web above 1,000"});
  run.add(341s, "director", {}, run_ended{});
  expect_golden_file("stopped.xml", run.log, {expect_failover{"us-east1", 1h}});
}

TEST(Junit, EscapesWhatIsMarkupAndReplacesWhatXmlCannotHold) {
  log_builder run;
  run.end();
  std::string name = "<&>\"' \t\n\r \xC3\xA4 \xF0\x9F\x98\x80";
  for (const auto* bad :
       {"\x01", "\x7F", "\x80", "\xC3", "\xED\xA0\x80", "\xEF\xBF\xBF", "\xC0\xAF"})
    name += std::string{"|"} + bad;
  name += '\0';
  expect_golden_file("escaped.xml", run.log, {{expect_transitions{"<a>/&", 0}, name}});
}

TEST(Junit, IsCompleteWhenNothingIsKnown) {
  expect_golden_file("empty.xml", event_log{{"director"}}, {});
}

} // namespace
} // namespace spillover::test
