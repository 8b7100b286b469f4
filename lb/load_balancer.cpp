#include "lb/load_balancer.hpp"

#include "lb/make_router.hpp"
#include "lb/percents.hpp"
#include "model/check.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

load_balancer::load_balancer(const load_balancer_config& config, std::uint32_t regions,
                             const random_stream& random)
  : config_(config),
    retry_on_(config.retry_on),
    random_(random),
    watches_(config.outlier_detection.has_value()),
    guards_(config.circuit_breakers.has_value()),
    checks_(guards_ || wants_try_table(config)),
    connects_(makes_connections(config)),
    attempts_(regions),
    last_sent_(regions, run_start - duration{1}),
    overflow_(regions) {
  const auto count = deciding_proxies(config);
  // Streams of their own, seeded by a copy of the balancer's, which itself goes on as without them.
  auto copy = random;
  const auto seed = copy.bits();
  if (connects_)
    add_channels(regions, seed);
  else
    for (std::uint32_t i = 0; i < count; ++i)
      proxies_.push_back({make_region_router(config, regions), std::nullopt,
                          std::vector<flow>(guards_ ? regions : 0)});
  update_route(run_start);
  if (wants_failback_policy(config)) {
    failback_.emplace(config.failback, regions);
    ramps_.emplace(seed, "ramps");
  }
  if (count > 1)
    turns_.emplace(seed, "turns");
  if (wants_try_table(config)) {
    keeper_ = std::make_unique<keeper>(count, regions, random_stream{seed, "pauses"});
    note_usable(run_start);
  }
  if (!watches_)
    return;
  const auto& settings = *config.outlier_detection;
  for (std::uint32_t i = 0; i < count; ++i)
    // Proxies did not all begin at the same time: their sweeps are spread over the interval.
    proxies_[i].detector.emplace(settings, regions,
                                 random_stream{seed, "proxy/" + std::to_string(i + 1)},
                                 settings.interval - settings.interval * i / count);
}

void load_balancer::on_request(instant now, const record& request, load_balancer_effects& out) {
  requests_.take();
  const auto due = now + config_.timeout;
  const auto proxy = turns_ ? turns_->below(proxies_.size()) : 0;
  const auto slot =
    pending_.add({.request = request, .due = due, .proxy = static_cast<std::uint16_t>(proxy)});
  SPILLOVER_CHECK(slot <= slot_mask);
  deadlines_.push(due, slot);
  if (!faults_.empty()) [[unlikely]]
    if (const auto how = own_failure()) {
      refused_.take();
      refused_.end(*how);
      refuse(slot, *how, out);
      return;
    }
  send(now, slot, outcome::unavailable, out);
}

void load_balancer::lay_fault(std::uint32_t fault, const balancer_fault& what,
                              const random_stream& random) {
  faults_.push_back({fault, what, random});
}

void load_balancer::take_off_fault(std::uint32_t fault) {
  std::erase_if(faults_, [fault](const failing& x) { return x.fault == fault; });
}

// Each draws for each request, whatever the others drew, so that one more fault does not change whom an
// earlier one hits.
std::optional<outcome> load_balancer::own_failure() {
  std::optional<outcome> result;
  for (auto& x : faults_)
    if (x.random.unit() < x.what.error_fraction && !result)
      result = x.what.status;
  return result;
}

void load_balancer::on_response(instant now, std::uint32_t key, std::uint16_t attempt,
                                std::uint64_t request, outcome how, load_balancer_effects& out) {
  const auto slot = key & slot_mask;
  const auto region = key >> slot_bits;
  auto* x = pending_.find(slot);
  if (x == nullptr || x->region != region || x->request.request != request
      || attempt_of(*x) != attempt) {
    // Whoever keeps a table of tries names no region here.
    if (keeper_ && x != nullptr && x->request.request == request
        && take_answer(now, slot, region, attempt, how, out))
      return;
    ++requests_.late;
    // The key comes from outside.
    if (region < attempts_.size())
      ++attempts_[region].late;
    return;
  }
  attempts_[region].end(how);
  try_ended(*x);
  if (watches_)
    observe(now, x->proxy, region, how, out);
  if (retry_on_.contains(how) && x->tries <= config_.retries && now < x->due) {
    send(now, slot, how, out);
  } else {
    deadlines_.settle(slot);
    finish(slot, how, out);
  }
}

