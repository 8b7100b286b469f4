#include "actors/revision_shell.hpp"

// The far end of connections that clients make (B-87): instances, as they would answer a probe that only
// connects.

namespace spillover {

std::int64_t revision_shell::peer_of(std::size_t place) const noexcept {
  return (std::int64_t{setup_.place} << 32) + static_cast<std::int64_t>(place) + 1;
}

void revision_shell::on_connect(const record& x) {
  const auto ping = x.attempt == static_cast<std::uint16_t>(connection_step::ping);
  const auto count = processes_.size();
  auto place = ping ? static_cast<std::size_t>((x.sent & 0xffffffff) - 1) : count;
  // The next one that is an endpoint, whether its process runs or not.
  for (std::size_t i = 0; !ping && place == count && i < count; ++i)
    if (const auto next = connect_turn_++ % count; processes_[next].endpoint)
      place = next;
  record answer = x;
  if (place < count && processes_[place].who) {
    const auto& p = processes_[place];
    answer.to = members_[p.revision].entity_of(p.index);
    answer.sent = peer_of(place);
  } else {
    answer.to = setup_.service_id;
    answer.what = op::connected;
    answer.status = outcome::unavailable;
    answer.sent = place < count ? peer_of(place) : 0;
  }
  events().post(answer);
}

void revision_shell::on_connected(const record& x) {
  record answer = x;
  answer.to = setup_.service_id;
  events().post(answer);
}

void revision_shell::tell_lost(std::size_t place, bool in_order) {
  if (!setup_.tells_lost)
    return;
  record x;
  x.to = setup_.service_id;
  x.what = op::connected;
  x.attempt = static_cast<std::uint16_t>(connection_step::lost);
  x.status = in_order ? outcome::ok : outcome::bad_gateway;
  x.sent = peer_of(place);
  events().post(x);
}

} // namespace spillover
