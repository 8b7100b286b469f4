#include "producers/autoscaling/kpa/decider.hpp"

#include "producers/autoscaling/kpa/whole.hpp"

#include <algorithm>
#include <cmath>

namespace spillover::kpa {

decider::decider(instant now, const settings& x, std::optional<std::uint32_t> ready)
  : settings_(x), panic_floor_(static_cast<std::int32_t>(ready.value_or(0))) {
  if (panic_floor_ > 1)
    panic_ = now;
  if (x.scale_down_delay > duration::zero())
    delay_.emplace(x.scale_down_delay);
}

void decider::update(const settings& x) {
  settings_ = x;
}

void decider::judge_panic(instant now, double ratio) {
  if (ratio >= settings_.panic_threshold) {
    panic_ = now;
  } else if (panic_ && *panic_ + settings_.stable_window < now) {
    panic_.reset();
    panic_floor_ = 0;
  }
}

std::int32_t decider::limited(double wish, double least, double most) const noexcept {
  const auto pods = whole(std::min(std::max(wish, least), most));
  // Asked of the wish itself, and after the rates, which it may exceed.
  return wish > 0 && pods < settings_.activation_scale ? settings_.activation_scale : pods;
}

decision decider::evaluate(instant now, const observation& seen) {
  decision result;
  if (!seen.load || !seen.ready)
    return result;
  // No pod counts as one everywhere but in the burst capacity.
  const auto ready = static_cast<double>(*seen.ready);
  const auto pods = std::max(1.0, ready);
  const auto most = std::ceil(settings_.max_up_rate * pods);
  const auto least = settings_.reachable ? std::floor(pods / settings_.max_down_rate) : 0.0;
  const auto stable = std::ceil(seen.load->stable / settings_.target);
  const auto panic = std::ceil(seen.load->panic / settings_.target);
  judge_panic(now, panic / pods);

  result.valid = true;
  result.stable_wish = whole(stable);
  result.panic_wish = whole(panic);
  result.most = whole(most);
  result.least = whole(least);
  result.desired = limited(stable, least, most);
  if (panic_) {
    result.panicking = true;
    panic_floor_ = std::max({panic_floor_, result.desired, limited(panic, least, most)});
    result.desired = panic_floor_;
  }
  if (settings_.reachable && delay_)
    result.desired = delay_->record(now, result.desired);
  if (settings_.burst_capacity == 0)
    result.excess_burst_capacity = 0;
  else if (settings_.burst_capacity > 0)
    result.excess_burst_capacity =
      whole(std::floor(ready * settings_.total - settings_.burst_capacity - seen.load->panic));
  else
    result.excess_burst_capacity = -1;
  return result;
}

publication::publication(const settings& x) noexcept
  : excess_(x.burst_capacity <= 0
              ? whole(x.burst_capacity)
              : whole(static_cast<double>(x.initial_scale) * x.total - x.burst_capacity)) {}

bool publication::publish(const decision& x) noexcept {
  if (!x.valid)
    return false;
  const auto matters = x.desired != desired_ || (x.excess_burst_capacity < 0) != (excess_ < 0);
  desired_ = x.desired;
  excess_ = x.excess_burst_capacity;
  return matters;
}

} // namespace spillover::kpa
