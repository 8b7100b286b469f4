#include "consumers/push_window.hpp"

#include <algorithm>

namespace spillover {

std::vector<std::string> validate(const push_window_config& x) {
  std::vector<std::string> problems;
  if (x.minimum < 1)
    problems.emplace_back("window.minimum: must be at least 1");
  if (x.maximum < x.minimum || x.maximum > 1'000'000)
    problems.emplace_back("window.maximum: must be from minimum to 1000000");
  if (x.initial < x.minimum || x.initial > x.maximum)
    problems.emplace_back("window.initial: must be from minimum to maximum");
  if (x.linear_from < x.minimum)
    problems.emplace_back("window.linear_from: must be at least minimum");
  if (x.growth < 1 || x.growth > 1'000)
    problems.emplace_back("window.growth: must be from 1 to 1000");
  if (x.shrink < 1 || x.shrink > 1'000)
    problems.emplace_back("window.shrink: must be from 1 to 1000");
  if (x.slow <= duration::zero())
    problems.emplace_back("window.slow: must be above 0s");
  if (!(x.acknowledged >= 0 && x.acknowledged <= 1))
    problems.emplace_back("window.acknowledged: must be from 0 to 1");
  if (x.judged_over <= duration::zero())
    problems.emplace_back("window.judged_over: must be above 0s");
  if (x.pause < duration::zero())
    problems.emplace_back("push_backoff.min: must be at least 0s");
  if (x.longest_pause < x.pause && x.longest_pause != duration::zero())
    problems.emplace_back("push_backoff.max: must be at least min, or 0s");
  return problems;
}

void push_window::acknowledge(instant now, duration latency) {
  judge(now);
  ++acknowledged_;
  ++ended_;
  latency_ += seconds_of(latency);
  pause_ = {};
  if (size_ < config_.linear_from) {
    size_ = std::min({size_ + config_.growth, config_.linear_from, config_.maximum});
  } else if (++credit_ >= size_) {
    credit_ = 0;
    size_ = std::min(size_ + 1, config_.maximum);
  }
}

void push_window::fail(instant now, instant sent) {
  judge(now);
  ++ended_;
  latency_ += seconds_of(now - sent);
  size_ = size_ > config_.minimum + config_.shrink ? size_ - config_.shrink : config_.minimum;
  // Those that were under way when the pause began say nothing new.
  if (sent < paused_until_ || config_.longest_pause == duration::zero())
    return;
  pause_ = pause_ == duration::zero() ? config_.pause : std::min(2 * pause_, config_.longest_pause);
  paused_until_ = now + pause_;
}

void push_window::judge(instant now) {
  if (now < judged_ + config_.judged_over)
    return;
  const auto ended = static_cast<double>(ended_);
  const auto good = static_cast<double>(acknowledged_) >= config_.acknowledged * ended
                    && latency_ <= seconds_of(config_.slow) * ended;
  if (!good && size_ > config_.linear_from) {
    size_ = std::max(config_.linear_from, config_.minimum);
    credit_ = 0;
  }
  judged_ = now;
  acknowledged_ = 0;
  ended_ = 0;
  latency_ = 0;
}

} // namespace spillover
