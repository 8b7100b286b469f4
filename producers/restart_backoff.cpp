#include "producers/restart_backoff.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

std::vector<std::string> validate(const restart_backoff_config& x) {
  std::vector<std::string> problems;
  if (x.base <= duration::zero())
    problems.emplace_back("base: must be above 0");
  if (x.max < x.base)
    problems.emplace_back("max: must be at least base");
  if (x.reset_after <= duration::zero())
    problems.emplace_back("reset_after: must be above 0");
  return problems;
}

duration restart_backoff::fail(instant now, const restart_backoff_config& x) noexcept {
  const auto since = std::exchange(serves_since_, never);
  if (since != never && now - since >= x.reset_after)
    failures_ = 0;
  if (failures_++ == 0)
    return {};
  auto wait = x.base;
  for (auto left = failures_ - 2; left > 0 && wait < x.max; --left)
    // Halved before it is compared, as twice the longest times does not fit.
    wait = wait > x.max / 2 ? x.max : 2 * wait;
  return std::min(wait, x.max);
}

} // namespace spillover
