#include "sweeps/pareto.hpp"

#include "model/check.hpp"
#include "model/random.hpp"
#include "sweeps/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace spillover {

std::vector<std::size_t> pareto_front(std::span<const trade_off> all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    return std::tuple{all[x].time, all[x].cost, x} < std::tuple{all[y].time, all[y].cost, y};
  });
  std::vector<std::size_t> result;
  for (const auto i : order) {
    if (!std::isfinite(all[i].time) || !std::isfinite(all[i].cost))
      continue;
    const auto equals_last = [&] {
      const auto& last = all[result.back()];
      return last.time == all[i].time && last.cost == all[i].cost;
    };
    if (result.empty() || all[i].cost < all[result.back()].cost || equals_last())
      result.push_back(i);
  }
  return result;
}

namespace {

/// @returns what a setting takes and costs with these seeds.
trade_off measured(const paired_runs& x, std::span<const std::size_t> seeds, double quantile) {
  std::vector<double> times;
  double cost = 0;
  times.reserve(seeds.size());
  for (const auto i : seeds) {
    times.push_back(x.times[i]);
    cost += x.costs[i];
  }
  return {sample{std::move(times)}.quantile(quantile), cost / static_cast<double>(seeds.size())};
}

} // namespace

std::vector<double> front_shares(std::span<const paired_runs> all, double quantile,
                                 std::size_t draws, std::uint64_t seed) {
  std::vector<double> result(all.size());
  if (all.empty())
    return result;
  const auto count = all.front().times.size();
  for (const auto& x : all)
    SPILLOVER_CHECK(count > 0 && x.times.size() == count && x.costs.size() == count);
  random_stream random{seed, "sweep/front"};
  std::vector<std::size_t> seeds(count);
  std::vector<trade_off> points(all.size());
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (auto& x : seeds)
      x = random.below(count);
    for (std::size_t i = 0; i < all.size(); ++i)
      points[i] = measured(all[i], seeds, quantile);
    for (const auto i : pareto_front(points))
      result[i] += 1;
  }
  for (auto& x : result)
    x /= static_cast<double>(draws);
  return result;
}

} // namespace spillover
