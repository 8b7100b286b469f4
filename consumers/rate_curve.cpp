#include "consumers/rate_curve.hpp"

#include "consumers/arrivals.hpp"
#include "model/check.hpp"
#include "model/elementary.hpp"

#include <algorithm>
#include <cmath>

namespace spillover {

namespace {

constexpr double pi = 3.14159265358979323846;

// No run is that long; instants a few years later still do not overflow.
constexpr instant horizon = run_start + std::chrono::years{200};

// A stretch ends after an hour, or after a million requests when these take longer: the integral's
// last bit is then worth far less than a nanosecond.
constexpr duration usual_stretch = std::chrono::hours{1};
constexpr double usual_requests = 1e6;

// Where the waves may cut the rate off at 0, a stretch is at most this part of the shortest period.
constexpr int parts_of_period = 16;

// A stretch whose waves deviate from a straight line by at most this share of their amplitudes
// counts as one, as does one shorter than `shortest_stretch`.
constexpr double negligible = 1e-9;
constexpr duration shortest_stretch = std::chrono::microseconds{1};

// Where a wave stands at `t`, as part of a turn in [0, 1).
double turns_at(duration period, duration phase, instant t) noexcept {
  const auto rest = t.time_since_epoch() % period - phase % period;
  const auto turns = seconds_of(rest) / seconds_of(period);
  return rest < duration::zero() ? turns + 1 : turns;
}

} // namespace

rate_curve::rate_curve(const open_loop_config& config) {
  SPILLOVER_CHECK(!config.rate.empty() && config.rate.front().at == run_start);
  for (std::size_t i = 0; i < config.rate.size(); ++i) {
    step x{.at = config.rate[i].at, .rate = config.rate[i].rps};
    if (i + 1 < config.rate.size() && config.rate[i + 1].ramp)
      x.slope = (config.rate[i + 1].rps - x.rate) / seconds_of(config.rate[i + 1].at - x.at);
    steps_.push_back(x);
  }
  for (const auto& x : config.waves) {
    const auto frequency = 1 / seconds_of(x.period);
    waves_.push_back({.amplitude = x.amplitude,
                      .period = x.period,
                      .phase = x.phase,
                      .frequency = frequency,
                      .requests = x.amplitude / (pi * frequency)});
    shortest_period_ = std::min(shortest_period_, x.period);
    amplitudes_ += x.amplitude;
    curvature_ += x.amplitude * (2 * pi * frequency) * (2 * pi * frequency);
  }
}

double rate_curve::rate_at(instant t) const noexcept {
  const auto after = std::upper_bound(steps_.begin() + 1, steps_.end(), t,
                                      [](instant x, const step& y) { return x < y.at; });
  return std::max(0.0, sum_at(*(after - 1), t));
}

double rate_curve::base_at(const step& x, instant t) const noexcept {
  return std::max(0.0, x.rate + x.slope * seconds_of(t - x.at));
}

double rate_curve::sum_at(const step& x, instant t) const noexcept {
  auto sum = base_at(x, t);
  for (const auto& wave : waves_)
    sum += wave.amplitude * portable_sin_turns(turns_at(wave.period, wave.phase, t));
  return sum;
}

bool rate_curve::enter(instant from) noexcept {
  if (from >= horizon)
    return false;
  while (current_ + 1 < steps_.size() && steps_[current_ + 1].at <= from)
    ++current_;
  const auto& x = steps_[current_];
  const auto last = current_ + 1 == steps_.size();
  auto limit = last ? horizon : steps_[current_ + 1].at;
  if (!waves_.empty()) {
    enter_waves(from, limit);
    return true;
  }
  const auto first_rate = base_at(x, from);
  if (x.slope == 0 && first_rate == 0) {
    set_linear(from, limit, 0, 0);
    return !last;
  }
  const auto longest =
    std::max(seconds_of(usual_stretch), usual_requests / std::max(first_rate, base_at(x, limit)));
  if (seconds_of(limit - from) > longest)
    limit = from + from_seconds(longest);
  set_linear(from, limit, first_rate, base_at(x, limit));
  return true;
}

// Shortens the stretch until the rate is surely above 0, surely below, or as good as linear. By
// the bound on its curvature, the rate is nowhere further than `margin` from the straight line
// between the stretch's ends.
void rate_curve::enter_waves(instant from, instant limit) noexcept {
  const auto& x = steps_[current_];
  auto length = std::min(limit - from, usual_stretch);
  const auto lowest = std::min(base_at(x, from), base_at(x, from + length)) - amplitudes_;
  if (lowest > negligible * amplitudes_)
    return set_wavy(from, from + length);
  length = std::min(length, shortest_period_ / parts_of_period);
  const auto first = sum_at(x, from);
  while (true) {
    const auto last = sum_at(x, from + length);
    const auto seconds = seconds_of(length);
    const auto margin = curvature_ * seconds * seconds / 8;
    if (std::min(first, last) > margin)
      return set_wavy(from, from + length);
    if (std::max(first, last) < -margin)
      return set_linear(from, from + length, 0, 0);
    if (margin <= negligible * amplitudes_ || length <= shortest_stretch)
      return set_linear(from, from + length, std::max(0.0, first), std::max(0.0, last));
    length /= 2;
  }
}

void rate_curve::set_linear(instant from, instant until, double first, double last) noexcept {
  start_ = from;
  end_ = until;
  wavy_ = false;
  length_ = seconds_of(until - from);
  rate_ = first;
  slope_ = (last - first) / length_;
  total_ = (first + last) / 2 * length_;
  offset_ = 0;
}

void rate_curve::set_wavy(instant from, instant until) noexcept {
  const auto& x = steps_[current_];
  start_ = from;
  end_ = until;
  wavy_ = true;
  length_ = seconds_of(until - from);
  rate_ = base_at(x, from);
  slope_ = x.slope;
  for (auto& wave : waves_)
    wave.turns = turns_at(wave.period, wave.phase, from);
  total_ = wavy_integral(length_);
  offset_ = 0;
}

double rate_curve::wavy_rate(double offset) const noexcept {
  auto sum = rate_ + slope_ * offset;
  for (const auto& wave : waves_)
    sum += wave.amplitude * portable_sin_turns(wave.turns + offset * wave.frequency);
  return sum;
}

// The integral of a wave is a difference of cosines; as the product of two sines it loses no
// digits for short spans.
double rate_curve::wavy_integral(double offset) const noexcept {
  auto sum = (rate_ + slope_ * offset / 2) * offset;
  for (const auto& wave : waves_) {
    const auto half = offset * wave.frequency / 2;
    sum += wave.requests * portable_sin_turns(wave.turns + half) * portable_sin_turns(half);
  }
  return sum;
}

double rate_curve::offset_of(double integral) noexcept {
  if (wavy_) {
    offset_ = solve_wavy(integral);
  } else if (slope_ == 0) {
    offset_ = integral / rate_;
  } else {
    // The solution of rate t + slope t^2 / 2 = integral without a difference of large numbers.
    const auto square = std::max(0.0, rate_ * rate_ + 2 * slope_ * integral);
    offset_ = 2 * integral / (rate_ + std::sqrt(square));
  }
  return std::min(offset_, length_);
}

// Newton's method, inside a bracket that shrinks with each step; where it would leave the bracket,
// the middle is taken instead. Ends a tenth of a nanosecond from the solution.
double rate_curve::solve_wavy(double integral) const noexcept {
  constexpr double enough = 1e-10;
  auto low = std::min(offset_, length_);
  auto high = length_;
  auto at = low;
  while (high - low > enough) {
    const auto excess = wavy_integral(at) - integral;
    (excess < 0 ? low : high) = at;
    auto next = at - excess / wavy_rate(at);
    // Written so that it holds for NaN too.
    if (!(next >= low && next <= high))
      next = low + (high - low) / 2;
    const auto moved = next - at;
    at = next;
    if (moved < enough && moved > -enough)
      break;
  }
  return at;
}

} // namespace spillover
