#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace spillover {

/// @returns `x` as YAML for people: what fits into one line stands in one line, everything else in
///          blocks; keys in their order.
std::string emit_yaml(const nlohmann::ordered_json& x);

} // namespace spillover
