#pragma once

#include <chrono>

namespace spillover::net {

/// A moment of the machine's monotonic clock: wires live in wall time, whatever the emulated time does.
using moment = std::chrono::steady_clock::time_point;

/// A span of wall time.
using span_of_time = std::chrono::nanoseconds;

} // namespace spillover::net
