#pragma once

#include "consumers/trace_arrivals.hpp"
#include "scenario/scenario.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace spillover {

/// @returns the digest of traffic as a scenario writes it: 16 hexadecimal digits.
std::string digest_of(const recorded_traffic& x);

/// @returns the keys of a trace, its digest too, so that a file which has changed since is noticed.
nlohmann::json write_trace_keys(const trace_config& x);

/// The folder, beside a scenario that a run has written, of the traces that it played.
inline constexpr const char* saved_traces = "scenario_traces";

/// A file that belongs beside a scenario.
struct saved_trace {
  std::string file;
  /// What it was read from, as the scenario called it.
  std::string source;
  std::shared_ptr<const recorded_traffic> traffic;
};

/// Makes a scenario name files of its own, in `saved_traces`, in place of the ones its traces were read
/// from; so it can be run again wherever it is. What a file was called stays in its name, and a scenario that
/// names such files already stays as it is.
/// @returns the files, in the form of `write_trace`
std::vector<saved_trace> own_traces(scenario& x);

/// The same of one of several scenarios, which share their files.
/// @param files of those before it; gets what they lack
void own_traces(scenario& x, std::vector<saved_trace>& files);

/// @returns what a trace holds and what of it is played, a line each: requests, span, peak.
/// @param run how long the run is
std::vector<std::string> describe(const trace_config& x, duration run);

} // namespace spillover
