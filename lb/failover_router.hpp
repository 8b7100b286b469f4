#pragma once

#include "model/health.hpp"
#include "model/random.hpp"

#include <cstdint>
#include <vector>

namespace spillover {

/// What an UNKNOWN PSC NEG counts as (B-31, inferred).
///
/// `last_known` is its last state that was not UNKNOWN, or HEALTHY when there was none.
enum class unknown_policy : std::uint8_t { as_healthy, as_unhealthy, last_known };

/// Chooses the region of each request: the closest one whose PSC NEG is healthy (B-28, B-29) and that
/// outlier detection did not eject (B-45); when there is none, all of them alike (fail open, B-30).
/// Fails back by itself.
class failover_router {
public:
  /// Where new requests go.
  struct route {
    /// Places of the regions in use: one, or all when failing open.
    std::vector<std::uint32_t> regions;
    bool fail_open = false;
    friend bool operator==(const route&, const route&) = default;
  };

  /// @param regions number of PSC NEGs, 1..64; place 0 is the closest, and so on (B-34)
  failover_router(std::uint32_t regions, unknown_policy unknown);

  /// Takes the state of one PSC NEG into account.
  void set(std::uint32_t region, health state);

  /// Outlier detection ejected a region, or took it back; an ejected one counts as an UNHEALTHY one.
  void set_ejected(std::uint32_t region, bool ejected);

  [[nodiscard]] bool ejected(std::uint32_t region) const noexcept {
    return (ejected_ >> region & 1) != 0;
  }

  /// @returns what a PSC NEG was last said to be.
  [[nodiscard]] health state(std::uint32_t region) const noexcept { return states_[region]; }

  /// @returns where new requests go now.
  [[nodiscard]] const route& current() const noexcept { return route_; }

  /// Chooses the region of a request.
  ///
  /// Draws one number in every case.
  /// @param tried bit i is set when region i was tried already; such regions are left out while
  ///        there is another eligible one, so that a retry goes elsewhere; when all eligible ones
  ///        were tried, they count as untried
  std::uint32_t pick(random_stream& random, std::uint64_t tried) noexcept;

private:
  void update();
  [[nodiscard]] bool eligible(std::uint32_t region) const noexcept;

  unknown_policy unknown_;
  std::vector<health> states_;
  std::vector<health> last_known_;
  std::uint64_t ejected_ = 0;  // a bit for each region
  std::uint64_t eligible_ = 0; // a bit for each region; all when failing open
  route route_;
};

} // namespace spillover
