#pragma once

#include "lb/capacity.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// What one backend of a load balancer is.
enum class group_extent : std::uint8_t {
  /// The endpoints of one zone: a zonal NEG, or a zonal instance group.
  zonal,
  /// All endpoints of a region: a regional instance group.
  regional,
};

/// What each backend of a region may take.
struct region_capacity {
  /// Target in thousandths of a request a second or of a connection, 1..10^12; or of the CPU, 1..1000 (B-51).
  std::uint64_t target_milli = 0;

  /// The target is for each endpoint, healthy or not, as it always is of `utilization`; else for the whole
  /// backend.
  bool per_endpoint = true;

  /// `capacityScaler` in thousandths: 0 drains the region's backends, else 100..1000 (B-53).
  std::uint32_t scaler_milli = 1000;

  /// They are filled before those that are not preferred (B-54).
  bool preferred = false;

  friend bool operator==(const region_capacity&, const region_capacity&) = default;
};

/// How a load balancer distributes load over the groups of the regions by their capacities (B-49..B-57). It
/// reaches the groups themselves, not PSC NEGs, which have no capacity (B-33).
struct capacity_config {
  /// Of `utilization`: the usual target, in thousandths of the CPU (B-51).
  static constexpr std::uint64_t usual_utilization = 800;

  /// What load and capacities are measured in.
  balancing_mode mode = balancing_mode::rate;

  distribution_algorithm algorithm = distribution_algorithm::waterfall_by_region;

  group_extent groups = group_extent::zonal;

  /// By place.
  std::vector<region_capacity> regions = {};

  /// Backends with few healthy endpoints are drained (B-55).
  bool auto_capacity_drain = false;

  /// In percent, 1..99: with fewer healthy endpoints a backend keeps a part of its load only (B-56).
  std::uint32_t failover_health_threshold = 70;

  /// Only one region gets load (B-57); nothing: load spills over.
  std::optional<isolation_mode> isolation = {};

  /// The load is the mean over so long, 1s..600s (inferred).
  duration measured_over = std::chrono::seconds{10};

  /// Load is measured and distributed anew so often, 100ms..60s, at most `measured_over` (inferred).
  duration recomputed_every = std::chrono::seconds{1};

  friend bool operator==(const capacity_config&, const capacity_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const capacity_config& x);

} // namespace spillover
