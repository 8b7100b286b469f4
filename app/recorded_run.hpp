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

/// @returns the folder as the user named it, without a slash at its end.
std::filesystem::path folder_of_run(const std::string& name);

/// Reads the log in a run's folder, or says on stderr why it cannot, and what there is instead.
/// @returns nothing when there was a problem; the caller exits with `bad_input`
std::optional<event_log> read_log_or_explain(const std::filesystem::path& folder);

/// Reads a run's folder, or says on stderr why it cannot.
/// @returns nothing when there was a problem; the caller exits with `bad_input`
std::optional<recorded_run> read_run_or_explain(const std::string& folder);

/// Reads the requests that a run keeps, or says on stderr why it cannot; a run that did not end kept none.
/// @returns nothing when there was a problem; the caller exits with `bad_input`
std::optional<kept_requests> read_kept_or_explain(const recorded_run& run);

} // namespace spillover::app
