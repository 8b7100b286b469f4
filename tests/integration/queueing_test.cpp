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

#include "tests/integration/queue_world.hpp"

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::erlang_c;
using test::expect_near;
using test::mean_number;
using test::queue;

constexpr double utilisation = 0.8;
constexpr std::uint64_t replications = 20;

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
      mean_number(queue(c, one_at_a_time, rate, lasts), warm_up, replications,
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
    const auto held =
      mean_number(queue(1, shared, rate, lasts), 20s, replications, [](const revision_sample& x) {
        EXPECT_EQ(x.queue_peak, 0u);
        return static_cast<double>(x.concurrency_milli) * 1e-3;
      });
    const auto wait = erlang_c(utilisation * c.cpu, servers) / (c.cpu * (1 - utilisation));
    expect_near({held.mean / rate, held.margin / rate}, mean * (1 + wait), 0.06);
  }
}

} // namespace
} // namespace spillover
