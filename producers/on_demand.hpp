#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// What becomes of a request for which no instance has a free slot, or of one that has.
enum class on_demand_choice : std::uint8_t { serve, queue_coming, queue_existing, start_new };

std::string_view to_string(on_demand_choice x) noexcept;

/// What the choice compares.
struct on_demand_waits {
  bool free_slot = false;
  /// Until a starting instance with a slot nobody reserved can serve; none without such an instance.
  std::optional<duration> coming;
  /// Until one of the existing instances has a slot for this request; none without any.
  std::optional<duration> existing;
  /// Predicted cold start.
  duration cold_start{};
  /// Instances that count toward the maximum, and the maximum.
  std::uint32_t count = 0;
  std::uint32_t maximum = 0;
};

/// Compares, in this order: an instance already starting, an existing one, a new one.
on_demand_choice choose(const on_demand_waits& x) noexcept;

/// How long a request may stay queued.
struct pending_config {
  /// Least value of the limit, above 0.
  duration floor = std::chrono::seconds{10};

  /// The limit in cold starts, above 0 and at most 1000: limit = max(floor, factor x predicted cold start).
  double cold_start_factor = 3.5;

  friend bool operator==(const pending_config&, const pending_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const pending_config& x);

/// @returns the pending limit for a predicted cold start.
duration pending_limit(const pending_config& x, duration cold_start) noexcept;

/// Predicts a revision's cold start: the mean of what was seen, and until then what the
/// configuration says (A-35, inferred: one estimator serves both wordings of the source).
class cold_start_estimator {
public:
  explicit cold_start_estimator(duration seed) noexcept : seed_(seed) {}
  void observe(duration start) noexcept;
  [[nodiscard]] duration predict() const noexcept;

private:
  duration seed_;
  duration sum_{};
  std::int64_t count_ = 0;
};

} // namespace spillover
