#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace spillover {

/// @param weights below 2^56 together; the sum is above 0
/// @returns the percents that weights stand for, adding up to 100: rounded down, and what is left to
///          those with the largest remainders, of equal ones to the first.
inline std::vector<std::uint32_t> percents(std::span<const std::uint64_t> weights) {
  const auto sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  std::vector<std::uint32_t> result;
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint32_t left = 100;
  for (const auto x : weights) {
    result.push_back(static_cast<std::uint32_t>(100 * x / sum));
    left -= result.back();
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return 100 * weights[a] % sum > 100 * weights[b] % sum;
  });
  for (std::size_t i = 0; i < left; ++i)
    ++result[order[i]];
  return result;
}

} // namespace spillover
