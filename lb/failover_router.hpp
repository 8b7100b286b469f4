#pragma once

#include "lb/region_router.hpp"

namespace spillover {

/// Chooses the region of each request: the closest one whose PSC NEG is healthy (B-28, B-29) and that
/// outlier detection did not eject (B-45); when there is none, all of them alike (fail open, B-30).
/// Fails back by itself.
class failover_router final : public region_router {
public:
  /// @param regions number of PSC NEGs, 1..region_set::capacity
  failover_router(std::uint32_t regions, unknown_policy unknown);

  /// Draws one number in every case.
  std::uint32_t pick(instant now, random_stream& random, const region_set& tried,
                     std::uint64_t client) noexcept override;

private:
  void update(instant now) override;

  region_set eligible_; // all when failing open
};

} // namespace spillover
