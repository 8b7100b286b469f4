#include "report/why.hpp"

#include "tests/support/golden.hpp"
#include "tests/support/scenario_files.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <string>

namespace spillover {
namespace {

TEST(Why, TheDefaultScenarioIsExplainedAsRecorded) {
  const auto x = test::load(SPILLOVER_SOURCE_DIR "/configs/us-east1-brownout.yaml");
  const test::whole_run run{x};
  const event_index index{run.log()};
  std::string text;
  for (const auto* question :
       {"us-west1 scaled at 5m20s", "us-west1 scaled at 6m15s", "us-east1 unhealthy",
        "clients-east routed at 318s", "us-east1/checkout/web/3 unhealthy", "us-west1 started"}) {
    std::string problem;
    const auto query = parse_why_query(question, problem);
    ASSERT_TRUE(query) << problem;
    const auto found = find_events(index, *query);
    ASSERT_NE(found.best, nullptr) << question;
    text += "? " + std::string{question} + "\n" + to_text(index, found) + "\n";
  }
  text +=
    "?\n" + to_text(index, explain_verdict(index, judge(run.log(), x.expectations, x.recovery)));
  test::expect_golden("tests/integration/golden/why-us-east1-brownout-seed1.txt", text);
}

} // namespace
} // namespace spillover
