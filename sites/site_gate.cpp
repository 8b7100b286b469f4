#include "sites/site_gate.hpp"

#include "actors/messages.hpp"
#include "model/check.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

site_gate::site_gate(net::transport& wire, const scenario& spec, std::vector<std::string> sites)
  : wire_(wire), sites_(std::move(sites)), peers_(sites_.size()) {
  for (const auto& x : spec.published_services)
    if (x.composite_health)
      for (std::size_t i = 0; i < sites_.size(); ++i)
        if (sites_[i] == x.region)
          peers_[i].tells = true;
}

void site_gate::attach(world& x) {
  world_ = &x;
  for (const auto& state : std::exchange(early_, {}))
    take(state);
}

std::set<std::uint16_t> site_gate::spoken_with(const scenario& spec,
                                               const std::vector<std::string>& sites,
                                               const std::string& site) {
  std::set<std::uint16_t> result;
  for (const auto& consumer : spec.consumers)
    for (const auto& region : consumer.regions)
      for (std::uint16_t i = 0; i < sites.size(); ++i)
        if ((consumer.name == site && sites[i] == region)
            || (region == site && sites[i] == consumer.name))
          result.insert(i);
  return result;
}

void site_gate::ship(std::uint16_t site, const record& x, instant due) {
  auto& to = peers_[site];
  ++to.taken;
  if (to.gone || to.awaited) {
    refuse(to, x, due);
    return;
  }
  if (!to.connected) {
    ++to.dropped;
    return;
  }
  to.outgoing.push_back({x, due});
}

void site_gate::refuse(peer& to, const record& x, instant due) {
  if (x.what != op::request) {
    ++to.dropped;
    return;
  }
  ++to.refused;
  auto answer = x;
  answer.to = x.reply_to;
  answer.reply_to = x.to;
  answer.what = op::response;
  answer.status = outcome::unavailable;
  world_->take(answer, due + (due - world_->now()));
}

namespace {

net::health_state state_of(const service_health& x) {
  net::health_state result;
  result.resource = x.region;
  result.region = x.region;
  result.state = x.state;
  result.incarnation = x.incarnation;
  result.generation = x.generation;
  result.cause = x.cause;
  result.stamp = x.stamp;
  return result;
}

net::health_state state_of(const service_endpoints& x) {
  net::health_state result;
  result.kind = net::resource_kind::endpoints;
  result.resource = x.region;
  result.region = x.region;
  result.endpoints = x.view;
  result.incarnation = x.incarnation;
  result.generation = x.generation;
  result.cause = x.cause;
  result.stamp = x.stamp;
  return result;
}

} // namespace

void site_gate::tell(std::uint16_t site, const service_health& x) {
  wire_.publish(site, state_of(x));
}

void site_gate::tell(std::uint16_t site, const service_endpoints& x) {
  wire_.publish(site, state_of(x));
}

void site_gate::flush() {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    auto& to = peers_[i];
    if (to.outgoing.empty())
      continue;
    const auto sent = wire_.send(i, to.outgoing);
    to.dropped += to.outgoing.size() - sent;
    to.outgoing.clear();
  }
}

void site_gate::take(const net::inbox& x) {
  for (const auto& change : x.peers)
    take(change);
  for (const auto& state : x.health)
    if (world_ != nullptr)
      take(state);
    else
      early_.push_back(state);
  // Without a world no record is accepted.
  std::size_t at = 0;
  for (const auto& batch : x.batches) {
    peers_[batch.from].received += batch.count;
    for (const auto end = at + batch.count; at < end; ++at)
      world_->take(x.records[at].what, x.records[at].due);
  }
}

void site_gate::take(const net::peer_change& x) {
  auto& p = peers_[x.peer];
  switch (x.step) {
    case net::peer_step::back: p.silent = false; break;
    case net::peer_step::lost: p.silent = true; break;
    case net::peer_step::restarted: p.awaited = p.tells; break;
    case net::peer_step::connected:
      p.connected = true;
      p.gone = false;
      break;
    case net::peer_step::disconnected:
      p.gone = p.connected && !p.silent;
      p.connected = false;
      break;
  }
}

void site_gate::take(const net::health_arrival& x) {
  // A site speaks for itself alone.
  if (x.state.region != sites_[x.from])
    return;
  const auto cause = x.state.cause.site == x.from ? x.state.cause : event_id{};
  if (x.state.kind == net::resource_kind::endpoints) {
    world_->take(service_endpoints{x.state.region, x.state.endpoints, x.state.incarnation,
                                   x.state.generation, cause, x.state.stamp});
    return;
  }
  if (x.state.state == health::healthy)
    peers_[x.from].awaited = false;
  world_->take(service_health{x.state.region, x.state.state, x.state.incarnation,
                              x.state.generation, cause, x.state.stamp});
}

books_closed site_gate::books(std::uint16_t site) const {
  const auto& p = peers_[site];
  books_closed result;
  result.account = "wire";
  result.counterpart = sites_[site];
  result.taken = p.taken;
  result.ended[static_cast<std::size_t>(outcome::unavailable)] = p.refused;
  result.ended[static_cast<std::size_t>(outcome::lost)] = p.dropped;
  result.in_flight = p.taken - p.refused - p.dropped;
  result.late = p.received;
  return result;
}

} // namespace spillover
