#include "consumers/client.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using problems = std::vector<std::string>;

TEST(ClientConfig, ProblemsAreNamedByField) {
  EXPECT_EQ(validate(client_config{}), problems{});
  EXPECT_EQ(
    validate(client_config{.timeout = 0s,
                           .retries = 26,
                           .backoff_base = -1ms,
                           .backoff_max = -2ms,
                           .backoff_jitter = 1.5,
                           .retry_on = {outcome::ok}}),
    (problems{"timeout: must be above 0s", "retries: must be at most 25",
              "backoff_base: must be at least 0s", "backoff_max: must be at least backoff_base",
              "backoff_jitter: must be from 0 to 1", "retry_on: ok is never tried again"}));
  EXPECT_EQ(validate(client_config{.backoff_jitter = std::numeric_limits<double>::quiet_NaN()}),
            problems{"backoff_jitter: must be from 0 to 1"});
}

TEST(ClosedLoopConfig, ProblemsAreNamedByField) {
  EXPECT_EQ(validate(closed_loop_config{}), problems{});
  EXPECT_EQ(validate(closed_loop_config{1'000'000, exponential_distribution{1s}}), problems{});
  EXPECT_EQ(validate(closed_loop_config{0, exponential_distribution{0s}}),
            (problems{"clients: must be from 1 to 1000000", "think_time.mean: must be above 0s"}));
  EXPECT_EQ(validate(closed_loop_config{1'000'001, constant_distribution{}}),
            problems{"clients: must be from 1 to 1000000"});
  EXPECT_EQ(validate(closed_loop_config{.from = run_start - 1ns}),
            problems{"from: must be at least 0s"});
  EXPECT_EQ(validate(closed_loop_config{.ramp_up = -1ns}),
            problems{"ramp_up: must be at least 0s"});
  EXPECT_EQ(validate(closed_loop_config{.from = run_start + 2s, .to = run_start + 2s}),
            problems{"to: must be after from"});
}

} // namespace
