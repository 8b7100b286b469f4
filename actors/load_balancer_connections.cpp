#include "actors/load_balancer_shell.hpp"

#include <utility>

namespace spillover {

// The connections that a consumer's clients make, and what the log and the books say of them.

void load_balancer_shell::call(std::uint32_t key, const connection_call& x) {
  record r;
  r.what = op::connect;
  r.attempt = static_cast<std::uint16_t>(x.ping ? connection_step::ping : connection_step::attempt);
  r.request = x.number;
  r.sent = static_cast<std::int64_t>(x.peer);
  r.reply_to = id();
  r.arg = key;
  setup_.regions[x.region].service.send(events(), r);
}

void load_balancer_shell::on_connected(const record& x) {
  auto& from = neg_at(x.reply_to);
  ++from.told;
  const auto peer = static_cast<std::uint64_t>(x.sent);
  if (x.attempt == static_cast<std::uint16_t>(connection_step::lost))
    balancer_.on_connection_lost(now(), static_cast<std::uint32_t>(&from - negs_.data()), peer,
                                 x.status == outcome::ok, *this);
  else
    balancer_.on_connection(now(), x.arg, x.request, x.status == outcome::ok, peer, *this);
}

void load_balancer_shell::connection_changed(std::uint32_t proxy, const connection_change& x) {
  auto& before = connections_[proxy][x.region];
  auto& last = channels_[proxy];
  event_id cause;
  switch (x.reason) {
    case connection_reason::accepted:
    case connection_reason::refused:
    case connection_reason::timed_out:
    case connection_reason::failover_timeout: cause = before; break;
    // Of another priority, whose change it follows.
    case connection_reason::started: cause = last.second == now() ? last.first : event_id{}; break;
    case connection_reason::wanted:
    case connection_reason::reset:
    case connection_reason::closed:
    case connection_reason::keepalive:
    case connection_reason::unused:
    case connection_reason::idle_timeout: break;
  }
  const auto in_use =
    x.in_use == priority_channel::none ? std::string{} : setup_.regions[x.in_use].name;
  before = record_event(
    cause, spillover::connection_changed{proxy + 1, setup_.regions[x.region].name, x.before,
                                         x.after, x.reason, x.address, in_use});
  last = {before, now()};
  if (balancer_.route() != announced_)
    announce_route(before);
}

// What came and ended no call came too late, or was the end of a connection.
void load_balancer_shell::close_connections() {
  for (std::uint32_t i = 0; i < negs_.size(); ++i) {
    auto x = balancer_.connections(i);
    const auto answered = x.ended_total() - x.ended[static_cast<std::size_t>(outcome::lb_timeout)];
    x.late = negs_[i].told - answered;
    record_books("connections", setup_.regions[i].name, x);
  }
}

} // namespace spillover
