#include "lb/envoy_router.hpp"

#include "lb/percents.hpp"
#include "model/check.hpp"
#include "model/hash.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

// Envoy's smallest ring.
constexpr std::uint64_t ring_size = 1'024;

// Spreads numbers that follow each other over all of 64 bits.
constexpr std::uint64_t spread(std::uint64_t x) noexcept {
  return splitmix64{x}();
}

__extension__ using wide = unsigned __int128;
__extension__ using signed_wide = __int128;

// A number below `n`, from a hash.
constexpr std::uint64_t scaled(std::uint64_t hash, std::uint64_t n) noexcept {
  return static_cast<std::uint64_t>(static_cast<wide>(hash) * n >> 64);
}

// The same part of `after` as it was of `before`, to the nearest; that is above 0.
constexpr std::int64_t rescaled(std::int64_t x, std::uint64_t after,
                                std::uint64_t before) noexcept {
  const auto product = static_cast<signed_wide>(x) * static_cast<signed_wide>(after);
  const auto half = static_cast<signed_wide>(before / 2);
  return static_cast<std::int64_t>((product + (x < 0 ? -half : half))
                                   / static_cast<signed_wide>(before));
}

} // namespace

envoy_router::envoy_router(const envoy_config& config, std::uint32_t regions,
                           unknown_policy unknown)
  : region_router(regions, unknown), config_(config), hosts_(regions) {
  SPILLOVER_CHECK(config_.priorities.empty() || config_.priorities.size() == regions);
  SPILLOVER_CHECK(config_.locality_weights.empty() || config_.locality_weights.size() == regions);
  for (std::uint32_t region = 0; region < regions; ++region) {
    const auto level = config_.priorities.empty() ? region : config_.priorities[region];
    priorities_.resize(std::max<std::size_t>(priorities_.size(), level + 1));
    priorities_[level].members.push_back(region);
  }
  if (config_.policy == host_policy::least_request)
    count_tries();
  update(run_start);
}

std::uint32_t envoy_router::pick(instant, random_stream& random, const region_set& tried,
                                 std::uint64_t client) noexcept {
  const auto ring = config_.policy == host_policy::ring_hash;
  const auto hash = ring ? spread(client % config_.hash_keys) : random.bits();
  const auto& level = priorities_[choose_level(hash, tried)];
  const auto untried = level.usable.without(tried);
  const auto& among = untried.empty() ? level.usable : untried;
  const auto first =
    config_.policy == host_policy::random || config_.policy == host_policy::least_request
      ? random.bits()
      : 0;
  const auto second = config_.policy == host_policy::least_request ? random.bits() : 0;
  if (among.empty()) [[unlikely]]
    return nowhere;
  auto result = nowhere;
  switch (config_.policy) {
    case host_policy::round_robin: result = next_in_turn(level, among); break;
    case host_policy::random: result = weighted(level, among, first); break;
    case host_policy::least_request:
      result = less_busy(weighted(level, among, first), weighted(level, among, second));
      ++hosts_[result].active;
      break;
    case host_policy::ring_hash: result = on_ring(level, among, hash); break;
  }
  return result;
}

std::string envoy_router::described(std::uint32_t region) const {
  if (!endpoints(region))
    return region_router::described(region);
  return std::to_string(hosts_[region].healthy) + "/" + std::to_string(hosts_[region].total);
}

void envoy_router::update(instant) {
  count_hosts();
  std::vector<priority_hosts> counts;
  for (const auto& level : priorities_) {
    auto& sum = counts.emplace_back();
    for (const auto region : level.members) {
      sum.total += hosts_[region].total;
      sum.healthy += hosts_[region].healthy;
    }
  }
  shares_ = split_load(counts, config_.overprovisioning_factor, config_.healthy_panic_threshold);
  for (std::uint32_t level = 0; level < priorities_.size(); ++level)
    weigh(level);
  for (std::uint64_t hash = 0; hash < level_at_.size(); ++hash)
    level_at_[hash] = choose_priority(shares_, hash);
  find_route();
}

void envoy_router::count_hosts() {
  for (std::uint32_t region = 0; region < regions(); ++region) {
    auto& x = hosts_[region];
    const auto& view = endpoints(region);
    if (!view) {
      x.total = 1;
      x.healthy = eligible(region) ? 1 : 0;
      continue;
    }
    const auto counts = view->all();
    x.total = counts.total;
    // An endpoint has no last known state apart from its state.
    x.healthy = counts.healthy + (unknown() == unknown_policy::as_unhealthy ? 0 : counts.unknown);
    if (ejected(region))
      x.healthy = 0;
  }
}

