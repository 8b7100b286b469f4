#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spillover::netscaler {

/// A statistic that can be selected, and its limits (D-1, D-2).
struct threshold {
  /// Whether it has a say.
  bool selected = false;

  /// Strictly below it there are too many nodes, at least 0.
  double min = 0;

  /// Strictly above it there are too few, above `min`.
  double max = 0;

  friend bool operator==(const threshold&, const threshold&) = default;
};

/// How the statistics of the nodes become the one of their cluster.
enum class cluster_statistic : std::uint8_t { mean, highest_node };

/// How long a limit must have been breached (D-5).
enum class watch_rule : std::uint8_t {
  /// Longer than the watch time.
  longer,
  /// As long as the watch time.
  at_least,
};

/// Who leads clients to the nodes (D-10).
enum class traffic_distribution : std::uint8_t {
  /// Sends a node that is deregistered no new connection.
  network_load_balancer,
  /// Clients know the addresses until the time to live of their answers is over.
  dns,
};

/// Which node a scale-in takes (D-12).
enum class node_choice : std::uint8_t {
  youngest,
  oldest,
  /// The one with the fewest connections, of equal ones the youngest.
  fewest_connections,
};

/// An autoscale group of NetScaler ADM; the defaults are the values of the product's example (D-3),
/// as far as that has any.
struct settings {
  /// Percent of a node's processors, limits within 0..100.
  threshold cpu{false, 40, 85};

  /// Percent of a node's memory, limits within 0..100.
  threshold memory{true, 40, 85};

  /// Per node, in whatever unit `node_statistics::throughput` has; limits at most 1e9.
  threshold throughput{};

  cluster_statistic statistic = cluster_statistic::mean;

  /// Time from one collection of statistics to the next, whole seconds, 1s..1h (D-1).
  duration interval = std::chrono::minutes{1};

  /// How long a breach must last until it counts, 0s..24h (D-4).
  duration watch_time = std::chrono::minutes{2};
  watch_rule watch = watch_rule::longer;

  /// Time after a scale-out in which nothing is evaluated, 0s..24h (D-8).
  duration cooldown = std::chrono::minutes{10};

  /// From the decision to a node that is a member of the cluster, has its configuration and is
  /// registered with ADM, 0s..24h (D-7).
  duration provisioning_time = std::chrono::minutes{5};

  /// From the end of the drain to a node that is gone, 0s..24h (D-9).
  duration deprovisioning_time = std::chrono::minutes{4};

  /// How long existing connections are waited for, 0s..24h (D-9).
  duration drain_connection_timeout = std::chrono::minutes{10};

  /// Ends the wait when the node has no connection left; false waits to the end always (D-11).
  bool drain_ends_when_empty = true;

  traffic_distribution distribution = traffic_distribution::network_load_balancer;

  /// How long clients go on using an address that DNS does not tell any more, 0s..24h (D-10). Without
  /// effect with a network load balancer.
  duration dns_ttl = std::chrono::seconds{10};

  /// How long a network load balancer takes to apply a change of addresses, and either distributor
  /// to use a new one, 0s..1h (D-7).
  duration update_time{};

  node_choice victim = node_choice::youngest;

  /// Bounds of the number of nodes, 1..10000 (D-12).
  std::uint32_t min_nodes = 1;
  std::uint32_t max_nodes = 32;

  friend bool operator==(const settings&, const settings&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid. Limits of
/// statistics that are not selected are not looked at.
std::vector<std::string> validate(const settings& x);

} // namespace spillover::netscaler
