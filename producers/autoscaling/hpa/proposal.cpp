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

/// Wide enough for a hundred times any sum of what 64 bits hold.
__extension__ using wide = __int128;

/// Some of the pods, added up.
struct share {
  std::int32_t pods = 0;
  wide usage = 0;
  wide requests = 0;

  void add(wide value, wide request) noexcept {
    ++pods;
    usage += value;
    requests += request;
  }

  void add(const share& x, bool with_usage) noexcept {
    pods += x.pods;
    usage += with_usage ? x.usage : 0;
    requests += x.requests;
  }
};

/// The pods by what their samples are good for.
struct tally {
  share counted;
  /// Usage 0: of these only an assumption on the way up is made, that they use nothing.
  share unready;
  /// Usage: what is assumed on the way down.
  share missing;
  std::int32_t ignored = 0;
  bool all_request = true;
};

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
  pod_metric(const settings& x, const metric_spec& metric) noexcept
    : settings_(x),
      target_(metric.target),
      utilization_(metric.type == target_type::utilization),
      cpu_(metric.source == metric_source::resource && metric.name == "cpu") {}

  [[nodiscard]] tally count(instant now, const snapshot& seen,
                            std::span<const pod_sample> samples) const noexcept {
    tally result;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto& p = seen.pods[i];
      const auto& sample = samples[i];
      result.all_request = result.all_request && sample.request > 0;
      const auto pending = p.phase == pod_phase::pending;
      if (p.terminating || p.phase == pod_phase::failed)
        ++result.ignored;
      else if (sample.missing && !pending)
        result.missing.add(assumed(sample), sample.request);
      else if (pending || (cpu_ && starts(now, settings_, p, sample)))
        result.unready.add(0, sample.request);
      else
        result.counted.add(sample.value, sample.request);
    }
    return result;
  }

  /// @returns what is compared with the target, without a fraction (E-3).
  [[nodiscard]] std::int64_t level(const share& x) const noexcept {
    constexpr wide most = std::numeric_limits<std::int32_t>::max();
    const auto level = utilization_ ? std::min(x.usage * 100 / x.requests, most) : x.usage / x.pods;
    return static_cast<std::int64_t>(level);
  }

  [[nodiscard]] double ratio(std::int64_t level) const noexcept {
    return static_cast<double>(level) / static_cast<double>(target_);
  }

  [[nodiscard]] bool needs_requests() const noexcept { return utilization_; }

private:
  /// @returns what a pod without a sample is taken to use when fewer pods are asked for.
  [[nodiscard]] wide assumed(const pod_sample& sample) const noexcept {
    if (!utilization_)
      return target_;
    const auto all = std::int64_t{100};
    const auto percent = settings_.follows == generation::newer ? std::max(all, target_) : all;
    return wide{sample.request} * percent / 100;
  }

  const settings& settings_;
  std::int64_t target_;
  bool utilization_;
  bool cpu_;
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
void adjust(proposal& result, const settings& x, const pod_metric& metric, const tally& pods,
            std::int32_t present) noexcept {
  auto all = pods.counted;
  const auto up = result.ratio > 1;
  if (result.ratio != 1)
    all.add(pods.missing, !up);
  if (up)
    all.add(pods.unready, false);
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

proposal of_pods(instant now, const settings& x, const metric_spec& spec, const snapshot& seen,
                 const metric_reading& reading) noexcept {
  const pod_metric metric{x, spec};
  const auto pods = metric.count(now, seen, reading.samples);
  auto result = failed(failure::none);
  result.ready = pods.counted.pods;
  result.unready = pods.unready.pods;
  result.missing = pods.missing.pods;
  result.ignored = pods.ignored;
  if (pods.counted.pods == 0) {
    result.failed = seen.pods.empty() ? failure::no_pods : failure::no_samples;
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

std::int32_t ready_pods(std::span<const pod> pods) noexcept {
  const auto serves = [](const pod& p) { return p.phase == pod_phase::running && p.ready; };
  return static_cast<std::int32_t>(std::count_if(pods.begin(), pods.end(), serves));
}

/// One number, compared as it is. From 0 replicas any of it asks for some.
proposal of_value(const settings& x, const metric_spec& metric, const snapshot& seen,
                  std::int64_t value) noexcept {
  proposal result;
  result.ready = ready_pods(seen.pods);
  result.current = value;
  result.ratio = static_cast<double>(value) / static_cast<double>(metric.target);
  result.adjusted_ratio = result.ratio;
  if (seen.spec_replicas == 0)
    result.replicas = round_up(result.ratio);
  else if (within(result.ratio, tolerances_of(x), x.follows))
    keep(result, seen.spec_replicas, hold::tolerance);
  else if (seen.pods.empty())
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
  result.ready = ready_pods(seen.pods);
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

proposal propose(instant now, const settings& x, const metric_spec& metric, const snapshot& seen,
                 const metric_reading& reading) {
  if (!reading.available)
    return failed(failure::unavailable);
  if (metric.source == metric_source::resource || metric.source == metric_source::pods) {
    SPILLOVER_CHECK(reading.samples.size() == seen.pods.size());
    return of_pods(now, x, metric, seen, reading);
  }
  if (metric.type == target_type::value)
    return of_value(x, metric, seen, reading.value);
  return of_average(x, metric, seen, reading.value);
}

} // namespace spillover::hpa
