#include "report/why_connection.hpp"

#include <string>
#include <utility>

namespace spillover {

namespace {

std::string reason_text(const connection_changed& x) {
  switch (x.reason) {
    case connection_reason::started: return "the priority is tried";
    case connection_reason::wanted: return "a request wants the connection";
    case connection_reason::accepted: return "the attempt was accepted";
    case connection_reason::refused: return "the attempt was refused";
    case connection_reason::timed_out: return "the attempt had no answer in its time";
    case connection_reason::reset: return "the process at the other end broke down";
    case connection_reason::closed: return "the process at the other end was stopped";
    case connection_reason::keepalive: return "a keepalive ping had no answer";
    case connection_reason::failover_timeout:
      return "its failover timer is over; the next priority is tried as well";
    case connection_reason::unused: return "nobody used the priority for 15 minutes";
    case connection_reason::idle_timeout: return "nobody used the channel for its idle timeout";
  }
  return "?";
}

} // namespace

event_words words_of_connection(const event& of, const connection_changed& x) {
  const std::string after{to_string(x.after)};
  auto what = of.entity + ", channel " + std::to_string(x.proxy) + ", to " + x.region;
  if (x.before == x.after)
    what += " is still " + after;
  else
    what.append(" turns ").append(after).append(", ").append(to_string(x.before)).append(" before");
  auto why = reason_text(x);
  if (x.address > 0 && x.after != connectivity::idle)
    why += "; address " + std::to_string(x.address);
  return {std::move(what),
          {std::move(why), x.in_use.empty() ? "no region is in use" : "in use is " + x.in_use}};
}

} // namespace spillover
