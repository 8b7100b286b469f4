#pragma once

#include "model/time.hpp"

namespace spillover {

struct trace_config;

/// @returns how long one time through what is played takes, in the run's time; 100 years at most, longer than
///          any run.
/// @param x with its traffic
duration lasting(const trace_config& x) noexcept;

} // namespace spillover
