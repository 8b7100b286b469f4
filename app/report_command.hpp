#pragma once

#include "report/verdict.hpp"

#include <string>

namespace spillover::app {

/// @returns the content of `report.html`.
/// @param x of the same log
/// @param scenario the content of `scenario.yaml`
std::string report_page(const event_log& log, const verdict& x, const std::string& scenario);

} // namespace spillover::app
