#include "producers/autoscaling/netscaler/collector.hpp"

#include <algorithm>

namespace spillover::netscaler {

void collector::add(std::span<const node_statistics> second) {
  ++second_;
  for (const auto& x : second) {
    auto& sum = of(x.node);
    sum.connections = x.connections;
    sum.last = second_;
    ++sum.seconds;
    sum.cpu += x.cpu;
    sum.memory += x.memory;
    sum.throughput += x.throughput;
  }
}

std::span<const node_statistics> collector::collect() {
  collected_.clear();
  for (const auto& x : totals_) {
    if (x.last != second_)
      continue; // it has gone, or is silent
    const auto seconds = static_cast<double>(x.seconds);
    collected_.push_back({.node = x.node,
                          .cpu = x.cpu / seconds,
                          .memory = x.memory / seconds,
                          .throughput = x.throughput / seconds,
                          .connections = x.connections});
  }
  totals_.clear();
  return collected_;
}

collector::total& collector::of(std::uint32_t node) {
  const auto place =
    std::lower_bound(totals_.begin(), totals_.end(), node,
                     [](const total& x, std::uint32_t wanted) { return x.node < wanted; });
  if (place != totals_.end() && place->node == node)
    return *place;
  return *totals_.insert(place, total{.node = node});
}

} // namespace spillover::netscaler
