#include "producers/autoscaling/kpa/reconciler.hpp"

#include "producers/autoscaling/kpa/whole.hpp"

#include <algorithm>
#include <cmath>

namespace spillover::kpa {

namespace {

using std::chrono::seconds;

// How long an activation may last beyond the progress deadline.
constexpr duration activation_slack = seconds{30};

// A revision that went inactive behind the activator is looked at again after this.
constexpr duration after_going_inactive = seconds{3};

scale_outcome apply(const revision_state& seen, std::int32_t want) {
  scale_outcome result;
  result.want = want;
  if (seen.replicas.value_or(1) != want)
    result.patch = want;
  return result;
}

scale_outcome leave(std::int32_t want, std::optional<duration> look_again = std::nullopt) {
  scale_outcome result;
  result.want = want;
  result.look_again = look_again;
  return result;
}

/// The second step to zero: the revision is inactive.
scale_outcome remove_pods(const settings& x, const revision_state& seen) {
  const auto probes = x.burst_capacity != -1;
  const auto with_probe = [probes](scale_outcome result) {
    result.probed = probes;
    return result;
  };
  if (probes && !seen.probe_ok) {
    auto result = with_probe(leave(0));
    result.probe_in_background = true;
    return result;
  }
  const auto retention = x.reachable ? x.pod_retention : duration::zero();
  if (seen.active_for >= std::max(x.grace_period, retention))
    return with_probe(apply(seen, 0));
  if (seen.active_for < retention)
    return with_probe(leave(0, retention - seen.active_for));
  // With the activator in the path for the grace period nothing can be lost any more.
  const auto rest = x.grace_period - seen.proxy_for.value_or(duration::zero());
  return with_probe(rest <= duration::zero() ? apply(seen, 0) : leave(0, rest));
}

scale_outcome scale_to_zero(const settings& x, const revision_state& seen) {
  if (!x.scale_to_zero)
    return apply(seen, 1);
  switch (seen.active) {
    case activity::activating: {
      const auto deadline = x.progress_deadline + activation_slack;
      return seen.active_for > deadline ? apply(seen, 0) : leave(-1, deadline);
    }
    case activity::active: {
      if (seen.active_for < x.stable_window) {
        auto result = apply(seen, 1);
        result.look_again = x.stable_window - seen.active_for;
        return result;
      }
      // The first step only makes the revision inactive.
      return leave(0, seen.mode == path_mode::proxy ? std::optional{after_going_inactive}
                                                    : std::nullopt);
    }
    case activity::inactive: break;
  }
  return remove_pods(x, seen);
}

} // namespace

scale_outcome scale(const settings& x, const revision_state& seen) {
  if (seen.desired < 0 && seen.active != activity::activating)
    return leave(seen.desired);
  auto least = x.min_scale;
  if (x.initial_scale > 1 && !seen.initialised && x.reachable)
    least = std::max(least, x.initial_scale);
  auto want = seen.desired;
  if (want < least)
    want = least;
  else if (x.max_scale != 0 && want > x.max_scale)
    want = x.max_scale;
  return want == 0 ? scale_to_zero(x, seen) : apply(seen, want);
}

activity_outcome judge_activity(const settings& x, const revision_state& seen, std::int32_t want,
                                bool reachable_by_name) {
  const auto least = x.min_scale;
  const auto need = seen.initialised ? std::max(least, 1) : std::max(least, x.initial_scale);
  const auto ready = static_cast<std::int32_t>(seen.ready);
  activity_outcome result;
  result.initialised = seen.initialised || (ready >= need && reachable_by_name);
  if (want == 0 || need == 0) {
    result.active = activity::inactive;
    result.reason = seen.active == activity::activating && need > 0 ? "TimedOut" : "NoTraffic";
  } else if (want < 0 && seen.active == activity::inactive) {
    result.active = activity::inactive;
    result.reason = "NoTraffic";
  } else if (ready < need) {
    result.active = activity::activating;
    result.reason = "Queued";
  } else {
    result.active = activity::active;
  }
  return result;
}

path_mode choose_mode(std::int32_t want, std::int32_t excess_burst_capacity) noexcept {
  return want > 0 && excess_burst_capacity >= 0 ? path_mode::serve : path_mode::proxy;
}

std::int32_t activators_for(const settings& x, std::uint32_t ready) noexcept {
  if (x.burst_capacity == 0)
    return 2;
  const auto load = static_cast<double>(ready) * x.total + std::max(x.burst_capacity, 0.0);
  return std::max(2, whole(std::ceil(load / x.activator_capacity)));
}

} // namespace spillover::kpa
