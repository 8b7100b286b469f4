#include "producers/autoscaling/hpa/proposal.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spillover::hpa {

namespace {

/// @returns `x` rounded up, kept inside of what 32 bits hold.
std::int32_t round_up(double x) noexcept {
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  return x >= most ? most : static_cast<std::int32_t>(std::ceil(x));
}

/// @returns both together.
/// @param with_usage false leaves out what the pods of `y` use
pod_share sum(const pod_share& x, const pod_share& y, bool with_usage) noexcept {
  return {x.pods + y.pods, x.usage + (with_usage ? y.usage : 0), x.requests + y.requests};
}

/// @returns whether a pod's CPU says nothing yet: it still starts, or never became ready (E-5).
bool starts(instant now, const settings& x, const pod& p, const pod_sample& sample) noexcept {
  if (!p.started)
    return true;
  if (*p.started + x.cpu_initialization_period > now)
    return !p.ready || sample.at < p.ready_changed + sample.window;
  return !p.ready && *p.started + x.initial_readiness_delay > p.ready_changed;
}

/// What a metric of single pods is measured by.
class pod_metric {
public:
  explicit pod_metric(const metric_spec& x) noexcept
    : target_(x.target), utilization_(x.type == target_type::utilization) {}

  /// @returns what is compared with the target, without a fraction (E-3).
  [[nodiscard]] std::int64_t level(const pod_share& x) const noexcept {
    constexpr wide most = std::numeric_limits<std::int32_t>::max();
    const auto level = utilization_ ? std::min(x.usage * 100 / x.requests, most) : x.usage / x.pods;
    return static_cast<std::int64_t>(level);
  }

  [[nodiscard]] double ratio(std::int64_t level) const noexcept {
    return static_cast<double>(level) / static_cast<double>(target_);
  }

  [[nodiscard]] bool needs_requests() const noexcept { return utilization_; }

private:
  std::int64_t target_;
  bool utilization_;
};

proposal failed(failure why) noexcept {
  proposal result;
  result.failed = why;
  return result;
}

void keep(proposal& x, std::int32_t replicas, hold why) noexcept {
  x.replicas = replicas;
  x.held = why;
}

/// Takes in the pods that are unready or missing, and asks again (E-4).
void adjust(proposal& result, const settings& x, const pod_metric& metric, const pod_tally& pods,
            std::int32_t present) noexcept {
  auto all = pods.counted;
  const auto up = result.ratio > 1;
  if (result.ratio != 1)
    all = sum(all, pods.missing, !up);
  if (up)
    all = sum(all, pods.unready, false);
  const auto ratio = metric.ratio(metric.level(all));
  result.adjusted_ratio = ratio;
  const auto replicas = round_up(ratio * all.pods);
  const auto turned = (result.ratio < 1 && ratio > 1) || (up && ratio < 1);
  const auto against = (ratio < 1 && replicas > present) || (ratio > 1 && replicas < present);
  if (within(ratio, tolerances_of(x), x.follows))
    keep(result, present, hold::tolerance);
  else if (turned || against)
    keep(result, present, hold::direction);
  else
    result.replicas = replicas;
}

proposal of_pods(const settings& x, const metric_spec& spec, const snapshot& seen,
                 const pod_tally& pods) noexcept {
  const pod_metric metric{spec};
  auto result = failed(failure::none);
  result.ready = pods.counted.pods;
  result.unready = pods.unready.pods;
  result.missing = pods.missing.pods;
  result.ignored = pods.ignored;
  if (pods.counted.pods == 0) {
    result.failed = seen.pods == 0 ? failure::no_pods : failure::no_samples;
    return result;
  }
  if (metric.needs_requests() && !pods.all_request) {
    result.failed = failure::no_requests;
    return result;
  }
  result.current = metric.level(pods.counted);
  result.ratio = result.adjusted_ratio = metric.ratio(result.current);
  if (pods.missing.pods > 0 || (pods.unready.pods > 0 && result.ratio > 1))
    adjust(result, x, metric, pods, seen.spec_replicas);
  else if (within(result.ratio, tolerances_of(x), x.follows))
    keep(result, seen.spec_replicas, hold::tolerance);
  else
    result.replicas = round_up(result.ratio * pods.counted.pods);
  return result;
}

/// One number, compared as it is. From 0 replicas any of it asks for some.
proposal of_value(const settings& x, const metric_spec& metric, const snapshot& seen,
                  std::int64_t value) noexcept {
  proposal result;
  result.ready = seen.ready;
  result.current = result.total = value;
  result.ratio = static_cast<double>(value) / static_cast<double>(metric.target);
  result.adjusted_ratio = result.ratio;
  if (seen.spec_replicas == 0)
    result.replicas = round_up(result.ratio);
  else if (within(result.ratio, tolerances_of(x), x.follows))
    keep(result, seen.spec_replicas, hold::tolerance);
  else if (seen.pods == 0)
    result.failed = failure::no_pods;
  else
    result.replicas = round_up(result.ratio * result.ready);
  return result;
}

/// One number, divided by the replicas that there are. Whether they are ready does not matter.
proposal of_average(const settings& x, const metric_spec& metric, const snapshot& seen,
                    std::int64_t value) noexcept {
  const auto number = static_cast<double>(value);
  const auto target = static_cast<double>(metric.target);
  const auto present = seen.status_replicas;
  proposal result;
  result.ready = seen.ready;
  result.total = value;
  result.current = present > 0 ? static_cast<std::int64_t>(std::ceil(number / present)) : value;
  result.ratio = present > 0 ? number / (target * present) : number / target;
  result.adjusted_ratio = result.ratio;
  if (present > 0 && within(result.ratio, tolerances_of(x), x.follows))
    keep(result, present, hold::tolerance);
  else
    result.replicas = round_up(number / target);
  return result;
}

} // namespace

