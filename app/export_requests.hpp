#pragma once

#include "app/recorded_run.hpp"
#include "exports/hop_spans.hpp"
#include "exports/run_export.hpp"
#include "report/request_keeper.hpp"

#include <cstdint>
#include <vector>

namespace spillover::app {

/// Single requests of a run, as an export needs them.
struct exported_requests {
  kept_requests kept;
  /// Those that were followed, by consumer and number.
  std::vector<request_spans> spans;
};

/// Finds out what single requests of a run did, by letting it happen again. Those of a deployment, which does
/// not happen again, are one span each, and stderr is told. A run that was killed kept no requests: those that
/// it would have kept by their number stand in for them.
/// @param most requests of each kind that a run keeps; the slowest ones, the first that failed, and by number
///             as many as are left when they are thinned out evenly
/// @param shown shows on stderr how it goes
/// @returns the program's exit code: `bad_input` when the kept requests cannot be read, `run_failed` when the
///          run cannot be repeated
int gather_requests(const recorded_run& run, const export_window& window, std::uint32_t most,
                    bool shown, exported_requests& to);

} // namespace spillover::app
