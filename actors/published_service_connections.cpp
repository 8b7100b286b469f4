#include "actors/published_service_shell.hpp"

namespace spillover {

// Connections that clients make to the region (B-87). Requests over them are spread over its instances as any are.

void published_service_shell::on_connection(const record& x) {
  if (x.what == op::connect)
    take_call(x);
  else if (x.attempt == static_cast<std::uint16_t>(connection_step::lost))
    tell_lost(x);
  else
    answer_call(x);
}

void published_service_shell::take_call(const record& x) {
  auto& from = consumer_at(x.reply_to);
  from.calls.take();
  const auto ping = x.attempt == static_cast<std::uint16_t>(connection_step::ping);
  // One that the address itself took, while there was no instance.
  if (ping && x.sent == 0) {
    answer_call(x);
    return;
  }
  record next = x;
  next.attempt =
    static_cast<std::uint16_t>(ping ? connection_step::ping : connection_step::attempt);
  if (from.tagged != nobody) {
    next.to = from.tagged;
  } else {
    const auto place = ping ? static_cast<std::size_t>(x.sent >> 32) : call_turn_++;
    next.to = setup_.backends[place % setup_.backends.size()].revision;
  }
  events().post(next);
}

void published_service_shell::answer_call(const record& x) {
  auto& from = consumer_at(x.reply_to);
  record next = x;
  next.what = op::connected;
  if (x.sent == 0)
    next.status = setup_.answers_from_zero ? outcome::ok : outcome::unavailable;
  from.calls.end(next.status);
  // A silent instance says nothing.
  if (next.status == outcome::lost)
    return;
  next.reply_to = id();
  from.answers.send(events(), next);
}

void published_service_shell::tell_lost(const record& x) {
  record next = x;
  next.reply_to = id();
  for (auto& to : consumers_) {
    if (!to.makes_connections)
      continue;
    // Told and gone: nobody answers it.
    to.ends.take();
    to.ends.end(outcome::ok);
    to.answers.send(events(), next);
  }
}

void published_service_shell::close_connections() {
  for (const auto& x : consumers_) {
    if (!x.makes_connections)
      continue;
    record_books("calls", x.name, x.calls);
    record_books("ends", x.name, x.ends);
  }
}

} // namespace spillover
