#pragma once

#include "model/record.hpp"

#include <cstdint>
#include <vector>

namespace spillover {

/// Some of the ways in which a request can end, asked for once a try.
class outcome_set {
public:
  explicit outcome_set(const std::vector<outcome>& members) noexcept {
    for (const auto x : members)
      bits_ |= bit_of(x);
  }

  [[nodiscard]] bool contains(outcome x) const noexcept { return (bits_ & bit_of(x)) != 0; }

private:
  static_assert(outcome_count <= 32);
  static constexpr std::uint32_t bit_of(outcome x) noexcept {
    return std::uint32_t{1} << static_cast<std::uint32_t>(x);
  }

  std::uint32_t bits_ = 0;
};

} // namespace spillover
