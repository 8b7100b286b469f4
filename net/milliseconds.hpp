#pragma once

#include "net/moment.hpp"

#include <chrono>

namespace spillover::net {

/// A span as ZeroMQ's socket options want it: in whole milliseconds.
/// @param x at most 24 days, which is what the options hold
/// @returns x rounded up, so that nothing positive becomes 0, by which some options mean "never"
[[nodiscard]] constexpr int milliseconds(span_of_time x) noexcept {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(x).count());
}

} // namespace spillover::net
