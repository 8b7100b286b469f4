#include "producers/autoscaling/netscaler/collector.hpp"

#include <algorithm>

namespace spillover::netscaler {

void collector::begin(bool last) noexcept {
  if (last_) {
    totals_.clear();
    collected_.clear();
  }
  last_ = last;
  next_ = 0;
}

void collector::add(const node_statistics& x) {
  auto& sum = of(x.node);
  ++sum.seconds;
  sum.cpu += x.cpu;
  sum.memory += x.memory;
  sum.throughput += x.throughput;
  if (!last_)
    return;
  const auto seconds = static_cast<double>(sum.seconds);
  collected_.add({.node = x.node,
                  .cpu = sum.cpu / seconds,
                  .memory = sum.memory / seconds,
                  .throughput = sum.throughput / seconds,
                  .connections = x.connections});
}

collector::total& collector::of(std::uint32_t node) {
  if (next_ == totals_.size() || totals_[next_].node != node)
    next_ = static_cast<std::size_t>(
      std::lower_bound(totals_.begin(), totals_.end(), node,
                       [](const total& x, std::uint32_t wanted) { return x.node < wanted; })
      - totals_.begin());
  if (next_ == totals_.size() || totals_[next_].node != node)
    totals_.insert(totals_.begin() + static_cast<std::ptrdiff_t>(next_), total{.node = node});
  return totals_[next_++];
}

} // namespace spillover::netscaler
