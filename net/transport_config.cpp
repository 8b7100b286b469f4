#include "net/transport.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <system_error>
#include <utility>

namespace spillover::net {

namespace {

constexpr std::string_view tcp = "tcp://";
constexpr std::string_view ipc = "ipc://";

bool is_host(std::string_view x) {
  const auto in_brackets = x.starts_with('[') && x.ends_with(']');
  if (in_brackets)
    x = x.substr(1, x.size() - 2);
  return !x.empty() && std::all_of(x.begin(), x.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.'
           || c == '-' || c == '_' || (in_brackets && (c == ':' || c == '%'));
  });
}

bool is_port(std::string_view x) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(x.data(), x.data() + x.size(), number);
  return error == std::errc{} && end == x.data() + x.size() && number >= 1 && number <= 65'535;
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
  if (sites.contains(std::string{operator_name}))
    problems.push_back("sites: none may be named " + std::string{operator_name});
  if (!sites.contains(x.site))
    problems.emplace_back("site: is not one of sites");
  if (!x.collector.empty() && !sites.contains(x.collector))
    problems.emplace_back("collector: is not one of sites");
  else if (!x.collector.empty() && x.collector != x.site && x.spill.empty())
    problems.emplace_back("spill: a site with a collector needs a spill file");
}

} // namespace

std::optional<std::string> check_address(std::string_view x) {
  // A Unix socket's path has that much room.
  constexpr std::size_t longest_path = 100;
  if (x.starts_with(ipc)) {
    const auto path = x.size() - ipc.size();
    return path == 0 || path > longest_path
             ? std::optional<std::string>{"a path of 1 to 100 characters must follow ipc://"}
             : std::nullopt;
  }
  if (!x.starts_with(tcp))
    return "is not of the form tcp://HOST:PORT or ipc://PATH";
  x.remove_prefix(tcp.size());
  const auto colon = x.rfind(':');
  if (colon == std::string_view::npos || !is_port(x.substr(colon + 1)))
    return "its port must be a number from 1 to 65535";
  if (colon > limits::name_bytes || !is_host(x.substr(0, colon)))
    return "its host is neither a name nor an address";
  return std::nullopt;
}

bool on_loopback(std::string_view x) {
  constexpr std::array<std::string_view, 5> local{
    "tcp://127.0.0.1:", "tcp://localhost:", "tcp://[::1]:", "ipc://", "inproc://"};
  return std::any_of(local.begin(), local.end(),
                     [&](std::string_view start) { return x.starts_with(start); });
}

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
