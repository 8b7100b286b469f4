// Queueing theory at a low, a middle and a high load, by the product's own actors. Which formula maps
// to which scenario is told in docs/timing.md; what is measured, and why, at the head of
// queueing_test.cpp. Where times are measured rather than numbers, latencies come in buckets: the
// middle of one is at most half of 1/64 wrong.

#include "model/histogram.hpp"
#include "tests/integration/queue_world.hpp"

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::erlang_c;
using test::estimate_of;
using test::expect_near;
using test::for_each_run;
using test::mean_number;
using test::mean_over_seconds;
using test::queue;
using test::replicate;

constexpr double loads[] = {0.3, 0.6, 0.85};
constexpr std::uint64_t replications = 10;
constexpr double half_a_bucket = 1.0 / 128;

std::string load_text(double rho) {
  return "load " + std::to_string(rho);
}

/// @returns how long a run of that many requests takes.
duration span_of(double requests, double rate, duration warm_up) {
  return warm_up + from_seconds(std::ceil(requests / rate));
}

instance_config one_at_a_time(const distribution& service) {
  instance_config x;
  x.concurrency = 1;
  x.service_time = service;
  return x;
}

/// Requests that share one vCPU, with room for all of them.
instance_config sharing(const distribution& service) {
  instance_config x;
  x.concurrency = 1000;
  x.service_time = service;
  x.cpu_per_request = 1h; // all of the service time is CPU
  return x;
}

double queue_of(const revision_sample& x) {
  return static_cast<double>(x.queue);
}

double held_by(const revision_sample& x) {
  return static_cast<double>(x.concurrency_milli) * 1e-3;
}

/// Latencies of requests, added up.
struct latency_sum {
  double seconds = 0;
  double count = 0;
  [[nodiscard]] double mean() const { return seconds / count; }
};

double middle_of(std::uint32_t bucket) {
  const auto below = bucket == 0 ? duration::zero() : latency_histogram::upper_bound(bucket - 1);
  return seconds_of(below + latency_histogram::upper_bound(bucket)) / 2;
}

/// @returns the sum over the buckets [from, to) after the warm-up.
latency_sum latencies(const event_log& log, duration warm_up, std::uint32_t from = 0,
                      std::uint32_t to = latency_histogram::bucket_count) {
  latency_sum result;
  for (const auto& e : log.events()) {
    const auto* second = std::get_if<client_sample>(&e.what);
    if (second == nullptr || e.at <= run_start + warm_up)
      continue;
    for (const auto& [bucket, count] : second->latency) {
      if (bucket < from || bucket >= to)
        continue;
      result.seconds += middle_of(bucket) * static_cast<double>(count);
      result.count += static_cast<double>(count);
    }
  }
  return result;
}

