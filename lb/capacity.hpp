#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spillover {

/// What a backend's target capacity is measured in (B-51).
enum class balancing_mode : std::uint8_t {
  /// Requests a second.
  rate,
  /// Connections, or requests in flight.
  connection,
  /// Share of the CPU.
  utilization,
};

/// How load is distributed over backends that are not preferred (B-49).
enum class distribution_algorithm : std::uint8_t {
  /// The closest region to its capacity, all of its backends alike, then the next one (B-50).
  waterfall_by_region,
  /// The closest zone to its capacity, then the next one of the region, then the next region.
  waterfall_by_zone,
  /// As by region; what differs is that no proxy prefers a zone, which loads of whole backends do not show.
  spray_to_region,
};

/// One backend, i.e. an instance group or a zonal NEG, as a load balancer sees it. Loads and capacities are
/// thousandths of the unit of its mode: of requests a second, of connections, or of the CPU of one endpoint.
struct capacity_backend {
  /// Place of its region, 0 the closest.
  std::uint32_t region = 0;

  /// Place of its zone within the region, 0 the closest.
  std::uint32_t zone = 0;

  /// Target for each endpoint, healthy or not (B-51), or for the whole group.
  std::uint64_t target_milli = 0;
  bool per_endpoint = true;

  std::uint32_t endpoints = 0;
  std::uint32_t healthy = 0;

  /// `capacityScaler` in thousandths: 0 drains it, else 100..1000 (B-53).
  std::uint32_t scaler_milli = 1000;

  /// It is filled before those that are not, whatever the algorithm (B-54).
  bool preferred = false;

  friend bool operator==(const capacity_backend&, const capacity_backend&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
/// @param alone it is the only backend, which must not be drained
std::vector<std::string> validate(const capacity_backend& x, bool alone);

/// @returns the load up to which a backend is filled, in thousandths: the target for all of its endpoints
///          times its scaler (B-51, B-53). Endpoints that are unhealthy count, so that the healthy ones get
///          more each; without a healthy one there is none.
std::uint64_t capacity_of(const capacity_backend& x) noexcept;

/// @returns the same for each healthy endpoint: target x N / H; 0 without one.
std::uint64_t capacity_per_healthy(const capacity_backend& x) noexcept;

/// Fills capacities in their order; what is more than all of them is added in proportion to them, because
/// a capacity is a target and no limit (B-50, B-52; the proportion is inferred).
/// @returns the load of each, which add up to `load` unless no capacity is above 0: then all are 0
std::vector<std::uint64_t> waterfall(std::uint64_t load, std::span<const std::uint64_t> capacities);

/// Splits a load in proportion to weights; what rounding leaves goes to the first that have a weight.
/// @returns the part of each, which add up to `load` unless no weight is above 0: then all are 0
std::vector<std::uint64_t> in_proportion(std::uint64_t load,
                                         std::span<const std::uint64_t> weights);

/// @returns the load of each backend, in their order (B-49, B-50, B-52, B-54).
std::vector<std::uint64_t> distribute(std::uint64_t load,
                                      std::span<const capacity_backend> backends,
                                      distribution_algorithm how);

/// Distributes as above, and then takes from backends with few healthy endpoints what they do not keep
/// (`kept_by_primary`, B-56): that fills those with more, in the order of the algorithm, as far as these have room;
/// what is left goes back to where there is room, and beyond all capacities in proportion to them (inferred).
/// @param threshold_percent `failoverHealthThreshold`, 1..99
/// @returns the load of each backend, in their order
std::vector<std::uint64_t> distribute(std::uint64_t load,
                                      std::span<const capacity_backend> backends,
                                      distribution_algorithm how, std::uint32_t threshold_percent);

/// @returns the share of its load that a primary backend keeps, 0..1000 thousandths: all of it while at
///          least the threshold is healthy, else in proportion (B-56; the proportion is inferred).
/// @param threshold_percent `failoverHealthThreshold`, 1..99
std::uint32_t kept_by_primary(std::uint32_t healthy, std::uint32_t total,
                              std::uint32_t threshold_percent = 70) noexcept;

/// What becomes of load when the nearest region has no healthy backend (B-57).
enum class isolation_mode : std::uint8_t {
  /// It goes to the next region that has one.
  nearest,
  /// It is dropped.
  strict,
};

/// @returns the place of the only region that gets load under isolation; `healthy.size()` when it is dropped.
/// @param healthy whether each region, closest first, has a healthy backend
std::size_t isolated_region(const std::vector<bool>& healthy, isolation_mode mode) noexcept;

/// Takes backends with few healthy endpoints out of use by itself (B-55).
///
/// A backend is a candidate while fewer than 25 % of its endpoints are healthy. Candidates are drained only
/// while they are fewer than half of all backends; one whose capacity is 0 by its scaler is no candidate,
/// but one of all. A drained one is used again once at least 35 % were healthy for 60 s.
class auto_capacity_drain {
public:
  /// @param backends how many, at least 1
  explicit auto_capacity_drain(std::uint32_t backends);

  /// Takes the endpoints of all backends into account.
  /// @param now never earlier than last time
  /// @returns whether what is drained changed
  bool observe(instant now, std::span<const capacity_backend> backends);

  [[nodiscard]] bool drained(std::uint32_t backend) const noexcept {
    return states_[backend].drained;
  }

  /// @returns when `observe` has to be called again though nothing changed, or `never`.
  [[nodiscard]] instant next() const noexcept;

private:
  struct group_state {
    bool drained = false;
    instant well_since = never;
  };
  std::vector<group_state> states_;
};

} // namespace spillover
