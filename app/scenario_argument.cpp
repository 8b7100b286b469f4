#include "app/scenario_argument.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <variant>

namespace spillover::app {

std::optional<scenario> load_or_explain(const std::string& file) {
  auto loaded = load_scenario(file);
  if (auto* x = std::get_if<scenario>(&loaded))
    return std::move(*x);
  const auto& problems = std::get<std::vector<problem>>(loaded);
  for (const auto& x : problems)
    fmt::print(stderr, "{}\n", to_string(x));
  fmt::print(stderr, "{} problem{} in {}; nothing was run\n", problems.size(),
             problems.size() == 1 ? "" : "s", file);
  return std::nullopt;
}

} // namespace spillover::app
