#include "producers/zone_placement.hpp"

#include "model/check.hpp"

#include <cstddef>

namespace spillover {

std::string zone_name(std::uint32_t zone) {
  SPILLOVER_CHECK(zone < max_zones);
  return std::string(1, static_cast<char>('a' + static_cast<char>(zone)));
}

std::optional<std::uint32_t> zone_number(std::string_view name) noexcept {
  if (name.size() != 1 || name[0] < 'a' || name[0] > 'z')
    return std::nullopt;
  return static_cast<std::uint32_t>(name[0] - 'a');
}

zone_placement::zone_placement(std::uint32_t zones) : members_(zones) {
  SPILLOVER_CHECK(zones >= 1 && zones <= max_zones);
}

std::uint32_t zone_placement::place(zone_set lost) {
  const auto all = (zone_set{1} << members_.size()) - 1;
  const auto left_out = (lost & all) == all ? 0 : lost;
  std::optional<std::uint32_t> best;
  for (std::uint32_t zone = 0; zone < members_.size(); ++zone)
    if ((left_out >> zone & 1) == 0 && (!best || members_[zone] < members_[*best]))
      best = zone;
  ++members_[*best];
  return *best;
}

void zone_placement::leave(std::uint32_t zone) {
  SPILLOVER_CHECK(zone < members_.size() && members_[zone] > 0);
  --members_[zone];
}

} // namespace spillover
