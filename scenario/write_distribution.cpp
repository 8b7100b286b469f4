#include "scenario/write_distribution.hpp"

namespace spillover {

nlohmann::ordered_json write_distribution(const distribution& x) {
  if (const auto* constant = std::get_if<constant_distribution>(&x))
    return to_string(constant->value);
  if (const auto* exponential = std::get_if<exponential_distribution>(&x))
    return {{"exponential", {{"mean", to_string(exponential->mean)}}}};
  if (const auto* lognormal = std::get_if<lognormal_distribution>(&x))
    return {{"lognormal",
             {{"median", to_string(lognormal->median)}, {"p99", to_string(lognormal->p99)}}}};
  auto values = nlohmann::ordered_json::array();
  for (const auto value : std::get<empirical_distribution>(x).values)
    values.push_back(to_string(value));
  return {{"empirical", values}};
}

} // namespace spillover
