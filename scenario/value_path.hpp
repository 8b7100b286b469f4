#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// Keys and indices from the root of a scenario to a value.
using value_path = std::vector<std::string>;

/// Reads a path such as `producers.checkout.regions.0`.
///
/// Dots separate; `faults[0]` is `faults.0`. A key with dots or brackets in it stands in quotes:
/// `where."a.b"`, in which "" (or '') is a quote.
/// @returns the path, at least one step long, or what is wrong with the text.
std::variant<value_path, std::string> parse_value_path(std::string_view text);

/// @returns the path as one text, which `parse_value_path` reads back; the same for each spelling.
std::string to_string(const value_path& x);

} // namespace spillover
