#pragma once

#include "scenario/load.hpp"
#include "scenario/problem.hpp"
#include "scenario/scenario.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// Whether a remark asks for a change. None is ever an error: a scenario may mean what it says.
enum class lint_grade : std::uint8_t {
  /// Worth knowing.
  note,
  /// The scenario is likely to show something else than its author means.
  warning,
};

/// Keys and indices from the root of a scenario file, e.g. {"faults", "0", "for"}.
using lint_path = std::vector<std::string>;

/// A remark on a valid scenario: the place, the numbers, and a way out.
struct lint {
  /// Of the check that made it, e.g. "single-loss-fails-over".
  std::string_view id;
  /// The rules behind it, e.g. "B-16, B-17".
  std::string_view rules;
  lint_grade grade = lint_grade::warning;
  /// Where the file may say it, the best place first: an override, then what it lies above.
  std::vector<lint_path> places;
  std::string message;
  friend bool operator==(const lint&, const lint&) = default;
};

/// One check; docs/lints.md explains each.
struct lint_check {
  std::string_view id;
  std::string_view rules;
  lint_grade grade = lint_grade::warning;
  /// Adds a remark for each place that needs one.
  void (*look)(const scenario&, class lint_list&) = nullptr;
};

/// @returns every check there is, in the order in which they are made.
std::span<const lint_check> lint_checks() noexcept;

/// @returns all remarks on a scenario, check by check.
/// @param x a valid one
std::vector<lint> lints(const scenario& x);

/// @returns e.g. "lint: MESSAGE [single-loss-fails-over: B-16, B-17]", or "note: ..."
std::string to_string(const lint& x);

/// Finds the place of each remark in the text that the scenario was read from.
///
/// A place that the text does not spell out, because it is a default, stands at the nearest section
/// around it.
/// @param name what the file is called
/// @param folder that holds the files of faults that the text names, as in `parse_scenario`
/// @returns the remarks as problems, in their order
std::vector<problem> locate(std::span<const lint> remarks, std::string_view text,
                            const std::string& name, const scenario_folder& folder = {});

} // namespace spillover
