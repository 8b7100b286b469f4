#include "producers/autoscaling/config.hpp"

#include <cstddef>
#include <limits>

namespace spillover {

namespace {

// A queue-proxy lets this many times its limit wait (C-30).
constexpr std::uint32_t queue_proxy_depth = 10;

struct maker {
  const instance_config& instance;
  std::uint64_t seed;
  std::string_view path;
  instant began;

  std::unique_ptr<autoscaler> operator()(const cloud_run_config& x) const {
    return make_cloud_run(x, total_cpu(instance), instance.concurrency);
  }

  std::unique_ptr<autoscaler> operator()(const fixed_config& x) const { return make_fixed(x); }

  std::unique_ptr<autoscaler> operator()(const knative_kpa_config& x) const {
    return make_knative_kpa(x, instance.concurrency, seed, path, began);
  }

  std::unique_ptr<autoscaler> operator()(const netscaler_adm_config& x) const {
    return make_netscaler_adm(x, total_cpu(instance));
  }

  std::unique_ptr<autoscaler> operator()(const hpa_config& x) const {
    return make_hpa(x, total_cpu(instance));
  }
};

struct bounds {
  scaling_bounds operator()(const cloud_run_config& x) const noexcept {
    return {x.min_instances, x.max_instances};
  }

  scaling_bounds operator()(const fixed_config& x) const noexcept {
    return {x.instances, x.instances};
  }

  scaling_bounds operator()(const knative_kpa_config& x) const { return bounds_of(x); }

  scaling_bounds operator()(const netscaler_adm_config& x) const noexcept {
    return {x.adm.min_nodes, x.adm.max_nodes};
  }

  scaling_bounds operator()(const hpa_config& x) const noexcept {
    return {static_cast<std::uint32_t>(x.kubernetes.min_replicas),
            static_cast<std::uint32_t>(x.kubernetes.max_replicas)};
  }
};

struct platforms {
  const instance_config& instance;

  // A server that nobody protects queues whatever comes.
  [[nodiscard]] own_limit patient() const noexcept {
    return {instance.concurrency, std::numeric_limits<std::uint32_t>::max()};
  }

  platform operator()(const cloud_run_config& x) const noexcept {
    return {.tunes = x.adaptive_concurrency};
  }
  platform operator()(const fixed_config&) const noexcept { return {}; }

  platform operator()(const knative_kpa_config& x) const noexcept {
    return {.waits = waiting_room::activator,
            .unneeded = surplus::removed,
            .limit = {instance.concurrency, queue_proxy_depth * instance.concurrency},
            .routing = x.routing,
            .probed = x.way.takes_time() ? std::optional{x.way} : std::nullopt};
  }

  platform operator()(const netscaler_adm_config& x) const noexcept {
    return {.waits = waiting_room::nowhere,
            .unneeded = surplus::removed,
            .limit = patient(),
            .routing = x.routing,
            .start_time = x.adm.provisioning_time + x.adm.update_time,
            .drain_deadline = x.adm.drain_connection_timeout};
  }

  platform operator()(const hpa_config& x) const noexcept {
    return {.waits = waiting_room::nowhere,
            .unneeded = surplus::removed,
            .limit = patient(),
            .routing = x.routing};
  }
};

struct validity {
  const instance_config& instance;

  std::vector<std::string> operator()(const knative_kpa_config& x) const {
    return validate(x, instance.concurrency);
  }

  template <class T>
  std::vector<std::string> operator()(const T& x) const {
    return validate(x);
  }
};

template <std::size_t I = 0>
std::optional<autoscaling_config> find_policy(std::string_view name) {
  if constexpr (I < std::variant_size_v<autoscaling_config>) {
    using policy = std::variant_alternative_t<I, autoscaling_config>;
    return policy::policy == name ? policy{} : find_policy<I + 1>(name);
  }
  return std::nullopt;
}

} // namespace

std::string_view policy_of(const autoscaling_config& x) noexcept {
  return std::visit([](const auto& y) { return y.policy; }, x);
}

std::optional<autoscaling_config> default_policy(std::string_view name) {
  return find_policy(name);
}

std::vector<std::string> validate(const autoscaling_config& x, const instance_config& instance) {
  return std::visit(validity{instance}, x);
}

platform platform_of(const autoscaling_config& x, const instance_config& instance) noexcept {
  return std::visit(platforms{instance}, x);
}

std::unique_ptr<autoscaler> make_autoscaler(const autoscaling_config& x,
                                            const instance_config& instance, std::uint64_t seed,
                                            std::string_view path, instant began) {
  return std::visit(maker{instance, seed, path, began}, x);
}

scaling_bounds bounds_of(const autoscaling_config& x) {
  return std::visit(bounds{}, x);
}

std::uint32_t instances_at_start(const autoscaling_config& x) {
  const auto* knative = std::get_if<knative_kpa_config>(&x);
  return knative != nullptr && knative->deployed_at_start ? 0 : bounds_of(x).min;
}

} // namespace spillover
