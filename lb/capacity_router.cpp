#include "lb/capacity_router.hpp"

#include "lb/percents.hpp"
#include "model/check.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

__extension__ using wide = unsigned __int128;

/// Of a region whose endpoints were never told: 10^12 of the unit.
constexpr std::uint64_t boundless_milli = 1'000'000'000'000'000;

/// A route is told anew when a share has moved by so many percent points (inferred): measured loads move
/// all the time.
constexpr std::uint32_t telling_step = 5;

/// Without a load there would be no shares; so much goes to the closest backends.
constexpr std::uint64_t least_load = 1'000;

constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;

bool is_near(const region_route& a, const region_route& b) {
  if (a.regions != b.regions || a.fail_open != b.fail_open || a.shares.size() != b.shares.size())
    return false;
  for (std::size_t i = 0; i < a.shares.size(); ++i)
    if (std::max(a.shares[i], b.shares[i]) - std::min(a.shares[i], b.shares[i]) >= telling_step)
      return false;
  return true;
}

std::string in_units(std::uint64_t milli) {
  return std::to_string((milli + 500) / 1000);
}

} // namespace

capacity_router::capacity_router(const capacity_config& config, std::uint32_t regions,
                                 unknown_policy unknown, std::uint32_t proxies)
  : region_router(regions, unknown),
    config_(config),
    proxies_(proxies),
    next_(run_start + config.recomputed_every) {
  SPILLOVER_CHECK(config_.regions.size() == regions);
  if (config_.mode == balancing_mode::utilization)
    meters_.resize(regions);
  if (config_.mode == balancing_mode::connection)
    count_tries();
  update(run_start);
}

std::uint32_t capacity_router::pick(instant, random_stream& random, const region_set& tried,
                                    std::uint64_t) noexcept {
  const auto bits = random.bits();
  if (choices_.empty()) [[unlikely]]
    return nowhere;
  const auto result = tried.empty() ? weighted(bits) : untried(bits, tried);
  ++sent_;
  ++active_;
  if (!meters_.empty())
    ++meters_[result].sent;
  return result;
}

std::uint32_t capacity_router::weighted(std::uint64_t bits) const noexcept {
  const auto point =
    static_cast<std::uint64_t>(static_cast<wide>(bits) * choices_.back().upto >> 64);
  return std::upper_bound(choices_.begin(), choices_.end(), point,
                          [](std::uint64_t x, const choice& y) { return x < y.upto; })
    ->region;
}

std::uint32_t capacity_router::untried(std::uint64_t bits, const region_set& tried) const noexcept {
  std::uint64_t sum = 0;
  for (const auto& x : choices_)
    sum += tried.contains(x.region) ? 0 : x.load;
  if (sum == 0) {
    const auto others = able_.without(tried);
    return others.empty() ? weighted(bits) : others.nth(0);
  }
  auto point = static_cast<std::uint64_t>(static_cast<wide>(bits) * sum >> 64);
  auto result = nowhere;
  for (const auto& x : choices_) {
    if (tried.contains(x.region))
      continue;
    result = x.region;
    if (point < x.load)
      break;
    point -= x.load;
  }
  return result;
}

void capacity_router::on_time(instant now) {
  while (next_ <= now) {
    measure();
    next_ += config_.recomputed_every;
  }
  update(now);
}

void capacity_router::window::add(std::uint64_t sample, std::size_t most) {
  if (samples_.size() < most) {
    samples_.push_back(sample);
    return;
  }
  samples_[oldest_] = sample;
  oldest_ = (oldest_ + 1) % most;
}

std::uint64_t capacity_router::window::mean() const noexcept {
  if (samples_.empty())
    return 0;
  wide sum = 0;
  for (const auto x : samples_)
    sum += x;
  return static_cast<std::uint64_t>(sum / samples_.size());
}

std::uint64_t capacity_router::rate_of(std::uint64_t count) const noexcept {
  const auto interval = static_cast<std::uint64_t>(config_.recomputed_every.count());
  return static_cast<std::uint64_t>(wide{count} * 1000 * nanoseconds_per_second / interval);
}

