#pragma once

#include "app/run_folder.hpp"
#include "report/event_log.hpp"
#include "report/request_keeper.hpp"
#include "report/verdict.hpp"
#include "scenario/scenario.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spillover::app {

/// Writes the scenario with every default, and the traces that it plays; at the beginning, since a run that is killed needs it too.
/// @throws std::runtime_error as `run_folder::write`
void write_scenario(const run_folder& folder, const scenario& x);

/// What a run left.
struct ended_run {
  const event_log& log;
  const kept_requests& kept;
  /// What makes it no result, beside what the log tells; a sentence each.
  std::vector<std::string> flaws = {};
};

/// Judges a run, and writes everything that follows from its events into its folder: the verdict in all its
/// forms, the tables, and the page.
/// @param page whether report.html is written
/// @throws std::runtime_error as `run_folder::write`
verdict write_results(const run_folder& folder, const scenario& x, const ended_run& run, bool page);

/// @returns a seed, within what a scenario file can hold, or nothing.
std::optional<std::uint64_t> parse_seed(const std::string& text);

/// @returns what is wrong with a text that should be a seed; empty when nothing is.
std::string check_seed(const std::string& text);

/// @returns what is wrong with a text that must say something, e.g. name a place; empty when nothing is.
std::string check_not_empty(const std::string& text);

/// @returns where the files of a run go: where the user said, or runs/NAME-SEED.
std::filesystem::path place_of_run(const std::string& out, const scenario& x);

} // namespace spillover::app
