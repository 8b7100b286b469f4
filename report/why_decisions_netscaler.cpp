#include "report/format.hpp"
#include "report/why_decisions.hpp"

#include <array>

namespace spillover {

namespace {

std::string span_text(std::int64_t nanoseconds) {
  return exact_text(duration{nanoseconds});
}

/// @returns e.g. "node 7"; "a node that has not come yet" when none is named.
std::string node_text(const decision_inputs& x) {
  const auto node = x.find("node");
  return node ? "node " + std::to_string(*node) : "a node that has not come yet";
}

/// @returns e.g. "MEMORY 90 above max 85 for 180 s", "MEMORY 60 within 40 to 85".
std::string statistic_text(const decision_inputs& x, std::string_view name,
                           const std::string& key) {
  const auto value = x.get(key + "_milli");
  const auto least = milli_text(x.get(key + "_min_milli"));
  const auto most = milli_text(x.get(key + "_max_milli"));
  auto result = std::string{name} + " " + milli_text(value);
  if (value > x.get(key + "_max_milli"))
    return result + " above max " + most + " for " + span_text(x.get(key + "_above_ns"));
  if (value < x.get(key + "_min_milli"))
    return result + " below min " + least;
  return result + " within " + least + " to " + most;
}

/// @returns which statistics led to an action, and how long they had to.
std::vector<std::string> breach_words(const decision_inputs& x, bool out) {
  constexpr std::array<std::pair<std::string_view, const char*>, 3> known{
    {{"CPU", "cpu"}, {"MEMORY", "memory"}, {"THROUGHPUT", "throughput"}}};
  std::string statistics;
  for (const auto& [name, key] : known)
    if (x.find(std::string{key} + "_milli"))
      statistics.append(statistics.empty() ? "" : "; ").append(statistic_text(x, name, key));
  auto watched = std::string{out ? "" : "all below for " + span_text(x.get("below_ns")) + "; "};
  watched += "watch time " + span_text(x.get("watch_time_ns"))
             + (x.is_set("watch_at_least") ? ", to be reached; " : ", to be exceeded; ");
  watched += x.is_set("highest_node") ? "highest of " : "mean of ";
  watched += counted(static_cast<std::uint64_t>(x.get("reporting")), "node");
  if (x.get("reporting") != x.get("nodes"))
    watched += ", " + std::to_string(x.get("nodes") - x.get("reporting")) + " more tell nothing";
  watched +=
    "; min " + std::to_string(x.get("min_nodes")) + ", max " + std::to_string(x.get("max_nodes"));
  return {std::move(statistics), std::move(watched)};
}

std::vector<std::string> decision_words(const decision_inputs& x) {
  const auto provisioning = x.find("provisioning_time_ns");
  auto result = breach_words(x, provisioning.has_value());
  if (provisioning)
    result.push_back("a node is provisioned, which takes " + span_text(*provisioning)
                     + "; after it a cooldown of " + span_text(x.get("cooldown_ns")));
  else
    result.push_back(
      node_text(x)
      + (x.find("node_connections")
           ? " with " + counted(static_cast<std::uint64_t>(x.get("node_connections")), "connection")
           : "")
      + " is taken out: it is to get no new connection");
  return result;
}

std::string drain_text(const decision_inputs& x) {
  auto result = node_text(x) + " gets no new connection any more";
  if (const auto dns = x.find("dns_ttl_ns"))
    result += ": the time to live of " + span_text(*dns) + " is over";
  else if (x.is_set("update_time_ns"))
    result += ": the load balancer needed " + span_text(x.get("update_time_ns"));
  return result + "; those it has may last for " + span_text(x.get("drain_connection_timeout_ns"));
}

std::string deprovision_text(const decision_inputs& x) {
  const auto drained = x.get("drained_ns");
  const auto most = x.get("drain_connection_timeout_ns");
  if (drained < most)
    return node_text(x) + " has no connection left after " + span_text(drained) + " of at most "
           + span_text(most) + ": it leaves the cluster";
  return "the " + span_text(most) + " for connections of " + node_text(x)
         + " are over: it leaves the cluster";
}

} // namespace

bool is_later_step(const scaling_decided& x) {
  const decision_inputs inputs{x};
  return x.policy == "netscaler_adm" && !inputs.find("watch_time_ns");
}

std::vector<std::string> netscaler_words(const scaling_decided& d) {
  const decision_inputs x{d};
  const auto since = span_text(x.get("action_ns")) + " after the decision";
  if (x.find("watch_time_ns"))
    return decision_words(x);
  if (d.driver == "JOINED")
    return {"the node has come, " + since};
  if (d.driver == "ADDED")
    return {"connections are led to the node, " + since,
            "the cooldown of " + span_text(x.get("cooldown_ns")) + " begins"};
  if (d.driver == "DRAIN")
    return {drain_text(x)};
  if (d.driver == "DEPROVISION")
    return {deprovision_text(x)};
  if (d.driver == "REMOVED")
    return {node_text(x) + " is gone, " + since + "; limits are watched anew"};
  return {};
}

} // namespace spillover
