#pragma once

#include "model/record.hpp"

#include <array>
#include <cstdint>

namespace spillover {

/// Counts what one entity took on and how each ended: taken = sum of ended + in flight.
struct books {
  std::uint64_t taken = 0;
  std::array<std::uint64_t, outcome_count> ended{};

  /// Came after its request was settled; outside the sum.
  std::uint64_t late = 0;

  void take() noexcept { ++taken; }
  void end(outcome x) noexcept { ++ended[static_cast<std::size_t>(x)]; }

  [[nodiscard]] std::uint64_t ended_total() const noexcept {
    std::uint64_t sum = 0;
    for (const auto x : ended)
      sum += x;
    return sum;
  }

  /// What should still be under way if the books are right.
  [[nodiscard]] std::uint64_t open() const noexcept { return taken - ended_total(); }

  friend bool operator==(const books&, const books&) = default;
};

} // namespace spillover
