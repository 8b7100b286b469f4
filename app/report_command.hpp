#pragma once

#include "report/page.hpp"
#include "report/verdict.hpp"

#include <filesystem>
#include <string>

namespace spillover::app {

/// @returns what a report says of where its run comes from: the same wherever the run's folder is, so that
///          the same run has the same report.
/// @param scenario the content of `scenario.yaml`
page_source source_of(const event_log& log, std::string scenario);

/// @returns what a file holds; empty when it cannot be read.
std::string content_of(const std::filesystem::path& file);

/// Writes a file.
/// @throws std::runtime_error when it cannot be written
void write_or_throw(const std::filesystem::path& file, const std::string& content);

/// @returns the content of `report.html`.
/// @param x of the same log
/// @param scenario the content of `scenario.yaml`
std::string report_page(const event_log& log, const verdict& x, const std::string& scenario);

} // namespace spillover::app
