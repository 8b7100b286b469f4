#pragma once

#include "model/time.hpp"

#include <cstdint>

namespace spillover::billing {

/// What is rounded up to whole units.
enum class rounding : std::uint8_t {
  /// Each contiguous interval by itself (inferred; no source says which).
  interval,
  /// The sum of all intervals.
  total,
};

/// Time is billed in multiples of this.
inline constexpr duration unit = std::chrono::milliseconds{100};

/// @returns `x` rounded up to a whole unit.
/// @param x at least 0
constexpr duration round_up(duration x) noexcept {
  return (x + (unit - duration{1})) / unit * unit;
}

/// A span of an instance's life, or a point in it as the span up to there.
struct life_span {
  duration all{};
  /// Part of it in which the CPU was boosted.
  duration boosted{};

  friend bool operator==(const life_span&, const life_span&) = default;
  friend constexpr life_span operator+(const life_span& x, const life_span& y) noexcept {
    return {x.all + y.all, x.boosted + y.boosted};
  }
  friend constexpr life_span operator-(const life_span& x, const life_span& y) noexcept {
    return {x.all - y.all, x.boosted - y.boosted};
  }
};

/// Sums up billable intervals of one instance in constant time and memory.
///
/// Intervals that touch are one. What rounding adds is not boosted (inferred).
class interval_sum {
public:
  /// @param least a shorter interval counts as long as this; at least 0
  explicit interval_sum(rounding rule, duration least = {}) noexcept : rule_(rule), least_(least) {}

  /// An interval begins; goes on with the last one if that ended just now. None is open.
  /// @param now never earlier than in any earlier call
  void begin(const life_span& now) noexcept;

  /// The open interval ends.
  void end(const life_span& now) noexcept;

  /// The last interval, which is not open, does not go on if one begins just now.
  void separate() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return state_ == state::open; }

  /// @returns what is billed for all intervals, as if an open one ended now.
  [[nodiscard]] life_span billed(const life_span& now) const noexcept;

  /// @returns the same, but an open interval counts only as long as it is now.
  [[nodiscard]] life_span so_far(const life_span& now) const noexcept;

private:
  /// Of the last interval: still open, ended but perhaps to go on, or summed up.
  enum class state : std::uint8_t { summed, open, ended };

  [[nodiscard]] life_span sum_with(const life_span& end, duration least) const noexcept;
  [[nodiscard]] life_span between(const life_span& from, const life_span& to,
                                  duration least) const noexcept;

  rounding rule_;
  duration least_;
  state state_ = state::summed;
  life_span from_{};
  life_span to_{};
  life_span sum_{};
};

} // namespace spillover::billing
