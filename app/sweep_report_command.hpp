#pragma once

#include "app/commands.hpp"

namespace spillover::app {

/// Adds `report` and `scenario` to `spillover sweep`.
void add_sweep_report(CLI::App& sweep, command& chosen);
void add_sweep_scenario(CLI::App& sweep, command& chosen);

} // namespace spillover::app
