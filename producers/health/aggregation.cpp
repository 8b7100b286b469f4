#include "producers/health/aggregation.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover {

namespace {

constexpr std::size_t place_of(health x) noexcept {
  return static_cast<std::size_t>(x);
}

} // namespace

std::vector<std::string> validate(const aggregation_policy& x) {
  std::vector<std::string> problems;
  if (x.healthy_percent_threshold > 100)
    problems.emplace_back("healthy_percent_threshold: must be within 0..100");
  if (x.min_healthy_threshold < 1)
    problems.emplace_back("min_healthy_threshold: must be at least 1");
  return problems;
}

health aggregate(const aggregation_policy& x, std::uint32_t healthy, std::uint32_t total) noexcept {
  const auto enough_of_all =
    std::uint64_t{healthy} * 100 >= std::uint64_t{x.healthy_percent_threshold} * total;
  return total > 0 && enough_of_all && healthy >= x.min_healthy_threshold ? health::healthy
                                                                          : health::unhealthy;
}

std::uint32_t needed(const aggregation_policy& x, std::uint32_t total) noexcept {
  const auto share = (std::uint64_t{x.healthy_percent_threshold} * total + 99) / 100;
  return std::max(static_cast<std::uint32_t>(share), x.min_healthy_threshold);
}

health conjunction(std::span<const health> sources) noexcept {
  const auto any = [sources](health x) {
    return std::find(sources.begin(), sources.end(), x) != sources.end();
  };
  if (any(health::unhealthy))
    return health::unhealthy;
  return sources.empty() || any(health::unknown) ? health::unknown : health::healthy;
}

health_source::health_source(const aggregation_policy& policy, instant warm_up) noexcept
  : policy_(policy), warm_up_(warm_up) {}

void health_source::add(health state) noexcept {
  ++counts_[place_of(state)];
}

void health_source::remove(health state) noexcept {
  SPILLOVER_CHECK(counts_[place_of(state)] > 0);
  --counts_[place_of(state)];
}

void health_source::change(health before, health after) noexcept {
  remove(before);
  add(after);
}

health health_source::verdict(instant now) const noexcept {
  const auto waiting = counts_[place_of(health::unknown)] > 0 && now < warm_up_;
  // A source that knew its state once never says unknown again (B-19).
  if (state_ == health::unknown && waiting)
    return health::unknown;
  return aggregate(policy_, healthy(), total());
}

std::optional<health_source::transition> health_source::judge(instant now) noexcept {
  const auto after = verdict(now);
  if (after == state_)
    return std::nullopt;
  const transition result{state_, after, healthy(), total(), needed(policy_, total())};
  state_ = after;
  return result;
}

std::vector<std::string> validate(const propagation_config& x) {
  using namespace std::chrono_literals;
  std::vector<std::string> problems;
  if (x.aggregation_tick < 1ms || x.aggregation_tick > 60s)
    problems.emplace_back("aggregation_tick: must be within 1ms..60s");
  if (x.propagation < 0s)
    problems.emplace_back("propagation: must not be negative");
  if (x.propagation_jitter < 0s)
    problems.emplace_back("propagation_jitter: must not be negative");
  if (x.apply < 0s)
    problems.emplace_back("apply: must not be negative");
  if (x.resend < 1s)
    problems.emplace_back("resend: must be at least 1s");
  if (x.warm_up < 0s)
    problems.emplace_back("warm_up: must not be negative");
  return problems;
}

} // namespace spillover
