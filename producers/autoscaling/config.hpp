#pragma once

#include "producers/autoscaling/cloud_run.hpp"
#include "producers/autoscaling/fixed.hpp"
#include "producers/instance_config.hpp"

#include <variant>

namespace spillover {

/// One policy with its settings. A new policy is a file beside this one, an alternative here, and
/// its keys in the scenario's schema.
using autoscaling_config = std::variant<cloud_run_config, fixed_config>;

std::unique_ptr<autoscaler> make_autoscaler(const autoscaling_config& x,
                                            const instance_config& instance);

/// @returns the bounds that `x` keeps.
scaling_bounds bounds_of(const autoscaling_config& x) noexcept;

} // namespace spillover
