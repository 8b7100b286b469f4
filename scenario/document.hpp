#pragma once

#include "scenario/scenario.hpp"

#include <nlohmann/json.hpp>

namespace spillover {

/// @returns the scenario with every default made visible, as the document that `to_yaml` writes; keys in
///          their order.
nlohmann::ordered_json to_document(const scenario& x);

} // namespace spillover
