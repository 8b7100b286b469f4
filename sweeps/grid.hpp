#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// A value of the scenario that a sweep varies, and what it takes in turn.
struct variation {
  /// Where it stands in the scenario, e.g. "producers.checkout.backend_services.web.health_check.interval".
  std::string path;
  /// Each as YAML, e.g. "5s" or "{interval: 5s, timeout: 1s}"; at least one.
  std::vector<std::string> values;
  friend bool operator==(const variation&, const variation&) = default;
};

/// One value of the scenario, as a setting has it.
struct setting_value {
  std::string path;
  /// YAML.
  std::string text;
  friend bool operator==(const setting_value&, const setting_value&) = default;
};

/// What one setting of a sweep changes in the scenario; empty: nothing.
using setting = std::vector<setting_value>;

/// @param text PATH=VALUE,VALUE,...; commas within quotes, [] and {} belong to the value
/// @returns the variation, or what is wrong with the text.
std::variant<variation, std::string> parse_variation(std::string_view text);

/// @returns every combination of the values, the last variation's changing fastest; the one setting
///          that changes nothing when there are no variations.
/// @param all together at most `max_settings` combinations; see `count_settings`
std::vector<setting> full_factorial(std::span<const variation> all);

inline constexpr std::uint64_t max_settings = 10'000;

/// @returns how many settings there would be, or `max_settings + 1` when there are more.
std::uint64_t count_settings(std::span<const variation> all) noexcept;

/// @returns e.g. "interval=5s min_instances=2": values by the shortest ends of their paths that tell
///          the setting's values apart; "as it is" for a setting that changes nothing.
std::string to_string(const setting& x);

inline constexpr std::uint64_t max_seeds = 10'000'000;

/// @param text of numbers and ranges, e.g. "1..200" or "1..10,42"
/// @returns the seeds, ascending, each once, or what is wrong with the text.
std::variant<std::vector<std::uint64_t>, std::string> parse_seeds(std::string_view text);

/// @returns seeds as `parse_seeds` reads them, e.g. "1..10,42".
/// @param seeds ascending, each once
std::string seeds_text(std::span<const std::uint64_t> seeds);

} // namespace spillover
