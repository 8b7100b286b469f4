#include "producers/health/detection_time.hpp"

#include "model/check.hpp"

#include <boost/math/special_functions/beta.hpp>

#include <array>
#include <cmath>

namespace spillover {

namespace {

/// @returns the chance that at least `k` of `n` independent events of chance `p` happen.
double at_least(std::uint32_t k, std::uint32_t n, double p) {
  if (p <= 0)
    return 0;
  if (p >= 1)
    return 1;
  // The binomial tail as a beta distribution, which keeps its digits for thousands of endpoints.
  return boost::math::ibeta(static_cast<double>(k), static_cast<double>(n - k + 1), p);
}

/// @returns the mean of the `k`-th smallest of `n` values, each of which is the `q`-th smallest of `m`
///          that are uniform in [0, 1].
double mean_phase(std::uint32_t q, std::uint32_t m, std::uint32_t k, std::uint32_t n) {
  // Of one value, and where each value is a single uniform one, order statistics have a closed form.
  if (n == 1)
    return static_cast<double>(q) / (m + 1);
  if (m == 1)
    return static_cast<double>(k) / (n + 1);
  // The mean of a variable in [0, 1] is the integral of its chance to be above x. Gauss-Legendre with
  // three points a step, each step exact for a polynomial of degree 5.
  constexpr int steps = 512;
  const std::array<double, 3> places{0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)};
  constexpr std::array<double, 3> weights{5.0 / 18, 8.0 / 18, 5.0 / 18};
  double sum = 0;
  for (int step = 0; step < steps; ++step)
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto x = (step + places[i]) / steps;
      sum += weights[i] * (1 - at_least(k, n, at_least(q, m, x)));
    }
  return sum / steps;
}

duration scaled(duration x, double factor) {
  return from_seconds(seconds_of(x) * factor);
}

/// A phase in [0, x], uniform.
time_range uniform(duration x) {
  return {duration::zero(), x, x / 2};
}

} // namespace

time_range endpoint_detection(const health_check_config& check, probe_result result) {
  return group_detection(check, result, 1, 1);
}

time_range group_detection(const health_check_config& check, probe_result result,
                           std::uint32_t turning, std::uint32_t changing) {
  SPILLOVER_CHECK(turning >= 1 && turning <= changing);
  const auto success = result == probe_result::answered;
  auto known = duration::zero();
  if (result == probe_result::silent)
    known = check.timeout;
  else if (success)
    known = check.response_time;
  auto threshold = success ? check.healthy_threshold : check.unhealthy_threshold;
  if (check.error_decides && result == probe_result::failed)
    threshold = 1;
  // The first probe after the change comes within the round that was usual before it.
  auto round = check.interval;
  auto step = check.interval;
  if (is_paced(check)) {
    round = pause_after(check, !success, false, true);
    round += success ? duration::zero() : check.response_time;
    step = pause_after(check, success, true, true) + known;
  }
  const auto least = (threshold - 1) * step + known;
  const auto phase = mean_phase(quorum_of(check), check.probers, turning, changing);
  return {least, least + round, least + scaled(round, phase)};
}

std::optional<time_range> source_detection(const health_check_config& check, probe_result result,
                                           const aggregation_policy& policy, std::uint32_t failing,
                                           std::uint32_t total) {
  SPILLOVER_CHECK(failing <= total);
  const auto need = needed(policy, total);
  // More needed than there are: the source is unhealthy already, and nothing turns it.
  if (need > total)
    return std::nullopt;
  const auto turning = total - need + 1;
  if (turning > failing)
    return std::nullopt;
  return group_detection(check, result, turning, failing);
}

time_range aggregation_time(const propagation_config& x) {
  return uniform(x.aggregation_tick);
}

time_range propagation_time(const propagation_config& x, std::uint32_t consumers) {
  SPILLOVER_CHECK(consumers >= 1);
  const auto last = static_cast<double>(consumers) / (consumers + 1.0);
  return {x.propagation, x.propagation + x.propagation_jitter,
          x.propagation + scaled(x.propagation_jitter, last)};
}

time_range resend_time(const propagation_config& x, double loss) {
  SPILLOVER_CHECK(loss >= 0 && loss < 1);
  if (loss == 0)
    return {};
  // The first repetition comes after half of `resend` on average, each further one a whole later.
  return {duration::zero(), x.resend, scaled(x.resend, loss * (0.5 + loss / (1 - loss)))};
}

time_range route_time(const propagation_config& x, double rate) {
  SPILLOVER_CHECK(rate > 0);
  // Looking back from the change of route, the last request lies an exponential time before it, or
  // before the news came, which counts as 0.
  const auto apply = seconds_of(x.apply);
  const auto mean = apply - (1 - std::exp(-rate * apply)) / rate;
  return {duration::zero(), x.apply, from_seconds(mean)};
}

time_range failover_time(const time_range& detection, const propagation_config& x,
                         std::uint32_t consumers) {
  const time_range apply{x.apply, x.apply, x.apply};
  return detection + aggregation_time(x) + propagation_time(x, consumers) + apply;
}

} // namespace spillover
