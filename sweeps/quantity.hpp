#pragma once

#include "sweeps/outcome.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// What people compare settings by: a measure under a shorter name, or a sum of measures.
struct quantity {
  /// E.g. "failover" for `failover_ns`; "errors" and "cost" have names of their own.
  std::string name;
  measure_unit unit = measure_unit::count;
  std::string meaning;
  /// Places of measures; what they say is added up.
  std::vector<std::size_t> parts;

  /// @returns the value in the measure's unit, or `never_ended` when one of the parts has none or the run
  ///          is no result: such a run is worse than any other, and never left out.
  [[nodiscard]] double of(const run_outcome& x) const;

  /// @returns whether there is something to be measured: what is of the first failover is of no use for a
  ///          run in which none began, and that is no failover which never ended.
  [[nodiscard]] bool applies_to(const run_outcome& x) const;

  /// @returns whether the run is a result and has all of the parts.
  [[nodiscard]] bool known_of(const run_outcome& x) const;
};

/// @returns every quantity: each measure without the unit in its name, then "errors", the share of requests
///          that failed, and "cost", the vCPU time that is billed, idle minimum instances included.
const std::vector<quantity>& quantities();

/// @param name of a quantity, or of a measure as the store has it
/// @returns nothing when none is called so.
const quantity* find_quantity(std::string_view name);

/// @returns the names, e.g. "failover, detect or cost", for errors.
std::string quantity_names();

/// @returns the value for people, e.g. "17.8 s", "0.02 %", "1,530.2"; "not within the run".
std::string value_text(measure_unit unit, double value);

/// @returns the same for a difference, with its sign.
std::string difference_text(measure_unit unit, double value);

/// @returns what the unit is called in headings, e.g. "vCPU-s"; empty when values say it themselves.
std::string_view unit_text(measure_unit unit) noexcept;

/// @param text as users write it: "15s" for times, "0.5%" for shares, else a number; vCPU and instance time
///             in seconds
/// @returns the value in the measure's unit, or what is allowed.
std::variant<double, std::string> parse_value(measure_unit unit, std::string_view text);

} // namespace spillover
