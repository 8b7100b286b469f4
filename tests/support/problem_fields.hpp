#pragma once

#include <string>
#include <vector>

namespace spillover::test {

/// @returns the fields that `validate` names, each as it stands before the reason.
inline std::vector<std::string> problem_fields(const std::vector<std::string>& problems) {
  std::vector<std::string> result;
  result.reserve(problems.size());
  for (const auto& x : problems)
    result.push_back(x.substr(0, x.find(':')));
  return result;
}

} // namespace spillover::test
