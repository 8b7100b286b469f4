#include "producers/health/health_check.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

using namespace std::chrono_literals;

bool is_status(std::uint32_t x) noexcept {
  return x >= 100 && x <= 599;
}

void check_probes(const health_check_config& x, std::vector<std::string>& problems) {
  if (!x.path.starts_with('/'))
    problems.emplace_back("path: must begin with '/'");
  if (!is_status(x.path_status))
    problems.emplace_back("path_status: must be within 100..599");
  const auto& expected = x.expected_statuses;
  if (expected.empty() || !std::all_of(expected.begin(), expected.end(), is_status))
    problems.emplace_back("expected_statuses: at least one, each within 100..599");
}

void check_pace(const health_check_config& x, std::vector<std::string>& problems) {
  const auto check = [&problems](const char* key, const std::optional<duration>& span) {
    if (span && (*span < 1ms || *span > 1h))
      problems.push_back(std::string{key}.append(": must be within 1ms..1h"));
  };
  check("no_traffic_interval", x.no_traffic_interval);
  check("unhealthy_interval", x.unhealthy_interval);
  check("unhealthy_edge_interval", x.unhealthy_edge_interval);
  check("healthy_edge_interval", x.healthy_edge_interval);
  if (x.initial_delay < 0s || x.initial_delay > 1h)
    problems.emplace_back("initial_delay: must be within 0s..1h");
  if (x.network_lag < 0s || x.network_lag > 1h)
    problems.emplace_back("network_lag: must be within 0s..1h");
}

} // namespace

std::vector<std::string> validate(const health_check_config& x) {
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
  check_probes(x, problems);
  check_pace(x, problems);
  return problems;
}

std::uint32_t quorum_of(const health_check_config& x) noexcept {
  return x.quorum != 0 ? x.quorum : x.probers / 2 + 1;
}

probe_result judged_by(const health_check_config& x, probe_result met) noexcept {
  const auto& expected = x.expected_statuses;
  const auto wrong =
    has_path(x.protocol)
    && std::find(expected.begin(), expected.end(), x.path_status) == expected.end();
  return met == probe_result::answered && wrong ? probe_result::failed : met;
}

bool is_paced(const health_check_config& x) noexcept {
  return x.no_traffic_interval || x.unhealthy_interval || x.unhealthy_edge_interval
         || x.healthy_edge_interval;
}

duration pause_after(const health_check_config& x, bool success, bool pending,
                     bool traffic) noexcept {
  if (!traffic && x.no_traffic_interval)
    return *x.no_traffic_interval;
  if (success)
    return pending ? x.healthy_edge_interval.value_or(x.interval) : x.interval;
  const auto unhealthy = x.unhealthy_interval.value_or(x.interval);
  return pending ? x.unhealthy_edge_interval.value_or(unhealthy) : unhealthy;
}

endpoint_tracker::endpoint_tracker(const health_check_config& config, health initial)
  : healthy_threshold_(config.healthy_threshold),
    unhealthy_threshold_(config.unhealthy_threshold),
    quorum_(quorum_of(config)),
    first_decides_(config.first_result_decides),
    error_decides_(config.error_decides),
    state_(initial),
    probers_(config.probers, streak{.verdict = initial}) {}

std::optional<endpoint_tracker::transition>
endpoint_tracker::observe(std::uint32_t prober, probe_result result, bool may_change) {
  SPILLOVER_CHECK(prober < probers_.size());
  auto& x = probers_[prober];
  const auto success = result == probe_result::answered;
  const auto at_once =
    (first_decides_ && x.length == 0) || (error_decides_ && result == probe_result::failed);
  const auto usual = success ? healthy_threshold_ : unhealthy_threshold_;
  const auto threshold = at_once ? 1 : usual;
  x.length = success == x.success ? std::min(x.length + 1, usual) : 1;
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

bool endpoint_tracker::is_pending(std::uint32_t prober) const noexcept {
  const auto& x = probers_[prober];
  // Who knows nothing yet takes an endpoint for unhealthy, as Envoy does.
  return x.success != (x.verdict == health::healthy);
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
