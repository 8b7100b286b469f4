#include "net/transport.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace spillover::net {

namespace {

bool on_loopback(std::string_view x) {
  constexpr std::array<std::string_view, 5> local{
    "tcp://127.0.0.1:", "tcp://localhost:", "tcp://[::1]:", "ipc://", "inproc://"};
  return std::any_of(local.begin(), local.end(),
                     [&](std::string_view start) { return x.starts_with(start); });
}

void check_keys(const transport_config& x, std::vector<std::string>& problems) {
  if (!x.keys) {
    if (!x.insecure)
      problems.emplace_back("keys: missing; only with insecure does a site go without");
    for (const auto* at :
         {&x.listen.data, &x.listen.health, &x.listen.control, &x.listen.telemetry})
      if (!at->empty() && !on_loopback(*at))
        problems.push_back("listen: " + *at
                           + ": without keys only the loopback interface is allowed");
    return;
  }
  for (const auto& site : x.sites)
    if (std::none_of(x.keys->authorised.begin(), x.keys->authorised.end(),
                     [&](const authorised_site& a) { return a.site == site; }))
      problems.push_back("keys: none for " + site);
}

void check_sites(const transport_config& x, std::vector<std::string>& problems) {
  const std::set<std::string> sites{x.sites.begin(), x.sites.end()};
  if (sites.size() != x.sites.size())
    problems.emplace_back("sites: a name stands there twice");
  for (const auto& site : sites)
    if (site.empty() || site.size() > limits::name_bytes)
      problems.emplace_back("sites: a name is empty or too long");
  if (!sites.contains(x.site))
    problems.emplace_back("site: is not one of sites");
  if (!x.collector.empty() && !sites.contains(x.collector))
    problems.emplace_back("collector: is not one of sites");
  else if (!x.collector.empty() && x.collector != x.site && x.spill.empty())
    problems.emplace_back("spill: a site with a collector needs a spill file");
}

} // namespace

endpoints any_loopback() {
  const std::string any = "tcp://127.0.0.1:*";
  return {any, any, any, any};
}

std::vector<std::string> validate(const transport_config& x) {
  std::vector<std::string> problems;
  check_sites(x, problems);
  check_keys(x, problems);
  if (x.incarnation == 0)
    problems.emplace_back("incarnation: must be above zero");
  const std::array<std::pair<const char*, span_of_time>, 8> spans{
    {{"heartbeat", x.heartbeat},
     {"lost_after", x.lost_after},
     {"reconnect", x.reconnect},
     {"reconnect_most", x.reconnect_most},
     {"handshake", x.handshake},
     {"health_repeat", x.health_repeat},
     {"command_retry", x.command_retry},
     {"telemetry_again", x.telemetry_again}}};
  for (const auto& [name, value] : spans)
    if (value < std::chrono::milliseconds{1} || value > std::chrono::hours{1})
      problems.push_back(std::string{name} + ": must lie within 1ms and 1h");
  if (x.lost_after < 2 * x.heartbeat)
    problems.emplace_back("lost_after: must be at least two heartbeats");
  if (x.command_give_up < span_of_time::zero())
    problems.emplace_back("command_give_up: must not be negative");
  if (x.queue_records == 0 || x.queue_messages == 0 || x.open_commands == 0 || x.socket_frames < 1)
    problems.emplace_back(
      "queue_records, queue_messages, open_commands, socket_frames: must be above zero");
  if (x.inbox_records < limits::batch_records || x.inbox_messages == 0)
    problems.emplace_back("inbox_records, inbox_messages: must hold a batch");
  return problems;
}

} // namespace spillover::net