// The weights of a priority's regions: by hosts, all of them in panic; or by locality.
void envoy_router::weigh(std::uint32_t level) {
  auto& of = priorities_[level];
  of.usable = {};
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  for (const auto region : of.members) {
    auto& x = hosts_[region];
    before += x.weight;
    x.usable = shares_[level].panic ? x.total : x.healthy;
    x.weight = x.usable;
    if (!shares_[level].panic && !config_.locality_weights.empty())
      x.weight = effective_weight(config_.locality_weights[region], x.healthy, x.total,
                                  config_.overprovisioning_factor);
    if (x.weight > 0)
      of.usable.insert(region);
    after += x.weight;
  }
  // Turns go on where they were, in parts of all weights, so that news does not begin them anew each time
  // with the first region; whoever gets nothing has none.
  for (const auto region : of.members) {
    auto& x = hosts_[region];
    x.turn = x.weight == 0 || before == 0 ? 0 : rescaled(x.turn, after, before);
  }
  if (config_.policy == host_policy::ring_hash)
    build_ring(level);
}

void envoy_router::build_ring(std::uint32_t level) {
  auto& of = priorities_[level];
  of.ring.clear();
  std::uint64_t sum = 0;
  for (const auto region : of.members)
    sum += hosts_[region].weight;
  for (const auto region : of.members) {
    const auto& x = hosts_[region];
    if (x.weight == 0)
      continue;
    // Points that depend on the region and their number only, so that a change moves few keys.
    const auto points = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(static_cast<wide>(ring_size) * x.weight / sum));
    for (std::uint64_t i = 0; i < points; ++i)
      of.ring.emplace_back(spread(spread(region + 1) + i), region);
  }
  std::sort(of.ring.begin(), of.ring.end());
}

void envoy_router::find_route() {
  std::vector<std::uint64_t> weights(regions());
  region_route route;
  route.fail_open =
    std::all_of(shares_.begin(), shares_.end(), [](const auto& x) { return x.panic; });
  for (std::uint32_t level = 0; level < priorities_.size(); ++level) {
    const auto& of = priorities_[level];
    std::uint64_t sum = 0;
    for (const auto region : of.members)
      sum += hosts_[region].weight;
    for (const auto region : of.members)
      if (sum > 0)
        weights[region] = static_cast<std::uint64_t>(static_cast<wide>(shares_[level].healthy_load)
                                                     * hosts_[region].weight * 1'000'000 / sum);
  }
  std::vector<std::uint64_t> used;
  for (std::uint32_t region = 0; region < regions(); ++region)
    if (weights[region] > 0) {
      route.regions.push_back(region);
      used.push_back(weights[region]);
    }
  if (used.size() > 1)
    route.shares = percents(used);
  route_to(std::move(route));
}

// The priority that the hash says, or the best other one with load that has a region not tried yet.
std::uint32_t envoy_router::choose_level(std::uint64_t hash,
                                         const region_set& tried) const noexcept {
  const auto chosen = level_at_[hash % level_at_.size()];
  if (tried.empty() || !priorities_[chosen].usable.without(tried).empty()) [[likely]]
    return chosen;
  for (std::uint32_t level = 0; level < priorities_.size(); ++level)
    if (shares_[level].healthy_load > 0 && !priorities_[level].usable.without(tried).empty())
      return level;
  return chosen;
}

// Each in turn, as often as its weight says, and as evenly: everybody's turn comes nearer by their weight,
// and who is nearest goes back by all weights.
std::uint32_t envoy_router::next_in_turn(const priority& of, const region_set& among) noexcept {
  auto best = nowhere;
  std::int64_t sum = 0;
  for (const auto region : of.members) {
    if (!among.contains(region))
      continue;
    auto& x = hosts_[region];
    x.turn += static_cast<std::int64_t>(x.weight);
    sum += static_cast<std::int64_t>(x.weight);
    if (best == nowhere || x.turn > hosts_[best].turn)
      best = region;
  }
  hosts_[best].turn -= sum;
  return best;
}

std::uint32_t envoy_router::weighted(const priority& of, const region_set& among,
                                     std::uint64_t hash) const noexcept {
  std::uint64_t sum = 0;
  for (const auto region : of.members)
    sum += among.contains(region) ? hosts_[region].weight : 0;
  auto point = scaled(hash, sum);
  auto result = nowhere;
  for (const auto region : of.members) {
    if (!among.contains(region))
      continue;
    result = region;
    if (point < hosts_[region].weight)
      break;
    point -= hosts_[region].weight;
  }
  return result;
}

// Who has fewer tries in flight for each of its endpoints; the first when both have as many.
std::uint32_t envoy_router::less_busy(std::uint32_t a, std::uint32_t b) const noexcept {
  const auto& x = hosts_[a];
  const auto& y = hosts_[b];
  return y.active * x.usable < x.active * y.usable ? b : a;
}

std::uint32_t envoy_router::on_ring(const priority& of, const region_set& among,
                                    std::uint64_t hash) noexcept {
  const auto first = std::lower_bound(of.ring.begin(), of.ring.end(), std::pair{hash, 0u});
  const auto from = static_cast<std::size_t>(first - of.ring.begin());
  for (std::size_t i = 0; i < of.ring.size(); ++i)
    if (const auto region = of.ring[(from + i) % of.ring.size()].second; among.contains(region))
      return region;
  return nowhere;
}

} // namespace spillover
