// The whole path of requests against queueing theory.
//
// What is measured are mean numbers of requests, which Little's law (W = L / lambda) ties to mean
// times. The log's latencies would not do: their buckets are up to 1.6 % wide and report an upper
// bound. Numbers are exact:
// - `revision_sample.queue` is the queue's length at a whole second. The instants do not depend on
//   what happens, so their mean is an unbiased estimate of the mean over time; and with a mean
//   service of a second the queue hardly changes from one to the next, so they lose nothing.
// - `revision_sample.concurrency_milli` is the integral over the second of the requests that
//   instances hold, cut off at a thousandth.
// Lambda is the rate that was set, not the one that came: the estimates then stay unbiased.

#include "actors/world.hpp"
#include "report/verdict.hpp"
#include "tests/support/whole_run.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

constexpr double utilisation = 0.8;
constexpr std::uint64_t replications = 20;

/// @returns the chance that a request of an M/M/c queue has to wait.
/// @param a offered load in erlangs, below `c`
double erlang_c(double a, std::uint32_t c) {
  // By the recursion of Erlang B, which never leaves [0, 1].
  double b = 1;
  for (std::uint32_t n = 1; n <= c; ++n)
    b = a * b / (n + a * b);
  return b / (1 - a / c * (1 - b));
}

/// A mean over replications and half the width of its 99 % confidence interval.
struct estimate {
  double mean = 0;
  double margin = 0;
};

estimate estimate_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const auto x : values)
    sum += x;
  const auto mean = sum / n;
  double squares = 0;
  for (const auto x : values)
    squares += (x - mean) * (x - mean);
  const auto t = boost::math::quantile(boost::math::students_t{n - 1}, 0.995);
  return {mean, t * std::sqrt(squares / (n - 1) / n)};
}

/// One region without distance: what a request meets is the queue and its service, nothing else.
scenario queue(std::uint32_t instances, const instance_config& instance, double rate,
               duration lasts) {
  scenario x;
  x.name = "queue";
  x.lasts = lasts;
  x.regions = {"here"};
  backend_service_spec web;
  web.name = "web";
  web.instance = instance;
  web.autoscaling = fixed_config{instances};
  // Nobody gives up waiting.
  web.pending.floor = 1h;
  web.request_timeout = 1h;
  web.health_check.interval = 300s;
  published_service_spec service;
  service.service = "shop";
  service.region = "here";
  service.backend_services = {web};
  x.published_services = {service};
  consumer_spec clients;
  clients.name = "clients";
  clients.service = "shop";
  clients.regions = {"here"};
  clients.load_balancer.timeout = 1h;
  clients.load_balancer.retries = 0;
  open_loop_config load;
  load.rate = {{run_start, rate, false}};
  clients.traffic = {load};
  x.consumers = {clients};
  x.links = {{"clients", "here", {}}, {"here", "clients", {}}};
  return x;
}

/// @returns the mean over replications of a number that a revision's seconds tell.
/// @param warm_up what is left out at the start, because a run begins empty
template <class Number>
estimate mean_number(scenario x, duration warm_up, Number number) {
  std::vector<double> means;
  for (x.seed = 1; x.seed <= replications; ++x.seed) {
    const test::whole_run run{x};
    EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
    double sum = 0;
    std::uint64_t seconds = 0;
    for (const auto& e : run.log().events()) {
      const auto* second = std::get_if<revision_sample>(&e.what);
      if (second == nullptr)
        continue;
      EXPECT_EQ(second->failures, 0u);
      if (e.at <= run_start + warm_up)
        continue;
      sum += number(*second);
      ++seconds;
    }
    means.push_back(sum / static_cast<double>(seconds));
  }
  return estimate_of(means);
}

void expect_near(const estimate& x, double expected, double widest) {
  SCOPED_TRACE(std::to_string(x.mean) + " +- " + std::to_string(x.margin));
  EXPECT_NEAR(x.mean, expected, x.margin);
  // An interval that contains everything would prove nothing.
  EXPECT_LT(x.margin, widest * expected);
}

TEST(Queueing, ErlangCAsInTables) {
  EXPECT_NEAR(erlang_c(8, 10), 0.409180, 5e-7);
  EXPECT_NEAR(erlang_c(0.8, 1), 0.8, 1e-12);
}

TEST(Queueing, FullInstancesMakeRequestsWaitAsErlangSays) {
  for (const std::uint32_t c : {4u, 20u}) {
    SCOPED_TRACE(std::to_string(c) + " instances");
    instance_config one_at_a_time;
    one_at_a_time.concurrency = 1;
    one_at_a_time.service_time = exponential_distribution{1s};
    const auto rate = utilisation * c;
    // 50,000 requests each; the warm-up is 20 relaxation times of 1 / (c (1 - sqrt(0.8))^2) s.
    const auto lasts = from_seconds(std::ceil(50'000 / rate));
    const auto warm_up = from_seconds(std::ceil(1800.0 / c));
    const auto waiting =
      mean_number(queue(c, one_at_a_time, rate, lasts), warm_up,
                  [](const revision_sample& x) { return static_cast<double>(x.queue); });
    const auto expected = erlang_c(utilisation * c, c) / (c * (1 - utilisation));
    expect_near({waiting.mean / rate, waiting.margin / rate}, expected, 0.1);
  }
}

// Under processor sharing only the mean of the service time matters. The first in, first out queue
// has the same mean sojourn for exponential times, but half the wait for constant ones and a
// multiple of it for skewed ones.
TEST(Queueing, ASharedCpuStretchesRequestsByTheirMeanAlone) {
  const struct {
    const char* why;
    distribution service;
    double cpu;
  } cases[] = {
    {"memoryless", exponential_distribution{10ms}, 1},
    {"all alike", constant_distribution{10ms}, 1},
    {"skewed", lognormal_distribution{5ms, 60ms}, 1},
    {"two vCPUs, of which a request gets one at most", exponential_distribution{10ms}, 2},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    instance_config shared;
    shared.cpu = c.cpu;
    // Room for 0.8^400 of a chance that it is ever full, so that nobody queues before the instance.
    shared.concurrency = 400;
    shared.service_time = c.service;
    shared.cpu_per_request = 1h; // all of the service time is CPU
    const auto mean = seconds_of(mean_of(c.service));
    const auto servers = static_cast<std::uint32_t>(c.cpu);
    const auto rate = utilisation * c.cpu / mean;
    const auto lasts = from_seconds(std::ceil(25'000 / rate));
    const auto held = mean_number(queue(1, shared, rate, lasts), 20s, [](const revision_sample& x) {
      EXPECT_EQ(x.queue_peak, 0u);
      return static_cast<double>(x.concurrency_milli) * 1e-3;
    });
    const auto wait = erlang_c(utilisation * c.cpu, servers) / (c.cpu * (1 - utilisation));
    expect_near({held.mean / rate, held.margin / rate}, mean * (1 + wait), 0.06);
  }
}

} // namespace
} // namespace spillover
