#include "producers/billing/interval_sum.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover::billing {

void interval_sum::begin(const life_span& now) noexcept {
  SPILLOVER_CHECK(state_ != state::open && now.all >= to_.all);
  if (state_ != state::ended || now.all != to_.all) {
    separate();
    from_ = now;
  }
  state_ = state::open;
}

void interval_sum::end(const life_span& now) noexcept {
  SPILLOVER_CHECK(state_ == state::open && now.all >= from_.all);
  state_ = state::ended;
  to_ = now;
}

void interval_sum::separate() noexcept {
  SPILLOVER_CHECK(state_ != state::open);
  if (state_ == state::ended)
    sum_ = sum_ + between(from_, to_, least_);
  state_ = state::summed;
}

life_span interval_sum::billed(const life_span& now) const noexcept {
  return sum_with(is_open() ? now : to_, least_);
}

life_span interval_sum::so_far(const life_span& now) const noexcept {
  return is_open() ? sum_with(now, duration::zero()) : sum_with(to_, least_);
}

life_span interval_sum::sum_with(const life_span& end, duration least) const noexcept {
  auto result = sum_;
  if (state_ != state::summed)
    result = result + between(from_, end, least);
  if (rule_ == rounding::total)
    result.all = round_up(result.all);
  return result;
}

life_span interval_sum::between(const life_span& from, const life_span& to,
                                duration least) const noexcept {
  auto result = to - from;
  result.all = std::max(result.all, least);
  if (rule_ == rounding::interval)
    result.all = round_up(result.all);
  return result;
}

} // namespace spillover::billing