void capacity_router::measure() {
  const auto most = static_cast<std::size_t>(config_.measured_over / config_.recomputed_every);
  const auto connections = config_.mode == balancing_mode::connection;
  window_.add(connections ? active_ * 1000 : rate_of(sent_), most);
  sent_ = 0;
  load_ = window_.mean() * proxies_;
  for (std::uint32_t region = 0; region < meters_.size(); ++region)
    measure_region(region, most);
}

void capacity_router::measure_region(std::uint32_t region, std::size_t most) {
  auto& x = meters_[region];
  x.rate.add(rate_of(x.sent), most);
  x.sent = 0;
  ++x.age;
  const auto& view = endpoints(region);
  if (!view || !view->utilization_milli)
    return;
  // What was told stays for a while, and is of a rate that was: taken again and again with a rate that falls
  // because of it, it would bring that down to nothing.
  if (x.utilization == view->utilization_milli && x.age < most)
    return;
  const auto rate = x.rate.mean() * proxies_;
  const auto used = std::uint64_t{*view->utilization_milli} * view->all().total;
  // Too little of either tells nothing of what a request costs.
  if (rate < 1000 || *view->utilization_milli < 10 || used == 0)
    return;
  const auto target = config_.regions[region].target_milli;
  x.utilization = view->utilization_milli;
  x.age = 0;
  x.per_endpoint =
    std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wide{rate} * target / used));
}

void capacity_router::update(instant now) {
  find_backends();
  if (config_.auto_capacity_drain)
    drain(now);
  leave_ejected();
  const auto anybody = isolate();
  loads_ = distribute(std::max(load_, least_load), backends_, config_.algorithm,
                      config_.failover_health_threshold);
  able_ = {};
  for (const auto& x : backends_)
    if (capacity_of(x) > 0)
      able_.insert(x.region);
  const auto fail_open = anybody && able_.empty();
  if (fail_open)
    loads_ = last_resort();
  find_choices();
  find_route(fail_open);
}

void capacity_router::find_backends() {
  backends_.clear();
  for (std::uint32_t region = 0; region < regions(); ++region) {
    const auto& target = config_.regions[region];
    capacity_backend x{region, 0, target.target_milli, target.per_endpoint,
                       0,      0, target.scaler_milli, target.preferred};
    const auto add = [&](const endpoint_counts& counts) {
      x.endpoints = counts.total;
      // An endpoint has no last known state apart from its state.
      x.healthy = counts.healthy + (unknown() == unknown_policy::as_unhealthy ? 0 : counts.unknown);
      backends_.push_back(x);
      ++x.zone;
    };
    const auto& view = endpoints(region);
    const auto measured = meters_.empty() || meters_[region].per_endpoint > 0;
    if (!view || !measured) {
      x.target_milli = boundless_milli;
      x.per_endpoint = false;
    } else if (!meters_.empty()) {
      x.target_milli = meters_[region].per_endpoint;
    }
    if (!view) {
      add({1, eligible(region) ? 1u : 0u, 0});
    } else if (config_.groups == group_extent::regional) {
      add(view->all());
    } else {
      for (const auto& zone : view->zones)
        add(zone.counts);
      if (view->zones.empty())
        add({});
    }
  }
  holds_.assign(backends_.size(), hold::none);
  for (std::size_t i = 0; i < backends_.size(); ++i)
    if (backends_[i].scaler_milli == 0)
      holds_[i] = hold::drained;
}

void capacity_router::drain(instant now) {
  // A zone that is used for the first time is a backend more, and all are looked at afresh.
  if (!drain_ || drainable_ != backends_.size()) {
    drainable_ = backends_.size();
    drain_.emplace(static_cast<std::uint32_t>(drainable_));
  }
  drain_->observe(now, backends_);
  for (std::uint32_t i = 0; i < backends_.size(); ++i)
    if (drain_->drained(i)) {
      backends_[i].scaler_milli = 0;
      holds_[i] = hold::drained;
    }
}

