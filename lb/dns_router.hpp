#pragma once

#include "lb/load_balancer_config.hpp"
#include "lb/region_router.hpp"

#include <cstdint>
#include <vector>

namespace spillover {

/// Chooses the region of each request as clients do that find it by DNS (B-80): by what their resolver's
/// cache holds, which is asked for anew only when its time is over.
///
/// Caches expire one after the other, evenly spread over the time that an answer is kept. When a run begins
/// each has just asked.
class dns_router final : public region_router {
public:
  /// @param regions number of regions, 1..region_set::capacity
  dns_router(const dns_config& config, std::uint32_t regions, unknown_policy unknown);

  /// Draws one number in every case.
  /// @param client its cache is this modulo the number of caches
  std::uint32_t pick(instant now, random_stream& random, const region_set& tried,
                     std::uint64_t client) noexcept override;

  [[nodiscard]] instant next_change() const noexcept override { return next_change_; }
  void on_time(instant now) override;

private:
  void update(instant now) override;
  /// @returns what a resolver that asks now is told.
  [[nodiscard]] region_set answer() const;
  /// @returns the first time after `now` that a cache expires.
  [[nodiscard]] instant expiry_after(instant now, std::size_t cache) const noexcept;
  void find_next(instant now);
  void find_route();

  dns_config config_;
  duration kept_;                  // how long clients use an answer
  region_set answer_;              // that resolvers get now
  std::vector<region_set> caches_; // what each holds
  instant next_change_ = never;
};

} // namespace spillover
