#include "lb/capacity.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace spillover {

namespace {

constexpr std::uint64_t candidate_below_percent = 25;
constexpr std::uint64_t well_from_percent = 35;
constexpr duration well_for = std::chrono::seconds{60};

bool is_below(const capacity_backend& x, std::uint64_t percent) noexcept {
  return x.healthy * std::uint64_t{100} < percent * x.endpoints;
}

__extension__ using wide = unsigned __int128;

std::uint64_t part_of(std::uint64_t load, std::uint64_t weight, std::uint64_t sum) noexcept {
  return static_cast<std::uint64_t>(static_cast<wide>(load) * weight / sum);
}

/// Backends that are filled together, by their places in the list.
using tier = std::vector<std::size_t>;

/// @returns the tiers in the order in which they are filled.
std::vector<tier> tiers_of(std::span<const capacity_backend> backends, distribution_algorithm how) {
  const auto by_zone = how == distribution_algorithm::waterfall_by_zone;
  // Preferred ones before all others, by their distance alone.
  const auto rank = [by_zone](const capacity_backend& x) {
    return std::tuple{!x.preferred, x.region, by_zone && !x.preferred ? x.zone : 0};
  };
  std::vector<std::size_t> order(backends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rank(backends[a]) < rank(backends[b]);
  });
  std::vector<tier> result;
  for (const auto i : order) {
    if (result.empty() || rank(backends[result.back().front()]) != rank(backends[i]))
      result.emplace_back();
    result.back().push_back(i);
  }
  return result;
}

/// Adds to the loads of a tier what fits into their rooms.
/// @returns what it added, at most `load`
std::uint64_t add_to(std::vector<std::uint64_t>& loads, const tier& of,
                     std::span<const std::uint64_t> rooms, std::uint64_t load) {
  const auto room = std::accumulate(rooms.begin(), rooms.end(), std::uint64_t{0});
  const auto fits = std::min(load, room);
  const auto parts = in_proportion(fits, rooms);
  for (std::size_t k = 0; k < parts.size(); ++k)
    loads[of[k]] += parts[k];
  return fits;
}

} // namespace

std::vector<std::string> validate(const capacity_backend& x, bool alone) {
  std::vector<std::string> problems;
  if (x.scaler_milli != 0 && (x.scaler_milli < 100 || x.scaler_milli > 1000))
    problems.emplace_back("capacity_scaler: must be 0, or from 0.1 to 1");
  if (x.scaler_milli == 0 && alone)
    problems.emplace_back("capacity_scaler: must not be 0 for the only backend");
  if (x.target_milli == 0)
    problems.emplace_back("target: must be above 0");
  if (x.healthy > x.endpoints)
    problems.emplace_back("healthy: must be at most the number of endpoints");
  return problems;
}

std::uint64_t capacity_of(const capacity_backend& x) noexcept {
  if (x.healthy == 0)
    return 0;
  const auto target = x.per_endpoint ? x.target_milli * x.endpoints : x.target_milli;
  return part_of(target, x.scaler_milli, 1000);
}

std::uint64_t capacity_per_healthy(const capacity_backend& x) noexcept {
  return x.healthy == 0 ? 0 : capacity_of(x) / x.healthy;
}

std::vector<std::uint64_t> in_proportion(std::uint64_t load,
                                         std::span<const std::uint64_t> weights) {
  const auto sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  std::vector<std::uint64_t> result(weights.size());
  if (sum == 0)
    return result;
  auto left = load;
  for (std::size_t i = 0; i < weights.size(); ++i)
    left -= result[i] = part_of(load, weights[i], sum);
  for (std::size_t i = 0; left > 0; i = (i + 1) % weights.size())
    if (weights[i] > 0) {
      ++result[i];
      --left;
    }
  return result;
}

std::vector<std::uint64_t> waterfall(std::uint64_t load,
                                     std::span<const std::uint64_t> capacities) {
  const auto sum = std::accumulate(capacities.begin(), capacities.end(), std::uint64_t{0});
  if (load >= sum)
    return in_proportion(load, capacities);
  std::vector<std::uint64_t> result;
  result.reserve(capacities.size());
  for (const auto capacity : capacities) {
    result.push_back(std::min(load, capacity));
    load -= result.back();
  }
  return result;
}

