#pragma once

#include "producers/autoscaling/cloud_run.hpp"
#include "producers/autoscaling/fixed.hpp"
#include "producers/autoscaling/hpa.hpp"
#include "producers/autoscaling/knative_kpa.hpp"
#include "producers/autoscaling/netscaler_adm.hpp"
#include "producers/fleet.hpp"
#include "producers/instance.hpp"
#include "producers/instance_config.hpp"
#include "producers/pod_router.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// One policy with its settings. A new policy is a file beside this one, an alternative here, and
/// its keys in the scenario's schema.
using autoscaling_config = std::variant<cloud_run_config, fixed_config, knative_kpa_config,
                                        netscaler_adm_config, hpa_config>;

/// @returns the policy's name in the scenario file, e.g. "cloud_run".
std::string_view policy_of(const autoscaling_config& x) noexcept;

/// @returns the policy of that name with its defaults; nothing when there is none.
std::optional<autoscaling_config> default_policy(std::string_view name);

/// Lists every reason why `x` cannot be used for such instances, each as `field: reason`; empty when
/// valid.
std::vector<std::string> validate(const autoscaling_config& x, const instance_config& instance);

/// Where a request waits when no instance may have it.
enum class waiting_room : std::uint8_t {
  /// Cloud Run's pending queue with its limits (A-33..A-40).
  pending_queue,
  /// Knative's activator, while it is in the path (C-29); past it as `nowhere`.
  activator,
  /// Without an instance that serves a request fails at once.
  nowhere,
};

/// What comes with the platform that a policy belongs to: how requests reach instances, and how
/// instances go that are no longer needed.
struct platform {
  waiting_room waits = waiting_room::pending_queue;
  surplus unneeded = surplus::deprioritised;
  /// Instances hold to their limit themselves, so that whoever routes need not count.
  own_limit limit = {};
  /// Without a waiting room, or past the activator.
  spread routing = spread::round_robin;
  /// What the activator's probes meet on their way, when that takes time.
  std::optional<activator_way> probed = std::nullopt;
  /// Each instance's limit follows its CPU (A-42..A-46).
  bool tunes = false;
  /// How long an instance takes to come, where the policy says it and not the instance.
  std::optional<duration> start_time = std::nullopt;
  /// How long one that leaves may finish, where the policy says it.
  std::optional<duration> drain_deadline = std::nullopt;

  /// @returns whether whoever routes counts, packs and prefers as Cloud Run does.
  [[nodiscard]] bool packs() const noexcept { return waits == waiting_room::pending_queue; }
};

platform platform_of(const autoscaling_config& x, const instance_config& instance) noexcept;

/// @param seed, path name the random streams of policies that draw, e.g. by
///        "us-east1/checkout/web"
/// @param began when the revision begins to exist in the run
std::unique_ptr<autoscaler> make_autoscaler(const autoscaling_config& x,
                                            const instance_config& instance, std::uint64_t seed,
                                            std::string_view path, instant began = run_start);

/// @returns the bounds that `x` keeps.
scaling_bounds bounds_of(const autoscaling_config& x);

/// @returns how many instances serve when a run begins: the minimum, unless the revision is only
///          deployed then.
std::uint32_t instances_at_start(const autoscaling_config& x);

} // namespace spillover
