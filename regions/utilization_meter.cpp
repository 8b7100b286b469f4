#include "regions/utilization_meter.hpp"

#include <algorithm>

namespace spillover {

std::optional<std::uint32_t> utilization_meter::observe(std::size_t backend, std::uint64_t used,
                                                        std::uint64_t there) {
  auto& own = backends_[backend];
  if (own.latest.size() < seconds) {
    own.latest.push_back({used, there});
  } else {
    own.latest[own.oldest] = {used, there};
    own.oldest = (own.oldest + 1) % seconds;
  }
  second sum;
  for (const auto& x : backends_)
    for (const auto& y : x.latest) {
      sum.used += y.used;
      sum.there += y.there;
    }
  // Nobody runs, so nobody tells.
  if (sum.there == 0)
    return std::nullopt;
  const auto now = static_cast<std::uint32_t>(sum.used * 1000 / sum.there);
  if (told_ && std::max(now, *told_) - std::min(now, *told_) < step)
    return std::nullopt;
  told_ = now;
  return told_;
}

} // namespace spillover