std::vector<std::uint64_t> distribute(std::uint64_t load,
                                      std::span<const capacity_backend> backends,
                                      distribution_algorithm how) {
  const auto tiers = tiers_of(backends, how);
  std::vector<std::uint64_t> sums;
  for (const auto& tier : tiers) {
    auto& sum = sums.emplace_back();
    for (const auto i : tier)
      sum += capacity_of(backends[i]);
  }
  const auto loads = waterfall(load, sums);
  std::vector<std::uint64_t> result(backends.size());
  for (std::size_t t = 0; t < tiers.size(); ++t) {
    std::vector<std::uint64_t> weights;
    for (const auto i : tiers[t])
      weights.push_back(capacity_of(backends[i]));
    const auto parts = in_proportion(loads[t], weights);
    for (std::size_t k = 0; k < parts.size(); ++k)
      result[tiers[t][k]] = parts[k];
  }
  return result;
}

std::vector<std::uint64_t> distribute(std::uint64_t load,
                                      std::span<const capacity_backend> backends,
                                      distribution_algorithm how, std::uint32_t threshold_percent) {
  auto result = distribute(load, backends, how);
  std::uint64_t shed = 0;
  std::vector<bool> ill(backends.size());
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const auto kept =
      kept_by_primary(backends[i].healthy, backends[i].endpoints, threshold_percent);
    ill[i] = kept < 1000;
    const auto keeps = part_of(result[i], kept, 1000);
    shed += result[i] - keeps;
    result[i] = keeps;
  }
  if (shed == 0)
    return result;
  const auto tiers = tiers_of(backends, how);
  for (const auto of_ill : {false, true})
    for (const auto& tier : tiers) {
      std::vector<std::uint64_t> rooms;
      for (const auto i : tier) {
        const auto capacity = capacity_of(backends[i]);
        rooms.push_back(ill[i] == of_ill && capacity > result[i] ? capacity - result[i] : 0);
      }
      shed -= add_to(result, tier, rooms, shed);
    }
  std::vector<std::uint64_t> capacities;
  for (const auto& x : backends)
    capacities.push_back(capacity_of(x));
  const auto rest = in_proportion(shed, capacities);
  for (std::size_t i = 0; i < rest.size(); ++i)
    result[i] += rest[i];
  return result;
}

std::uint32_t kept_by_primary(std::uint32_t healthy, std::uint32_t total,
                              std::uint32_t threshold_percent) noexcept {
  if (total == 0)
    return 0;
  const auto share =
    std::uint64_t{healthy} * 100 * 1000 / (std::uint64_t{total} * threshold_percent);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(share, 1000));
}

std::size_t isolated_region(const std::vector<bool>& healthy, isolation_mode mode) noexcept {
  for (std::size_t i = 0; i < healthy.size(); ++i) {
    if (healthy[i])
      return i;
    if (mode == isolation_mode::strict)
      break;
  }
  return healthy.size();
}

auto_capacity_drain::auto_capacity_drain(std::uint32_t backends) : states_(backends) {}

bool auto_capacity_drain::observe(instant now, std::span<const capacity_backend> backends) {
  SPILLOVER_CHECK(backends.size() == states_.size());
  std::size_t candidates = 0;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const auto& x = backends[i];
    auto& group = states_[i];
    const auto well = x.endpoints > 0 && !is_below(x, well_from_percent);
    group.well_since = !well ? never : std::min(group.well_since, now);
    // What is drained stays one until it was well for long enough.
    const auto recovered = well && now - group.well_since >= well_for;
    const auto candidate = is_below(x, candidate_below_percent) || (group.drained && !recovered);
    candidates += candidate && x.scaler_milli > 0 ? 1 : 0;
  }
  const auto few = candidates * 2 < backends.size();
  bool changed = false;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const auto& x = backends[i];
    auto& group = states_[i];
    const auto recovered = group.well_since != never && now - group.well_since >= well_for;
    const auto candidate = is_below(x, candidate_below_percent) || (group.drained && !recovered);
    const auto drained = few && candidate && x.scaler_milli > 0;
    changed = changed || drained != group.drained;
    group.drained = drained;
  }
  return changed;
}

instant auto_capacity_drain::next() const noexcept {
  auto result = never;
  for (const auto& x : states_)
    if (x.drained && x.well_since != never)
      result = std::min(result, x.well_since + well_for);
  return result;
}

} // namespace spillover
