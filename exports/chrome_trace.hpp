#pragma once

#include "exports/run_export.hpp"

#include <iosfwd>
#include <string_view>

namespace spillover {

/// What files of this kind begin with.
inline constexpr std::string_view chrome_trace_mark = R"({"otherData":{"producer":"spillover)";

/// Writes a run in Chrome's trace event format, for Perfetto, chrome://tracing and speedscope.
///
/// Sites are processes; clients, load balancers, queues and instances are threads. What overlaps on one
/// of them lies on threads beside each other, so that spans nest on every thread. Times are
/// microseconds with nanoseconds behind the point.
void write_chrome_trace(const run_export& x, std::ostream& out);

} // namespace spillover
