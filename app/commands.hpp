#pragma once

#include <CLI/App.hpp>

#include <functional>

namespace spillover::app {

/// Exit codes of every subcommand.
enum exit_code : int {
  all_met = 0,
  expectation_failed = 1,
  /// Of `check --strict`: the scenario is valid, and there is a lint.
  lint_found = 1,
  /// Of `compare --strict`: the runs are not the same.
  runs_differ = 1,
  bad_input = 2,
  run_failed = 3,
};

/// Does what a subcommand was asked; called once the whole command line was read.
/// @returns the program's exit code
using command = std::function<int()>;

/// Adds `spillover run` to the command line. Each `add_*` gives `chosen` its action when the user
/// chose it.
void add_run(CLI::App& program, command& chosen);

/// Adds `spillover up`.
void add_up(CLI::App& program, command& chosen);

/// Adds `spillover site`.
void add_site(CLI::App& program, command& chosen);

/// Adds `spillover fault`, `spillover watch` and `spillover stop`.
void add_fault(CLI::App& program, command& chosen);
void add_watch(CLI::App& program, command& chosen);
void add_stop(CLI::App& program, command& chosen);

/// Adds `spillover check`.
void add_check(CLI::App& program, command& chosen);

/// Adds `spillover report`.
void add_report(CLI::App& program, command& chosen);

/// Adds `spillover compare`.
void add_compare(CLI::App& program, command& chosen);
/// Adds `spillover export`.
void add_export(CLI::App& program, command& chosen);

/// Adds `spillover keys`.
void add_keys(CLI::App& program, command& chosen);

/// Adds `spillover why`.
void add_why(CLI::App& program, command& chosen);

/// Adds `spillover status`.
void add_status(CLI::App& program, command& chosen);

/// Adds `spillover policy-test`.
void add_policy_test(CLI::App& program, command& chosen);

} // namespace spillover::app