TEST(Theory, ErlangCQueuesOfTwoServers) {
  for (const auto rho : loads) {
    SCOPED_TRACE(load_text(rho));
    const auto rate = rho * 2 / 0.2;
    const auto x =
      queue(2, one_at_a_time(exponential_distribution{200ms}), rate, span_of(30'000, rate, 200s));
    // Lq = C rho / (1 - rho).
    expect_near(mean_number(x, 200s, replications, queue_of),
                erlang_c(2 * rho, 2) * rho / (1 - rho), 0.15);
  }
}

TEST(Theory, ProcessorSharingHoldsAsManyAsItsLoadSays) {
  for (const auto rho : loads) {
    SCOPED_TRACE(load_text(rho));
    const auto rate = rho / 0.01;
    const auto x =
      queue(1, sharing(exponential_distribution{10ms}), rate, span_of(50'000, rate, 20s));
    // L = rho / (1 - rho), whatever the distribution; by Little T = E[S] / (1 - rho).
    expect_near(mean_number(x, 20s, replications, held_by), rho / (1 - rho), 0.1);
  }
}

// A small request is never stretched to the size of a large one: at a load of 0.85 that takes a
// hundred requests at a time, whose chance is 0.85^100.
TEST(Theory, ProcessorSharingStretchesEachRequestByItsSize) {
  const auto small = 1ms;
  const auto large = 100ms;
  empirical_distribution sizes{std::vector<duration>(20, small)};
  sizes.values.push_back(large);
  const auto mean = seconds_of(mean_of(sizes));
  const auto border = latency_histogram::bucket_of(large);
  for (const auto rho : loads) {
    SCOPED_TRACE(load_text(rho));
    const auto rate = rho / mean;
    // The larger the load, the longer a crowd lasts, and the more requests a narrow interval takes.
    const auto x = queue(1, sharing(sizes), rate, span_of(30'000 / (1 - rho), rate, 20s));
    std::vector<double> of_small;
    std::vector<double> of_large;
    for_each_run(x, replications, [&](const event_log& log) {
      of_small.push_back(latencies(log, 20s, 0, border).mean());
      of_large.push_back(latencies(log, 20s, border).mean());
    });
    // E[T | x] = x / (1 - rho).
    const auto expect_stretched = [rho](const std::vector<double>& times, duration size) {
      const auto t = estimate_of(times);
      const auto expected = seconds_of(size) / (1 - rho);
      EXPECT_NEAR(t.mean, expected, t.margin + half_a_bucket * expected);
      EXPECT_LT(t.margin, 0.15 * expected);
    };
    expect_stretched(of_small, small);
    expect_stretched(of_large, large);
  }
}

TEST(Theory, PollaczekKhinchineQueues) {
  const auto sigma = std::log(5.0) / 2.3263478740408408;
  const struct {
    const char* why;
    distribution service;
    double mean;
    double square;
  } cases[] = {
    {"all alike: half of the memoryless queue", constant_distribution{200ms}, 0.2, 0.04},
    {"skewed", lognormal_distribution{100ms, 500ms}, 0.1 * std::exp(sigma * sigma / 2),
     0.01 * std::exp(2 * sigma * sigma)},
  };
  for (const auto& c : cases)
    for (const auto rho : loads) {
      SCOPED_TRACE(c.why + (", " + load_text(rho)));
      const auto rate = rho / c.mean;
      const auto x = queue(1, one_at_a_time(c.service), rate, span_of(30'000, rate, 200s));
      // Lq = lambda^2 E[S^2] / (2 (1 - rho)).
      expect_near(mean_number(x, 200s, replications, queue_of),
                  rate * rate * c.square / (2 * (1 - rho)), 0.15);
    }
}

// Numbers and times are counted by different actors: the revision, and the clients.
TEST(Theory, LittlesLawHoldsForTheRevision) {
  for (const auto rho : loads) {
    SCOPED_TRACE(load_text(rho));
    const auto rate = rho * 3 / 0.127;
    const auto lasts = span_of(20'000, rate, 200s);
    const auto x = queue(3, one_at_a_time(lognormal_distribution{100ms, 500ms}), rate, lasts);
    const auto ratio = replicate(x, replications, [lasts](const event_log& log) {
      const auto number = mean_over_seconds(
        log, 200s, [](const revision_sample& y) { return queue_of(y) + held_by(y); });
      const auto passed = latencies(log, 200s);
      return number / (passed.seconds / seconds_of(lasts - 200s));
    });
    EXPECT_NEAR(ratio.mean, 1, ratio.margin + half_a_bucket);
    EXPECT_LT(ratio.margin, 0.03);
  }
}

// The way there and back takes 0.2 s to 0.3 s; the requests on it are in the system too.
TEST(Theory, LittlesLawHoldsForTheWholePath) {
  for (const auto rho : loads) {
    SCOPED_TRACE(load_text(rho));
    const auto rate = rho * 2 / 0.2;
    const auto lasts = span_of(20'000, rate, 200s);
    auto x = queue(2, one_at_a_time(exponential_distribution{200ms}), rate, lasts);
    for (auto& link : x.links)
      link.planes[static_cast<std::size_t>(plane::data)] = {100ms, 50ms, 0};
    const auto ratio = replicate(x, replications, [lasts](const event_log& log) {
      // In the system at the end of each second: those that began and have not ended.
      double inside = 0;
      double sum = 0;
      double seconds = 0;
      for (const auto& e : log.events()) {
        const auto* second = std::get_if<client_sample>(&e.what);
        if (second == nullptr)
          continue;
        inside += second->started;
        for (const auto ended : second->ended)
          inside -= static_cast<double>(ended);
        if (e.at <= run_start + 200s)
          continue;
        sum += inside;
        ++seconds;
      }
      const auto passed = latencies(log, 200s);
      return sum / seconds / (passed.seconds / seconds_of(lasts - 200s));
    });
    EXPECT_NEAR(ratio.mean, 1, ratio.margin + half_a_bucket);
    EXPECT_LT(ratio.margin, 0.03);
  }
}

} // namespace
} // namespace spillover
