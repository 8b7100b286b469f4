#pragma once

#include "producers/autoscaling/kpa/request_stats.hpp"
#include "producers/autoscaling/kpa/window.hpp"

#include <cstdint>

namespace spillover::kpa {

/// @returns how many of `pods` ready pods are scraped (C-9): all up to three, never more than 16.
std::uint32_t sample_size(std::uint32_t pods) noexcept;

/// What the windows say at one instant.
struct averages {
  double stable = 0;
  double panic = 0;
  friend bool operator==(const averages&, const averages&) = default;
};

/// The samples of one revision, by both metrics, in a stable and a panic window each (C-9..C-14).
class collector {
public:
  explicit collector(const settings& x);

  /// Records one report; what an activator has reported already is taken off (C-9).
  /// @param at for an activator's report when it came, for a scrape when it ended
  void record(instant at, const request_report& x);

  /// Changes the lengths of the windows.
  void update(instant now, const settings& x);

  /// @returns the averages of the metric that counts, or nothing when there was no sample for longer
  ///          than the stable window (C-14).
  [[nodiscard]] std::optional<averages> read(instant now) const;

private:
  struct pair_of_windows {
    sample_window stable;
    sample_window panic;
  };
  pair_of_windows concurrency_;
  pair_of_windows requests_;
  metric by_;
  aggregation aggregate_;
};

} // namespace spillover::kpa
