#pragma once

#include "lb/load_balancer_config.hpp"
#include "lb/priority_load.hpp"
#include "lb/region_router.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace spillover {

/// Chooses the region of each request as an Envoy does that knows the endpoints of all regions: first a
/// priority, then a region of it (B-59..B-66).
///
/// A region is a locality: which of its endpoints gets a request is decided there, so that in panic the
/// request may meet an unhealthy one only if that region still routes to it. A region whose endpoints were
/// never told is one endpoint, healthy as its PSC NEG is (B-66). The endpoints of a region that outlier
/// detection ejected are all unhealthy.
class envoy_router final : public region_router {
public:
  /// @param regions number of PSC NEGs, 1..region_set::capacity
  envoy_router(const envoy_config& config, std::uint32_t regions, unknown_policy unknown);

  /// Draws two numbers for `random`, three for `least_request`, one for `round_robin` and none for
  /// `ring_hash`. Only regions of priorities that have any load are chosen, also for a retry.
  std::uint32_t pick(instant now, random_stream& random, const region_set& tried,
                     std::uint64_t client) noexcept override;

  [[nodiscard]] bool usable(std::uint32_t region) const noexcept override {
    return hosts_[region].usable > 0;
  }

  /// @returns healthy of all endpoints, e.g. "5/10"; the PSC NEG's state before they were told.
  [[nodiscard]] std::string described(std::uint32_t region) const override;

  /// @returns what becomes of each priority.
  [[nodiscard]] const std::vector<priority_share>& shares() const noexcept { return shares_; }

private:
  /// The regions of one priority.
  struct priority {
    std::vector<std::uint32_t> members; // places
    region_set usable;                  // those with a weight
    // Of `ring_hash`: points and places, in the order of the points.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> ring = {};
  };

  /// What is known of one region.
  struct host_set {
    std::uint32_t total = 0;
    std::uint32_t healthy = 0;
    std::uint32_t usable = 0;
    std::uint64_t weight = 0; // of new requests within its priority
    std::uint64_t active = 0; // tries in flight
    std::int64_t turn = 0;    // of `round_robin`
  };

  void update(instant now) override;
  void count_ended(std::uint32_t region) noexcept override { --hosts_[region].active; }
  void count_hosts();
  void weigh(std::uint32_t level);
  void build_ring(std::uint32_t level);
  void find_route();
  [[nodiscard]] std::uint32_t choose_level(std::uint64_t hash,
                                           const region_set& tried) const noexcept;
  std::uint32_t next_in_turn(const priority& of, const region_set& among) noexcept;
  [[nodiscard]] std::uint32_t weighted(const priority& of, const region_set& among,
                                       std::uint64_t hash) const noexcept;
  [[nodiscard]] std::uint32_t less_busy(std::uint32_t a, std::uint32_t b) const noexcept;
  [[nodiscard]] static std::uint32_t on_ring(const priority& of, const region_set& among,
                                             std::uint64_t hash) noexcept;

  envoy_config config_;
  std::vector<host_set> hosts_;        // by place
  std::vector<priority> priorities_;   // the best first
  std::vector<priority_share> shares_; // of these
  std::array<std::uint32_t, 100> level_at_{};
};

} // namespace spillover
