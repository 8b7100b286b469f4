#include "sites/peer_ledger.hpp"

#include <utility>

namespace spillover {

peer_ledger::peer_ledger(const scenario& spec, std::vector<std::string> sites)
  : sites_(std::move(sites)), peers_(sites_.size()) {
  for (const auto& x : spec.published_services)
    if (x.composite_health)
      for (std::size_t i = 0; i < sites_.size(); ++i)
        if (sites_[i] == x.region)
          peers_[i].tells = true;
}

peer_ledger::fate peer_ledger::ship(std::size_t site, const record& x) {
  auto& to = peers_[site];
  ++to.taken;
  const auto asks = x.what == op::request || x.what == op::connect;
  if ((to.gone || to.awaited) && asks) {
    ++to.refused;
    return fate::refused;
  }
  if (to.gone || to.awaited || !to.connected) {
    ++to.dropped;
    return fate::dropped;
  }
  return fate::sent;
}

record peer_ledger::refusal(const record& request) {
  auto result = request;
  result.to = request.reply_to;
  result.reply_to = request.to;
  result.what = request.what == op::connect ? op::connected : op::response;
  result.status = outcome::unavailable;
  return result;
}

void peer_ledger::take(const net::peer_change& x) {
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
      p.gone = p.gone || (p.connected && !p.silent);
      p.connected = false;
      break;
  }
}

std::optional<peer_ledger::state> peer_ledger::take(const net::health_arrival& x) {
  const auto& told = x.state;
  if (told.region != sites_[x.from])
    return std::nullopt;
  // Of an event that it has no say about it cannot know.
  const auto cause = told.cause.site == x.from ? told.cause : event_id{};
  if (told.kind == net::resource_kind::endpoints)
    return service_endpoints{told.region,     told.endpoints, told.incarnation,
                             told.generation, cause,          told.stamp};
  if (told.state == health::healthy)
    peers_[x.from].awaited = false;
  return service_health{told.region,     told.state, told.incarnation,
                        told.generation, cause,      told.stamp};
}

books_closed peer_ledger::books(std::size_t site) const {
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
