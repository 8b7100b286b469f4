#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// Zones that a region can have, "a" to "z".
inline constexpr std::uint32_t max_zones = 26;

/// Zones by number, zone "a" in the lowest bit.
using zone_set = std::uint32_t;

/// @returns the name of a zone: "a" for 0.
/// @param zone below `max_zones`
std::string zone_name(std::uint32_t zone);

/// @returns the number of a zone, or nothing when no zone is called so.
std::optional<std::uint32_t> zone_number(std::string_view name) noexcept;

/// Spreads the instances of a backend service over the zones of its region, as a regional instance
/// group with an even target shape does: an instance starts in the zone with the fewest members, of
/// equal ones in the first by name. Members that are there never move.
class zone_placement {
public:
  /// @param zones 1..max_zones
  explicit zone_placement(std::uint32_t zones);

  /// Places one more member.
  /// @param lost zones to leave out as long as another is left
  /// @returns the zone it is in
  std::uint32_t place(zone_set lost);

  /// A member of a zone is none any more.
  void leave(std::uint32_t zone);

  [[nodiscard]] const std::vector<std::uint32_t>& members() const noexcept { return members_; }

private:
  std::vector<std::uint32_t> members_; // by zone
};

} // namespace spillover
