#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace spillover {

/// One place at which two scenarios differ.
struct scenario_change {
  /// Keys from the top, items of lists by their place in the scenario that has them, e.g.
  /// "consumers.clients-east.traffic[0].open_loop". Of an item that both have, its place in A.
  std::string path;
  /// What stands there in a line, as flow YAML without quotes; empty when there is nothing.
  std::string a;
  std::string b;
  /// Only one of the two has something there.
  bool only_a = false;
  bool only_b = false;
  /// The same for machines; null when there is nothing.
  nlohmann::ordered_json a_value = nullptr;
  nlohmann::ordered_json b_value = nullptr;
};

/// Compares two scenarios, each with every default, leaf by leaf.
///
/// What only one of them has is one change, however much there is in it. Of lists the longest common
/// part stays; between its items, those that are alike in half of their keys are taken for one that
/// changed.
/// @returns the changes in the order of A's keys, then B's
std::vector<scenario_change> scenario_changes(const nlohmann::ordered_json& a,
                                              const nlohmann::ordered_json& b);

/// @returns a value in one line as flow YAML has it, without quotes, e.g. "{at: 30s, for: 1m}".
std::string flow_text(const nlohmann::ordered_json& x);

} // namespace spillover
