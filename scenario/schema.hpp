#pragma once

#include "scenario/yaml_tree.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// @returns the text of configs/scenario.schema.json, which is part of the program.
std::string_view scenario_schema_text() noexcept;

/// @returns that schema.
const nlohmann::json& scenario_schema();

/// @returns that schema with every $ref replaced by what it names; what stands beside a $ref wins.
const nlohmann::json& expanded_schema();

/// Says of each value that the schema does not allow what is wrong with it and what is allowed, and
/// marks it bad.
///
/// Knows the keywords that the schema uses, no others, so that it can put each into words.
void check_schema(yaml_node& root, problem_list& problems);

/// The same for another kind of file, which one of the schema's definitions describes.
/// @param definition its name, e.g. "policy_test"
void check_definition(yaml_node& root, const std::string& definition, problem_list& problems);

/// Where a validator says no, and in its own words.
struct schema_violation {
  /// Keys and indices from the root.
  std::vector<std::string> path;
  std::string description;
};

/// Asks valijson, which knows draft-07 whole but neither places nor durations.
std::vector<schema_violation> judge_by_schema(const yaml_node& root);

/// @returns true when a part of `text` matches, as the keyword `pattern` has it.
/// @param text at most `max_yaml_text` long: the standard's expressions use the stack for each byte
/// @param pattern one of the schema's
bool matches_pattern(const std::string& text, const std::string& pattern);

/// @returns the tree as JSON.
nlohmann::json to_json(const yaml_node& x);

} // namespace spillover
