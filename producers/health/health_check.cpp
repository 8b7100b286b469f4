#include "producers/health/health_check.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

std::vector<std::string> validate(const health_check_config& x) {
  using namespace std::chrono_literals;
  std::vector<std::string> problems;
  if (x.interval < 1s || x.interval > 300s)
    problems.emplace_back("interval: must be within 1s..300s");
  if (x.timeout <= 0s || x.timeout > x.interval)
    problems.emplace_back("timeout: must be above 0 and at most the interval");
  if (x.healthy_threshold < 1 || x.healthy_threshold > 10)
    problems.emplace_back("healthy_threshold: must be within 1..10");
  if (x.unhealthy_threshold < 1 || x.unhealthy_threshold > 10)
    problems.emplace_back("unhealthy_threshold: must be within 1..10");
  if (x.probers < 1 || x.probers > 32)
    problems.emplace_back("probers: must be within 1..32");
  if (x.quorum > x.probers)
    problems.emplace_back("quorum: must be at most the number of probers, or 0 for their majority");
  if (x.response_time < 0s || x.response_time >= x.timeout)
    problems.emplace_back("response_time: must be at least 0 and below the timeout");
  return problems;
}

std::uint32_t quorum_of(const health_check_config& x) noexcept {
  return x.quorum != 0 ? x.quorum : x.probers / 2 + 1;
}

endpoint_tracker::endpoint_tracker(const health_check_config& config, health initial)
  : healthy_threshold_(config.healthy_threshold),
    unhealthy_threshold_(config.unhealthy_threshold),
    quorum_(quorum_of(config)),
    state_(initial),
    probers_(config.probers, streak{.verdict = initial}) {}

std::optional<endpoint_tracker::transition>
endpoint_tracker::observe(std::uint32_t prober, bool success, bool may_change) {
  SPILLOVER_CHECK(prober < probers_.size());
  auto& x = probers_[prober];
  const auto threshold = success ? healthy_threshold_ : unhealthy_threshold_;
  x.length = success == x.success ? std::min(x.length + 1, threshold) : 1;
  x.success = success;
  const auto verdict = success ? health::healthy : health::unhealthy;
  const auto flips = x.length >= threshold && x.verdict != verdict;
  if (flips)
    x.verdict = verdict;
  if (!may_change) {
    withheld_ = withheld_ || flips;
    return std::nullopt;
  }
  // What changed meanwhile counts now, whatever this result says.
  if (std::exchange(withheld_, false)) {
    const auto change = turn(verdict);
    return change ? change : turn(success ? health::unhealthy : health::healthy);
  }
  return flips ? turn(verdict) : std::nullopt;
}

std::optional<endpoint_tracker::transition> endpoint_tracker::turn(health to) {
  const auto agreeing = std::count_if(probers_.begin(), probers_.end(),
                                      [to](const streak& x) { return x.verdict == to; });
  if (state_ == to || agreeing < static_cast<std::ptrdiff_t>(quorum_))
    return std::nullopt;
  const transition result{state_, to, static_cast<std::uint32_t>(agreeing)};
  state_ = to;
  return result;
}

} // namespace spillover
