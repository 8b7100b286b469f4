#include "lb/load_balancer.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

// What a load balancer does whose clients make the connections that tries use. What a channel has to tell after
// a request came waits for the next turn of `on_deadline`, which is due at once: whatever a request leads to then
// never happens in the midst of another one.

namespace spillover {

void load_balancer::add_channels(std::uint32_t regions, std::uint64_t seed) {
  for (std::uint32_t i = 0; i < deciding_proxies(config_); ++i) {
    auto router =
      std::make_unique<grpc_router>(config_.grpc, regions, config_.unknown,
                                    random_stream{seed, "channel/" + std::to_string(i + 1)});
    auto& channel = *router;
    proxies_.push_back({std::move(router), std::nullopt, {}, &channel});
  }
}

bool load_balancer::waits_for_channel(std::uint16_t proxy, std::uint32_t region) const noexcept {
  return connects_
         && (keeper_->table.waiting(place_of(proxy, region)) > 0
             || !proxies_[proxy].grpc->channel().ready(region));
}

// Whether whoever waits at a place can go: there, or elsewhere.
bool load_balancer::may_leave_queue(std::uint32_t place) const noexcept {
  const auto regions = static_cast<std::uint32_t>(attempts_.size());
  const auto& proxy = proxies_[place / regions];
  const auto region = place % regions;
  if (connects_)
    return proxy.grpc->channel().ready(region) || !proxy.router->usable(region);
  return proxy.flows[region].requests < config_.circuit_breakers->max_connections;
}

bool load_balancer::on_connection(instant now, std::uint32_t key, std::uint64_t number,
                                  bool accepted, std::uint64_t peer, load_balancer_effects& out) {
  const auto proxy = key & slot_mask;
  const auto region = key >> slot_bits;
  // The key comes from outside.
  if (!connects_ || proxy >= proxies_.size() || region >= attempts_.size())
    return false;
  const auto known = proxies_[proxy].grpc->channel().on_answer(now, region, number, accepted, peer);
  follow_channels(now, out);
  return known;
}

void load_balancer::on_connection_lost(instant now, std::uint32_t region, std::uint64_t peer,
                                       bool in_order, load_balancer_effects& out) {
  if (!connects_)
    return;
  for (auto& x : proxies_)
    x.grpc->channel().on_lost(now, region, peer, in_order);
  follow_channels(now, out);
}

books load_balancer::connections(std::uint32_t region) const {
  books result;
  for (const auto& x : proxies_) {
    if (!x.grpc)
      continue;
    const auto& counted = x.grpc->channel().counted(region);
    result.taken += counted.taken;
    for (std::size_t how = 0; how < outcome_count; ++how)
      result.ended[how] += counted.ended[how];
  }
  return result;
}

void load_balancer::follow_channels(instant now, load_balancer_effects& out) {
  for (std::uint32_t proxy = 0; proxy < proxies_.size(); ++proxy) {
    auto& channel = proxies_[proxy].grpc->channel();
    channel.on_time(now);
    if (channel.has_news())
      follow_channel(now, proxy, out);
  }
  note_channels();
  use_connections(now, out);
}

void load_balancer::follow_channel(instant now, std::uint32_t proxy, load_balancer_effects& out) {
  auto& router = *proxies_[proxy].grpc;
  auto& channel = router.channel();
  for (const auto& x : channel.calls())
    out.call(key_of(proxy, x.region), x);
  told_.assign(channel.changes().begin(), channel.changes().end());
  channel.clear_news();
  router.follow();
  update_route(now);
  const auto regions = static_cast<std::uint32_t>(attempts_.size());
  for (const auto& x : told_)
    out.connection_changed(proxy, x);
  for (const auto& x : told_)
    if (x.before == connectivity::ready && x.reason == connection_reason::keepalive)
      cut_off(now, place_of(proxy, x.region), out);
  for (std::uint32_t region = 0; region < regions; ++region)
    if (keeper_->table.waiting(place_of(proxy, region)) > 0)
      keeper_->table.freed().push_back(place_of(proxy, region));
}

// What is not told yet is due at once.
void load_balancer::note_channels() noexcept {
  next_channel_ = never;
  for (const auto& x : proxies_) {
    const auto& channel = x.grpc->channel();
    next_channel_ = std::min(next_channel_, channel.has_news() ? run_start : channel.next());
  }
}

} // namespace spillover
