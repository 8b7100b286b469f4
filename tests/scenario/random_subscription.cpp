#include "tests/scenario/random_subscription.hpp"

namespace spillover::test {

using namespace std::chrono_literals;

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
