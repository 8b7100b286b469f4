#include "regions/backend_split.hpp"

#include "model/check.hpp"

namespace spillover {

backend_split::backend_split(const std::vector<std::uint32_t>& weights) {
  SPILLOVER_CHECK(!weights.empty());
  shares_.reserve(weights.size());
  for (const auto weight : weights) {
    SPILLOVER_CHECK(weight > 0);
    shares_.push_back({weight, 0});
    total_ += weight;
  }
}

std::uint32_t backend_split::next() noexcept {
  std::size_t best = 0;
  for (std::size_t index = 0; index < shares_.size(); ++index) {
    shares_[index].current += shares_[index].weight;
    if (shares_[index].current > shares_[best].current)
      best = index;
  }
  shares_[best].current -= total_;
  return static_cast<std::uint32_t>(best);
}

} // namespace spillover
