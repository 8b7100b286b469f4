#include "producers/autoscaling/kpa/window.hpp"

#include "model/check.hpp"
#include "model/elementary.hpp"

#include <algorithm>
#include <cmath>

namespace spillover::kpa {

namespace {

std::size_t buckets_for(duration span) {
  SPILLOVER_CHECK(span > duration::zero());
  return static_cast<std::size_t>(std::chrono::ceil<std::chrono::seconds>(span).count());
}

/// The weight of the newest of n seconds: what is older than all of them weighs a ten-thousandth.
double newest_weight(std::size_t n) {
  return std::max(1 - portable_exp(portable_log(0.0001) / static_cast<double>(n)), 0.2);
}

} // namespace

sample_window::sample_window(duration span)
  : buckets_(buckets_for(span)), newest_weight_(newest_weight(buckets_.size())) {}

std::size_t sample_window::place_of(second x) const noexcept {
  // Seconds before the run's start are below 0.
  return static_cast<std::size_t>((x % size() + size()) % size());
}

void sample_window::advance_to(second now) noexcept {
  if (!last_ || now - *last_ >= size()) {
    first_ = now;
    std::fill(buckets_.begin(), buckets_.end(), 0);
    total_ = 0;
  } else {
    for (auto x = *last_ + 1; x <= now; ++x) {
      total_ -= buckets_[place_of(x)];
      buckets_[place_of(x)] = 0;
    }
  }
  last_ = now;
}

void sample_window::record(instant at, double value) {
  const auto now = second_of(at);
  if (last_ && now + size() <= *last_)
    return;
  if (now != last_) {
    // Also a late sample makes the time longer over which the mean is taken.
    if (!first_ || *first_ > now)
      first_ = now;
    if (!last_ || now > *last_)
      advance_to(now);
  }
  buckets_[place_of(now)] += value;
  total_ += value;
}

double sample_window::linear(instant now) const noexcept {
  if (!last_ || !first_)
    return 0;
  const auto silence = second_of(now) - *last_;
  if (silence >= size())
    return 0;
  auto sum = total_;
  for (second x = 1; x <= silence; ++x)
    sum -= buckets_[place_of(*last_ + x)];
  const auto seconds = std::min(*last_ - *first_ + 1, size() - std::max<second>(silence, 0));
  return std::round(sum / static_cast<double>(seconds) * 1e6) / 1e6;
}

double sample_window::weighted(instant now) const noexcept {
  if (empty(now))
    return 0;
  auto weight = newest_weight_;
  auto seconds = size();
  for (auto silence = second_of(now) - *last_; silence > 0; --silence) {
    weight *= 1 - newest_weight_;
    --seconds;
  }
  double sum = 0;
  for (second x = 0; x < seconds; ++x) {
    sum += buckets_[place_of(*last_ - x)] * weight;
    weight *= 1 - newest_weight_;
  }
  return sum;
}

bool sample_window::empty(instant now) const noexcept {
  return !last_ || second_of(now) - *last_ > size();
}

void sample_window::resize(instant now, duration span) {
  const auto before = size();
  std::vector<double> resized(buckets_for(span));
  if (resized.size() == buckets_.size())
    return;
  const auto was_silent = empty(now);
  std::swap(resized, buckets_);
  total_ = 0;
  first_.reset();
  newest_weight_ = newest_weight(buckets_.size());
  if (was_silent)
    return;
  for (second x = 0; x < std::min(before, size()); ++x) {
    const auto value = resized[static_cast<std::size_t>(((*last_ - x) % before + before) % before)];
    buckets_[place_of(*last_ - x)] = value;
    total_ += value;
  }
  first_ = *last_ - (before - 1);
}

delay_window::delay_window(duration delay, duration slot)
  : slot_ns_(slot.count()),
    entries_(static_cast<std::size_t>((delay.count() + slot_ns_ - 1) / slot_ns_)) {
  SPILLOVER_CHECK(delay > duration::zero());
}

std::int32_t delay_window::record(instant now, std::int32_t value) {
  const auto slot = now.time_since_epoch().count() / slot_ns_;
  const auto size = static_cast<std::int64_t>(entries_.size());
  auto& mine = entries_[static_cast<std::size_t>(slot % size)];
  mine = {slot, mine.slot == slot ? std::max(mine.value, value) : value};
  auto largest = value;
  for (const auto& x : entries_)
    if (x.slot >= 0 && x.slot > slot - size)
      largest = std::max(largest, x.value);
  return largest;
}

} // namespace spillover::kpa