std::string_view to_string(failure x) noexcept {
  switch (x) {
    case failure::none: return "none";
    case failure::unavailable: return "unavailable";
    case failure::no_pods: return "no pods";
    case failure::no_samples: return "no samples";
    case failure::no_requests: return "no requests";
  }
  return "unknown";
}

std::string_view to_string(hold x) noexcept {
  switch (x) {
    case hold::none: return "none";
    case hold::tolerance: return "tolerance";
    case hold::direction: return "direction";
  }
  return "unknown";
}

tolerances tolerances_of(const settings& x) noexcept {
  if (!x.behavior)
    return {x.tolerance, x.tolerance};
  return {x.behavior->scale_up.tolerance.value_or(x.tolerance),
          x.behavior->scale_down.tolerance.value_or(x.tolerance)};
}

bool within(double ratio, const tolerances& x, generation follows) noexcept {
  if (follows == generation::older)
    return std::abs(1.0 - ratio) <= x.up;
  return 1.0 - x.down <= ratio && ratio <= 1.0 + x.up;
}

bool is_cpu(const metric_spec& x) noexcept {
  return x.source == metric_source::resource && x.name == "cpu";
}

pod_use use_of(instant now, const settings& x, bool cpu, const pod& p,
               const pod_sample& sample) noexcept {
  if (p.terminating || p.phase == pod_phase::failed)
    return pod_use::ignored;
  if (p.phase == pod_phase::pending)
    return pod_use::unready;
  if (sample.missing)
    return pod_use::missing;
  return cpu && starts(now, x, p, sample) ? pod_use::unready : pod_use::counted;
}

wide assumed_usage(const settings& x, const metric_spec& metric, std::int64_t request) noexcept {
  if (metric.type != target_type::utilization)
    return metric.target;
  const auto all = std::int64_t{100};
  const auto percent = x.follows == generation::newer ? std::max(all, metric.target) : all;
  return wide{request} * percent / 100;
}

proposal propose(const settings& x, const metric_spec& metric, const snapshot& seen,
                 const metric_reading& reading) {
  if (!reading.available)
    return failed(failure::unavailable);
  if (metric.source == metric_source::resource || metric.source == metric_source::pods) {
    const auto& [counted, unready, missing, ignored, all_request] = reading.pods;
    SPILLOVER_CHECK(counted.pods + unready.pods + missing.pods + ignored == seen.pods);
    return of_pods(x, metric, seen, reading.pods);
  }
  if (metric.type == target_type::value)
    return of_value(x, metric, seen, reading.value);
  return of_average(x, metric, seen, reading.value);
}

} // namespace spillover::hpa
