#include "producers/autoscaling/config.hpp"

namespace spillover {

namespace {

struct maker {
  const instance_config& instance;

  std::unique_ptr<autoscaler> operator()(const cloud_run_config& x) const {
    return make_cloud_run(x, instance.cpu, instance.concurrency);
  }

  std::unique_ptr<autoscaler> operator()(const fixed_config& x) const { return make_fixed(x); }
};

struct bounds {
  scaling_bounds operator()(const cloud_run_config& x) const noexcept {
    return {x.min_instances, x.max_instances};
  }

  scaling_bounds operator()(const fixed_config& x) const noexcept {
    return {x.instances, x.instances};
  }
};

} // namespace

std::unique_ptr<autoscaler> make_autoscaler(const autoscaling_config& x,
                                            const instance_config& instance) {
  return std::visit(maker{instance}, x);
}

scaling_bounds bounds_of(const autoscaling_config& x) noexcept {
  return std::visit(bounds{}, x);
}

} // namespace spillover
