#pragma once

#include "report/event_log.hpp"
#include "report/request_keeper.hpp"
#include "scenario/scenario.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace spillover::app {

/// The folder of a run that ended, or was killed.
struct recorded_run {
  std::filesystem::path folder;
  /// Of a run that was killed, what it had written.
  event_log log;
  /// The scenario with the seed that was used.
  scenario spec;

  /// @returns whether the log goes to the run's end.
  [[nodiscard]] bool complete() const noexcept;
};

/// Says on stderr, with the line, that a log does not go to its run's end, if so.
/// @param file the log's, as the user calls it
void note_break(const event_log& log, const std::filesystem::path& file);

/// Reads a run's folder, or says on stderr why it cannot.
/// @returns nothing when there was a problem; the caller exits with `bad_input`
std::optional<recorded_run> read_run_or_explain(const std::string& folder);

/// Reads the requests that a run keeps, or says on stderr why it cannot; a run that did not end kept none.
/// @returns nothing when there was a problem; the caller exits with `bad_input`
std::optional<kept_requests> read_kept_or_explain(const recorded_run& run);

} // namespace spillover::app
