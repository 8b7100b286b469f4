#pragma once

#include "app/commands.hpp"

namespace spillover::app {

/// Adds `spillover sweep`, with `sweep merge`.
void add_sweep(CLI::App& program, command& chosen);

} // namespace spillover::app
