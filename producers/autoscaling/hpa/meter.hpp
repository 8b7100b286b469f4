#pragma once

#include <cstdint>
#include <optional>

namespace spillover::hpa {

/// What the metrics server knows of one resource of one pod.
///
/// It measures at the end of each window, and shows the mean of the last one. A pod that was not there
/// for the whole of that has no sample yet (E-5).
class meter {
public:
  /// Takes one second into account.
  /// @param value what was used on average in it, in thousandths of the unit, at least 0
  void add(std::int64_t value) noexcept {
    sum_ += value;
    ++seconds_;
  }

  /// Ends a window.
  /// @param seconds its length, at least 1
  void measure(std::int32_t seconds) noexcept {
    if (seconds_ == seconds)
      value_ = sum_ / seconds;
    seconds_ = 0;
    sum_ = 0;
  }

  /// @returns what was measured last, in thousandths, or nothing.
  [[nodiscard]] std::optional<std::int64_t> value() const noexcept {
    return value_ < 0 ? std::nullopt : std::optional{value_};
  }

private:
  std::int64_t sum_ = 0;
  std::int64_t value_ = -1;
  std::int32_t seconds_ = 0;
};

} // namespace spillover::hpa
