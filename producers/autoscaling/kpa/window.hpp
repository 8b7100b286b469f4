#pragma once

#include "producers/autoscaling/kpa/settings.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace spillover::kpa {

/// Samples of the last while, in buckets of one second (C-11..C-13).
///
/// What comes in one second adds up: activators and the scrape of pods are meant to. Buckets lie on
/// whole seconds of `instant`, which counts as Unix time here.
class sample_window {
public:
  /// @param span whole seconds, at least 1s
  explicit sample_window(duration span);

  /// Adds a sample. One that is late is taken while its second is inside the window, else dropped.
  void record(instant at, double value);

  /// @returns the mean of the seconds from the first sample to the last, of at most one window, to six
  ///          decimals. Silence since the last one makes the window shorter, up to a whole window
  ///          of it, when the mean is 0.
  [[nodiscard]] double linear(instant now) const noexcept;

  /// @returns the sum of the seconds with weights that fall by a constant factor into the past. Not
  ///          divided by their sum: a young window reads low.
  [[nodiscard]] double weighted(instant now) const noexcept;

  [[nodiscard]] double average(instant now, aggregation how) const noexcept {
    return how == aggregation::linear ? linear(now) : weighted(now);
  }

  /// @returns whether nothing came for longer than the window; at exactly one window the mean is a
  ///          valid 0.
  [[nodiscard]] bool empty(instant now) const noexcept;

  /// Changes the length. The newest seconds that fit stay, and count as if the old window had been
  /// full; when it was silent for longer than its length, nothing stays.
  void resize(instant now, duration span);

private:
  using second = std::int64_t;

  [[nodiscard]] std::size_t place_of(second x) const noexcept;
  [[nodiscard]] second size() const noexcept { return static_cast<second>(buckets_.size()); }
  void advance_to(second now) noexcept;

  std::vector<double> buckets_;
  std::optional<second> first_;
  std::optional<second> last_;
  double total_ = 0;
  double newest_weight_ = 0;
};

/// The largest of the numbers recorded during a delay (C-19), in slots of two seconds that lie on even
/// seconds: a number holds for between one slot less than the delay and the delay.
class delay_window {
public:
  /// @param delay above 0
  explicit delay_window(duration delay, duration slot = std::chrono::seconds{2});

  /// Records a number.
  /// @param now never earlier than in an earlier call
  /// @returns the largest one that still holds
  std::int32_t record(instant now, std::int32_t value);

private:
  struct entry {
    std::int64_t slot = -1;
    std::int32_t value = 0;
  };
  std::int64_t slot_ns_;
  std::vector<entry> entries_; // a ring, by slot
};

} // namespace spillover::kpa