void capacity_router::leave_ejected() {
  for (auto& x : backends_)
    if (ejected(x.region))
      x.healthy = 0;
}

bool capacity_router::isolate() {
  if (!config_.isolation)
    return true;
  std::vector<bool> healthy(regions());
  for (const auto& x : backends_)
    if (capacity_of(x) > 0)
      healthy[x.region] = true;
  const auto only = isolated_region(healthy, *config_.isolation);
  const auto nobody = only == healthy.size();
  if (nobody && *config_.isolation == isolation_mode::nearest)
    return true;
  for (std::size_t i = 0; i < backends_.size(); ++i)
    if (backends_[i].region != only && holds_[i] == hold::none) {
      backends_[i].scaler_milli = 0;
      holds_[i] = hold::isolated;
    }
  return !nobody;
}

// Nobody is well: all endpoints of what is not drained alike; when that leaves nobody, of what is drained by
// itself, and of everybody in the end.
std::vector<std::uint64_t> capacity_router::last_resort() const {
  std::vector<std::uint64_t> weights(backends_.size());
  for (const auto stage : {0, 1, 2}) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < backends_.size(); ++i) {
      const auto by_hand = config_.regions[backends_[i].region].scaler_milli == 0;
      const auto used = stage == 2 || (!by_hand && (stage == 1 || holds_[i] != hold::drained));
      weights[i] = used ? backends_[i].endpoints : 0;
      sum += weights[i];
    }
    if (sum > 0)
      return in_proportion(std::max(load_, least_load), weights);
  }
  // There is no endpoint at all.
  weights.front() = std::max(load_, least_load);
  return weights;
}

void capacity_router::find_choices() {
  choices_.clear();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < backends_.size(); ++i) {
    if (loads_[i] == 0)
      continue;
    if (choices_.empty() || choices_.back().region != backends_[i].region)
      choices_.push_back({backends_[i].region});
    sum += loads_[i];
    choices_.back().load += loads_[i];
    choices_.back().upto = sum;
  }
}

void capacity_router::find_route(bool fail_open) {
  region_route route;
  route.fail_open = fail_open;
  std::vector<std::uint64_t> used;
  for (const auto& x : choices_) {
    route.regions.push_back(x.region);
    used.push_back(x.load);
  }
  if (used.size() > 1)
    route.shares = percents(used);
  if (!is_near(route, current()))
    route_to(std::move(route));
}

std::string capacity_router::described(std::uint32_t region) const {
  const auto& view = endpoints(region);
  if (!view)
    return region_router::described(region);
  std::uint64_t load = 0;
  std::uint64_t capacity = 0;
  auto known = true;
  auto sheds = false;
  std::uint32_t count = 0;
  std::uint32_t drained = 0;
  std::uint32_t isolated = 0;
  for (std::size_t i = 0; i < backends_.size(); ++i) {
    const auto& x = backends_[i];
    if (x.region != region)
      continue;
    ++count;
    drained += holds_[i] == hold::drained ? 1 : 0;
    isolated += holds_[i] == hold::isolated ? 1 : 0;
    load += loads_[i];
    capacity += capacity_of(x);
    known = known && x.target_milli != boundless_milli;
    sheds =
      sheds
      || (capacity_of(x) > 0
          && kept_by_primary(x.healthy, x.endpoints, config_.failover_health_threshold) < 1000);
  }
  const auto all = view->all();
  auto result = std::to_string(all.healthy) + "/" + std::to_string(all.total) + ",load:"
                + in_units(load_ == 0 ? 0 : load) + "/" + (known ? in_units(capacity) : "?");
  if (drained > 0)
    result += ",drained:" + std::to_string(drained) + "/" + std::to_string(count);
  if (sheds)
    result += ",sheds";
  if (isolated > 0)
    result += ",isolated";
  return result;
}

} // namespace spillover