bool load_balancer::expects(std::uint32_t key, std::uint16_t attempt, std::uint64_t request) const {
  const auto slot = key & slot_mask;
  const auto region = key >> slot_bits;
  const auto* x = pending_.find(slot);
  if (x == nullptr || x->request.request != request)
    return false;
  return keeper_ ? keeper_->table.find(slot, region, attempt) != try_table::none
                 : x->region == region && attempt_of(*x) == attempt;
}

void load_balancer::on_deadline(instant now, load_balancer_effects& out) {
  if (keeper_) [[unlikely]] {
    on_due(now, out);
    return;
  }
  while (const auto slot = deadlines_.pop_due(now)) {
    const auto& x = pending_.at(*slot);
    attempts_[x.region].end(outcome::lb_timeout);
    try_ended(x);
    if (watches_)
      observe(now, x.proxy, x.region, outcome::lb_timeout, out);
    finish(*slot, outcome::lb_timeout, out);
  }
}

instant load_balancer::next_deadline() const noexcept {
  return keeper_ ? std::min({deadlines_.next(), keeper_->table.next(), next_channel_})
                 : deadlines_.next();
}

bool load_balancer::apply(instant now, std::uint32_t region, health state) {
  if (failback_) {
    failback_->set(now, region, state);
    return show_states(now);
  }
  for (auto& x : proxies_)
    x.router->set(now, region, state);
  return update_route(now);
}

bool load_balancer::apply(instant now, std::uint32_t region, const endpoint_view& x) {
  for (auto& proxy : proxies_)
    proxy.router->set_endpoints(now, region, x);
  return update_route(now);
}

bool load_balancer::on_route_due(instant now) {
  for (auto& x : proxies_)
    x.router->on_time(now);
  if (!failback_)
    return update_route(now);
  failback_->on_time(now);
  return show_states(now);
}

instant load_balancer::next_route_due() const noexcept {
  auto result = failback_ ? failback_->next() : never;
  for (const auto& x : proxies_)
    result = std::min(result, x.router->next_change());
  return result;
}

void load_balancer::on_sweep(instant now, load_balancer_effects& out) {
  for (std::uint32_t i = 0; i < proxies_.size(); ++i)
    if (auto& detector = proxies_[i].detector)
      while (detector->next_sweep() <= now)
        take(now, i, detector->sweep(detector->next_sweep()), out);
}

instant load_balancer::next_sweep() const noexcept {
  auto result = never;
  for (const auto& x : proxies_)
    if (x.detector)
      result = std::min(result, x.detector->next_sweep());
  return result;
}

std::uint32_t load_balancer::ejected_by(std::uint32_t region) const noexcept {
  return static_cast<std::uint32_t>(
    std::count_if(proxies_.begin(), proxies_.end(),
                  [region](const proxy_state& x) { return x.router->ejected(region); }));
}

void load_balancer::observe(instant now, std::uint32_t proxy, std::uint32_t region, outcome how,
                            load_balancer_effects& out) {
  if (const auto changes = proxies_[proxy].detector->observe(now, region, how); !changes.empty())
    take(now, proxy, changes, out);
}

void load_balancer::take(instant now, std::uint32_t proxy, std::span<const outlier_change> changes,
                         load_balancer_effects& out) {
  for (const auto& x : changes) {
    if (x.action != outlier_action::spared) {
      proxies_[proxy].router->set_ejected(now, x.host, x.action == outlier_action::ejected);
      follow_ejection(now, x.host);
    }
    out.outlier_changed(proxy, x);
  }
}

// The regions of all proxies, in their order.
bool load_balancer::update_route(instant now) {
  if (keeper_)
    note_usable(now);
  if (connects_)
    note_channels();
  auto result = proxies_.size() == 1 ? proxies_.front().router->current() : joint_route();
  if (failback_ && failback_->ramping())
    spread_ramps(result);
  const auto changed = result != route_;
  route_ = std::move(result);
  return changed;
}

region_route load_balancer::joint_route() const {
  region_route result{{}, {}, true};
  std::vector<std::uint64_t> shares(attempts_.size()); // sums of percents
  auto shared = false;
  for (const auto& x : proxies_) {
    const auto& route = x.router->current();
    result.fail_open = result.fail_open && route.fail_open;
    shared = shared || !route.shares.empty();
    for (std::size_t i = 0; i < route.regions.size(); ++i)
      shares[route.regions[i]] +=
        route.shares.empty() ? std::max(100 / static_cast<std::uint32_t>(route.regions.size()), 1u)
                             : std::max(route.shares[i], 1u);
  }
  for (std::uint32_t i = 0; i < shares.size(); ++i)
    if (shares[i] > 0)
      result.regions.push_back(i);
  std::erase(shares, 0u);
  if (shared && !shares.empty())
    result.shares = percents(shares);
  return result;
}

