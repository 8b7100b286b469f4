#include "producers/autoscaling/kpa/collector.hpp"

#include <cmath>

namespace spillover::kpa {

std::uint32_t sample_size(std::uint32_t pods) noexcept {
  if (pods <= 3)
    return pods;
  // The sample size of a mean at 95 % confidence and a margin of a fifth of the standard deviation,
  // corrected for a population of `pods`.
  constexpr auto infinite = 1.96 * 1.96 * 100 / 25;
  const auto n = static_cast<double>(pods);
  return static_cast<std::uint32_t>(std::ceil(n * infinite / (n + infinite - 1)));
}

collector::collector(const settings& x)
  : concurrency_{sample_window{x.stable_window}, sample_window{x.panic_window}},
    requests_{sample_window{x.stable_window}, sample_window{x.panic_window}},
    by_(x.by),
    aggregate_(x.aggregate) {}

void collector::record(instant at, const request_report& x) {
  const auto concurrency = x.concurrency - x.proxied_concurrency;
  concurrency_.stable.record(at, concurrency);
  concurrency_.panic.record(at, concurrency);
  const auto requests = x.requests - x.proxied_requests;
  requests_.stable.record(at, requests);
  requests_.panic.record(at, requests);
}

void collector::update(instant now, const settings& x) {
  for (auto* windows : {&concurrency_, &requests_}) {
    windows->stable.resize(now, x.stable_window);
    windows->panic.resize(now, x.panic_window);
  }
  by_ = x.by;
  aggregate_ = x.aggregate;
}

std::optional<averages> collector::read(instant now) const {
  const auto& windows = by_ == metric::concurrency ? concurrency_ : requests_;
  if (windows.stable.empty(now))
    return std::nullopt;
  return averages{windows.stable.average(now, aggregate_), windows.panic.average(now, aggregate_)};
}

} // namespace spillover::kpa
