#pragma once

#include "exports/run_export.hpp"

#include <chrono>
#include <iosfwd>
#include <string_view>

namespace spillover {

/// What files of this kind begin with, spans and numbers.
inline constexpr std::string_view otlp_spans_mark = R"({"resourceSpans":[)";
inline constexpr std::string_view otlp_metrics_mark = R"({"resourceMetrics":[)";

/// What all of them hold near their beginning: whose instrumentation it is.
inline constexpr std::string_view otlp_scope_mark = R"("scope":{"name":"spillover")";

/// The first instant of a run on the calendar, as nanoseconds since 1970.
using calendar_time = std::chrono::sys_time<duration>;

/// Writes the requests that were followed as OTLP/JSON, an ExportTraceServiceRequest: a resource for each
/// site, a trace for each request, a span for each hop. Ids follow from the run's name and seed, so that the
/// same run has the same ones.
/// @param start when the run begins on the calendar
void write_otlp_spans(const run_export& x, calendar_time start, std::ostream& out);

/// Writes the seconds of the run as OTLP/JSON, an ExportMetricsServiceRequest: a point for each step.
/// @param start when the run begins on the calendar
void write_otlp_metrics(const run_export& x, calendar_time start, std::ostream& out);

} // namespace spillover
