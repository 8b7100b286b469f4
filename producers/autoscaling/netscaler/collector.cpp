#include "producers/autoscaling/netscaler/collector.hpp"

#include <algorithm>

namespace spillover::netscaler {

collector::collector(const settings& x) noexcept
  : cpu_(x.cpu.selected), memory_(x.memory.selected), throughput_(x.throughput.selected) {}

void collector::begin() noexcept {
  ++second_;
  next_ = 0;
}

void collector::add(const node_statistics& x) {
  auto& sum = of(x.node);
  sum.connections = x.connections;
  sum.last = second_;
  ++sum.seconds;
  sum.cpu += x.cpu;
  sum.memory += x.memory;
  sum.throughput += x.throughput;
}

std::span<const node_statistics> collector::collect() {
  collected_.resize(totals_.size());
  std::size_t count = 0;
  for (const auto& x : totals_) {
    if (x.last != second_)
      continue; // it has gone, or is silent
    const auto seconds = static_cast<double>(x.seconds);
    collected_[count++] = {.node = x.node,
                           .cpu = cpu_ ? x.cpu / seconds : 0,
                           .memory = memory_ ? x.memory / seconds : 0,
                           .throughput = throughput_ ? x.throughput / seconds : 0,
                           .connections = x.connections};
  }
  collected_.resize(count);
  totals_.clear();
  return collected_;
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
