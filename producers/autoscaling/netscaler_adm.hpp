#pragma once

#include "producers/autoscaling/autoscaler.hpp"
#include "producers/autoscaling/netscaler/settings.hpp"
#include "producers/pod_router.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// How much memory a node uses, in percent; a node has no other model of it.
struct memory_model {
  /// Without a request, 0..100.
  double base = 10;
  /// For each request in flight, 0..100.
  double per_request = 1;

  friend bool operator==(const memory_model&, const memory_model&) = default;
};

/// An autoscale group of NetScaler ADM behind a network load balancer or DNS (D-1..D-14). Instances are
/// its nodes; they take `provisioning_time` and `update_time` to come, whatever their cold start says.
struct netscaler_adm_config {
  /// Name in the scenario file.
  static constexpr std::string_view policy = "netscaler_adm";

  /// Scales in by the youngest node. Throughput is requests a second.
  netscaler::settings adm;
  memory_model memory;

  /// How connections spread over nodes.
  spread routing = spread::round_robin;

  friend bool operator==(const netscaler_adm_config&, const netscaler_adm_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const netscaler_adm_config& x);

/// @param cpu vCPUs of one node, above 0
std::unique_ptr<autoscaler> make_netscaler_adm(const netscaler_adm_config& x, double cpu);

} // namespace spillover
