#pragma once

#include "producers/autoscaling/netscaler/statistics.hpp"

#include <span>

namespace spillover::netscaler::test {

/// @returns what these nodes told.
inline collection collected(std::span<const node_statistics> nodes) {
  collection result;
  for (const auto& x : nodes)
    result.add(x);
  return result;
}

} // namespace spillover::netscaler::test