// Tries of ours are numbered on over the tries of the client, which come with the same number.
std::uint16_t load_balancer::attempt_of(const pending& x) const noexcept {
  return static_cast<std::uint16_t>(x.request.attempt * (config_.retries + 1) + x.tries - 1);
}

void load_balancer::send(instant now, std::uint32_t slot, outcome before,
                         load_balancer_effects& out) {
  auto& x = pending_.at(slot);
  auto tried = x.tried;
  if (failback_ && failback_->ramping()) [[unlikely]]
    tried.insert(left_out());
  auto& router = *proxies_[x.proxy].router;
  auto region = router.pick(now, random_, tried, x.request.request);
  if (connects_ && proxies_[x.proxy].grpc->channel().has_news()) [[unlikely]]
    next_channel_ = run_start;
  // Rather a region that comes back in steps than one that was tried.
  const auto again =
    region != region_router::nowhere && x.tried.contains(region) && tried != x.tried;
  if (again) [[unlikely]] {
    router.ended(region);
    region = router.pick(now, random_, x.tried, x.request.request);
  }
  if (region == region_router::nowhere) [[unlikely]] {
    refused_.take();
    refused_.end(outcome::unavailable);
    refuse(slot, outcome::unavailable, out);
    return;
  }
  if (checks_) [[unlikely]] {
    if (keeper_)
      return make_try(now, slot, region, before, out);
    if (const auto how = break_circuit(x, region, before)) {
      proxies_[x.proxy].router->ended(region);
      refuse(slot, *how, out);
      return;
    }
  }
  x.region = region;
  x.tried.insert(region);
  ++x.tries;
  attempts_[region].take();
  last_sent_[region] = now;
  // A copy, because whatever happens out there may move the slots.
  const auto request = x.request;
  out.send(region, key_of(slot, region), attempt_of(x), request);
}

// Counts a try in, or says how its request ends instead. As in Envoy retries are held back first, and what
// overflows is not tried again.
std::optional<outcome> load_balancer::break_circuit(const pending& x, std::uint32_t region,
                                                    outcome before) {
  if (hold_back(x, region))
    return before;
  if (!has_room(x.proxy, region))
    return outcome::unavailable;
  auto& here = proxies_[x.proxy].flows[region];
  ++here.requests;
  here.retries += x.tries > 0 ? 1 : 0;
  return std::nullopt;
}

// Whether this would be one retry too many.
bool load_balancer::hold_back(const pending& x, std::uint32_t region) {
  if (x.tries == 0)
    return false;
  const auto& limits = *config_.circuit_breakers;
  const auto& here = proxies_[x.proxy].flows[region];
  auto most = std::uint64_t{limits.max_retries};
  if (const auto& budget = limits.retry_budget) {
    std::uint64_t known = here.requests;
    if (keeper_)
      known += keeper_->table.waiting(place_of(x.proxy, region));
    most = std::max<std::uint64_t>(budget->min_retry_concurrency, budget->percent * known / 100);
  }
  if (here.retries < most)
    return false;
  ++overflow_[region].retries;
  return true;
}

bool load_balancer::has_room(std::uint32_t proxy, std::uint32_t region) {
  if (proxies_[proxy].flows[region].requests < config_.circuit_breakers->max_requests)
    return true;
  ++overflow_[region].requests;
  refused_.take();
  refused_.end(outcome::unavailable);
  return false;
}

void load_balancer::refuse(std::uint32_t slot, outcome how, load_balancer_effects& out) {
  // Another try of it may still bring an answer.
  if (keeper_ && keeper_->table.busy(slot)) {
    keeper_->beside.end(how);
    return;
  }
  deadlines_.settle(slot);
  finish(slot, how, out);
}

void load_balancer::try_ended(const pending& x) noexcept {
  auto& proxy = proxies_[x.proxy];
  proxy.router->ended(x.region);
  if (!guards_)
    return;
  auto& here = proxy.flows[x.region];
  --here.requests;
  here.retries -= x.tries > 1 ? 1 : 0;
}

void load_balancer::finish(std::uint32_t slot, outcome how, load_balancer_effects& out) {
  const auto request = pending_.at(slot).request;
  pending_.remove(slot);
  requests_.end(how);
  out.answer(request, how);
}

} // namespace spillover
