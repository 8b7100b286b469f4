#include "lb/try_table.hpp"

#include "tests/lb/try_script.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace spillover::test {
namespace {

using namespace std::chrono_literals;
using enum outcome;

TEST(TryTable, EndsPausesInTheirOrder) {
  using pauses = std::vector<std::pair<std::uint32_t, duration>>; // of which request, until when
  const struct {
    const char* why;
    pauses begun;
    std::vector<std::uint32_t> expected; // requests
  } cases[] = {
    {"the earliest first", {{7, 3ms}, {8, 1ms}, {9, 2ms}}, {8, 9, 7}},
    {"of those that end together the one that began first",
     {{9, 2ms}, {7, 2ms}, {8, 2ms}, {6, 2ms}},
     {9, 7, 8, 6}},
    {"one that is not over stays", {{7, 2ms}, {8, 4ms}, {9, 2ms}}, {7, 9}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    try_table subject{1};
    for (const auto& [slot, until] : x.begun)
      subject.rest(slot, run_start + until, ok);
    std::vector<std::uint32_t> ended;
    while (const auto pause = subject.pop_rest(run_start + 3ms))
      ended.push_back(pause->slot);
    EXPECT_EQ(ended, x.expected);
    EXPECT_EQ(subject.going_on(), x.begun.size() - ended.size());
  }
}

TEST(Draining, EndsInTimeWhateverElseIsTold) {
  load_balancer_config config;
  config.timeout = 10s;
  config.connection_draining_timeout = 2s;
  const struct {
    const char* why;
    std::uint32_t region;
    health state;
  } news[] = {
    {"the same once more", 0, health::unhealthy},
    {"of another region", 1, health::healthy},
    {"that another region drains as well", 2, health::unhealthy},
  };
  for (const auto& x : news) {
    SCOPED_TRACE(x.why);
    try_script world{config, 3};
    world.request(1);
    world.until(1s);
    world.apply(0, health::unhealthy);
    world.until(2s);
    world.apply(x.region, x.state);
    world.until(9s);
    EXPECT_EQ(world.told(), "0 1>A, 3000 1>B") << "two seconds after the first news";
  }
}

// B-86: a proxy that has not ejected a region goes on there.
TEST(Draining, IsOfTheProxyThatEjected) {
  load_balancer_config config;
  config.timeout = 10s;
  config.retries = 0;
  config.proxies = 2;
  config.connection_draining_timeout = 2s;
  config.outlier_detection.emplace();
  config.outlier_detection->consecutive_5xx = 1;
  config.outlier_detection->max_ejection_percent = 100;
  for (std::uint32_t proxy = 0; proxy < config.proxies; ++proxy) {
    SCOPED_TRACE("proxy " + std::to_string(proxy));
    try_script world{config};
    std::vector<std::size_t> of_it; // requests
    for (std::size_t n = 0; n < 20; ++n) {
      world.request(n + 1);
      if (world.proxy_of(n) == proxy)
        of_it.push_back(n);
    }
    ASSERT_GT(of_it.size(), 1u);
    ASSERT_LT(of_it.size(), 20u);
    world.respond(of_it.front(), internal_error);
    ASSERT_EQ(world.subject().ejected_by(0), 1u);
    world.until(9s);
    EXPECT_EQ(world.subject().tries(0).cut, of_it.size() - 1);
    EXPECT_EQ(world.subject().attempts(0).open(), 20 - of_it.size());
    const auto& ended = world.subject().requests().ended;
    EXPECT_EQ(ended[static_cast<std::size_t>(bad_gateway)], of_it.size() - 1);
  }
}

TEST(Connections, GoingElsewhereForOneIsNoRetry) {
  load_balancer_config config;
  config.timeout = 10s;
  config.retries = 1;
  config.circuit_breakers = {.protocol = upstream_protocol::http1, .max_connections = 1};
  try_script world{config};
  world.request(1);
  world.request(2);
  world.apply(0, health::unhealthy);
  world.respond(0, ok);
  EXPECT_EQ(world.told(), "0 1>A, 0 1=ok, 0 2>B") << "it never left its queue before A";
  world.respond(1, unavailable);
  EXPECT_EQ(world.told(), "0 2>B") << "its one retry";
  world.respond(2, unavailable);
  EXPECT_EQ(world.told(), "0 2=unavailable");
}

} // namespace
} // namespace spillover::test
