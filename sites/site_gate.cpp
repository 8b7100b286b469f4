#include "sites/site_gate.hpp"

#include "actors/messages.hpp"
#include "model/check.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

site_gate::site_gate(net::transport& wire, const scenario& spec, std::vector<std::string> sites)
  : wire_(wire), ledger_(spec, std::move(sites)), outgoing_(ledger_.sites().size()) {}

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
  switch (ledger_.ship(site, x)) {
    case peer_ledger::fate::sent: outgoing_[site].push_back({x, due}); break;
    case peer_ledger::fate::refused:
      world_->take(peer_ledger::refusal(x), due + (due - world_->now()));
      break;
    case peer_ledger::fate::dropped: break;
  }
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
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    auto& records = outgoing_[i];
    if (records.empty())
      continue;
    ledger_.not_taken(i, records.size() - wire_.send(i, records));
    records.clear();
  }
}

void site_gate::take(const net::inbox& x) {
  for (const auto& change : x.peers)
    ledger_.take(change);
  for (const auto& state : x.health)
    if (world_ != nullptr)
      take(state);
    else
      early_.push_back(state);
  // Without a world no record is accepted.
  std::size_t at = 0;
  for (const auto& batch : x.batches) {
    ledger_.arrived(batch.from, batch.count);
    for (const auto end = at + batch.count; at < end; ++at)
      world_->take(x.records[at].what, x.records[at].due);
  }
}

void site_gate::take(const net::health_arrival& x) {
  if (const auto told = ledger_.take(x))
    std::visit([this](const auto& state) { world_->take(state); }, *told);
}

} // namespace spillover
