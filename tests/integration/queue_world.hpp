#pragma once

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

namespace spillover::test {

/// @returns the chance that a request of an M/M/c queue has to wait.
/// @param a offered load in erlangs, below `c`
inline double erlang_c(double a, std::uint32_t c) {
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

inline estimate estimate_of(const std::vector<double>& values) {
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
inline scenario queue(std::uint32_t instances, const instance_config& instance, double rate,
                      duration lasts) {
  constexpr auto hour = std::chrono::hours{1};
  scenario x;
  x.name = "queue";
  x.lasts = lasts;
  x.regions = {"here"};
  backend_service_spec web;
  web.name = "web";
  web.instance = instance;
  web.autoscaling = fixed_config{instances};
  // Nobody gives up waiting.
  web.pending.floor = hour;
  web.request_timeout = hour;
  web.health_check.interval = std::chrono::seconds{300};
  published_service_spec service;
  service.service = "shop";
  service.region = "here";
  service.backend_services = {web};
  x.published_services = {service};
  consumer_spec clients;
  clients.name = "clients";
  clients.service = "shop";
  clients.regions = {"here"};
  clients.load_balancer.timeout = hour;
  clients.load_balancer.retries = 0;
  open_loop_config load;
  load.rate = {{run_start, rate, false}};
  clients.traffic = {load};
  x.consumers = {clients};
  x.links = {{"clients", "here", {}}, {"here", "clients", {}}};
  return x;
}

/// Runs a scenario with seeds 1, 2, 3 and so on, and shows each run's log, whose books balance.
template <class Visit>
void for_each_run(scenario x, std::uint64_t replications, Visit visit) {
  for (x.seed = 1; x.seed <= replications; ++x.seed) {
    const whole_run run{x};
    EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
    visit(run.log());
  }
}

/// @returns the mean over replications of what `measure` makes of a run's log.
template <class Measure>
estimate replicate(const scenario& x, std::uint64_t replications, Measure measure) {
  std::vector<double> values;
  for_each_run(x, replications, [&](const event_log& log) { values.push_back(measure(log)); });
  return estimate_of(values);
}

/// @returns the mean of a number that a revision's seconds tell.
/// @param warm_up what is left out at the start, because a run begins empty
template <class Number>
double mean_over_seconds(const event_log& log, duration warm_up, Number number) {
  double sum = 0;
  std::uint64_t seconds = 0;
  for (const auto& e : log.events()) {
    const auto* second = std::get_if<revision_sample>(&e.what);
    if (second == nullptr)
      continue;
    EXPECT_EQ(second->failures, 0u);
    if (e.at <= run_start + warm_up)
      continue;
    sum += number(*second);
    ++seconds;
  }
  return sum / static_cast<double>(seconds);
}

/// @returns the mean over replications of a number that a revision's seconds tell.
template <class Number>
estimate mean_number(const scenario& x, duration warm_up, std::uint64_t replications,
                     Number number) {
  return replicate(x, replications,
                   [&](const event_log& log) { return mean_over_seconds(log, warm_up, number); });
}

inline void expect_near(const estimate& x, double expected, double widest) {
  SCOPED_TRACE(std::to_string(x.mean) + " +- " + std::to_string(x.margin));
  EXPECT_NEAR(x.mean, expected, x.margin);
  // An interval that contains everything would prove nothing.
  EXPECT_LT(x.margin, widest * expected);
}

} // namespace spillover::test
