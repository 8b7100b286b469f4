#include "tests/scenario/random_load.hpp"

namespace spillover::test {

using namespace std::chrono_literals;

namespace {

push_subscription_config any_subscription(random_source& draw, const open_loop_config& publish) {
  push_subscription_config x{.publish = publish, .ack_deadline = draw.span(10s, 600s)};
  if (draw.coin()) {
    x.retry = push_retry{draw.span(0s, 600s), {}};
    x.retry->max_backoff = draw.span(x.retry->min_backoff, 600s);
  }
  x.retention = draw.span(10min, 24h * 31);
  if (draw.coin())
    x.max_delivery_attempts = draw.between(5, 100);
  auto& window = x.window;
  window.minimum = draw.between(1, 10);
  window.initial = draw.between(window.minimum, 100);
  window.maximum = draw.between(window.initial, 1'000'000);
  window.linear_from = draw.between(window.minimum, 1'000'000);
  window.growth = draw.between(1, 1'000);
  window.shrink = draw.between(1, 1'000);
  window.slow = draw.span(1ms, 10s);
  window.acknowledged = draw.share(true);
  window.judged_over = draw.span(1ms, 10s);
  window.pause = draw.span(0s, 1s);
  window.longest_pause = draw.coin() ? duration{} : draw.span(window.pause, 600s);
  return x;
}

closed_loop_config any_closed_loop(random_source& draw) {
  closed_loop_config x{draw.between(1, 1'000'000), draw.any_distribution()};
  if (draw.coin())
    x.from += draw.span(0s, 1min);
  x.ramp_up = draw.span(0s, 1min);
  if (draw.coin())
    x.to = x.from + draw.span(1ns, 1min);
  return x;
}

} // namespace

load_config any_load(random_source& draw) {
  if (draw.coin())
    return any_closed_loop(draw);
  open_loop_config x;
  for (std::uint32_t i = 0; i < draw.between(1, 4); ++i)
    x.rate.push_back({run_start + i * 10s + (i == 0 ? duration{} : draw.span(0s, 9s)),
                      1 + 1'000 * draw.unit(), i > 0 && draw.coin()});
  if (x.rate.empty())
    x.rate.push_back({run_start, 5, false});
  if (draw.coin())
    x.waves.push_back({1 + draw.unit(), draw.span(1s, 1h), draw.span(0s, 1h)});
  x.arrivals = draw.coin() ? arrival_process::poisson : arrival_process::uniform;
  if (draw.coin())
    return any_subscription(draw, x);
  return x;
}

expectation any_backlog(random_source& draw, const std::string& consumer, instant from,
                        instant to) {
  expect_backlog x{consumer, std::nullopt, std::nullopt, draw.between(0, 1'000)};
  if (draw.coin())
    x.to = to;
  if (draw.coin())
    x.from = x.to && draw.coin() ? to : from;
  return x;
}

} // namespace spillover::test
