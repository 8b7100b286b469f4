#pragma once

#include "sweeps/report.hpp"
#include "sweeps/store.hpp"

#include <vector>

namespace spillover {

/// @returns what was varied, as the settings of a full grid say: each path with its values in the order in
///          which they first occur.
std::vector<variation> variations_of(const std::vector<setting>& settings);

/// Reads a sweep whole.
/// @throws store_error when it was not begun
sweep_results results_of(const sweep_store& store);

} // namespace spillover
