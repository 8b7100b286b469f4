#pragma once

#include "report/anatomy.hpp"
#include "report/event_index.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// How late the timers of a site may be handled while a clock runs, in emulated time: this share of the
/// clock, and in any case the floor. Beyond, the clock says more of the machine than of the scenario.
inline constexpr std::int64_t late_percent = 10;
inline constexpr duration late_floor = std::chrono::milliseconds{300};

/// @returns the sites of a deployment whose books miss something: a process took the place of one that was
///          lost during the run, or it was lost and told no more. None in a run of one process.
std::set<std::string_view> incomplete_sites(const event_index& index);

/// What processes of a deployment handed to each other, in all.
struct wire_totals {
  /// Went on its way and never came, and had no room to go.
  std::uint64_t lost = 0;
  std::uint64_t dropped = 0;
  /// Requests that were answered at once, because nobody was there.
  std::uint64_t refused = 0;
};
wire_totals total_wire(const event_index& index);

/// @returns how many requests of a consumer its own process refused, because that of the region was gone.
std::uint64_t refused_by_wire(const event_index& index, std::string_view consumer,
                              std::string_view region);

/// @returns each clock that ran while a site was too late to tell it, as a sentence. What a site did while it
///          was lost is an outage that was observed, and no such thing.
std::vector<std::string> spoiled_clocks(const event_index& index,
                                        const std::vector<failover_anatomy>& failovers);

/// @returns what a reader of a deployment's verdict should know: sites that were lost, what was lost between
///          processes, how far their machines' clocks were apart.
std::vector<std::string> deployment_notes(const event_index& index);

} // namespace spillover
