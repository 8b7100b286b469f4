#include "scenario/names.hpp"
#include "scenario/read.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace spillover {

namespace {

/// A key of a target, and what it is a target of.
struct target_key {
  const char* key;
  balancing_mode mode;
  bool per_endpoint;
};

constexpr std::array<target_key, 5> target_keys{{
  {"max_rate_per_endpoint", balancing_mode::rate, true},
  {"max_rate", balancing_mode::rate, false},
  {"max_connections_per_endpoint", balancing_mode::connection, true},
  {"max_connections", balancing_mode::connection, false},
  {"max_utilization", balancing_mode::utilization, true},
}};

std::uint64_t in_thousandths(double x) {
  return static_cast<std::uint64_t>(std::llround(x * 1000));
}

std::string name_of_mode(balancing_mode x) {
  return std::string{name_of(x, balancing_modes)};
}

/// Reads the target that a section has, if it has one.
void read_target(const section& from, balancing_mode mode, region_capacity& into) {
  const char* before = nullptr;
  for (const auto& [key, of, per_endpoint] : target_keys) {
    if (!from.has(key))
      continue;
    if (of != mode) {
      from.fail(key, "has no meaning with balancing_mode " + name_of_mode(mode) + "; only "
                       + name_of_mode(of) + " has it");
      continue;
    }
    if (before != nullptr)
      from.fail(key, std::string{"must not stand beside "} + before + ": a backend has one target");
    before = key;
    double target = 0;
    from.read(key, target);
    into.target_milli = in_thousandths(target);
    into.per_endpoint = per_endpoint;
  }
}

void read_region(const section& from, balancing_mode mode, region_capacity& into) {
  read_target(from, mode, into);
  double scaler = 1;
  from.read("capacity_scaler", scaler);
  if (scaler > 0 && scaler < 0.1)
    from.fail("capacity_scaler", "must be 0, which drains, or from 0.1 to 1");
  into.scaler_milli = static_cast<std::uint32_t>(in_thousandths(scaler));
  if (const auto* x = from.find("preference"))
    into.preferred = x->text == "preferred";
}

void read_regions(const section& from, const std::vector<std::string>& regions,
                  capacity_config& into) {
  region_capacity usual;
  if (into.mode == balancing_mode::utilization)
    usual.target_milli = capacity_config::usual_utilization;
  read_target(from, into.mode, usual);
  into.regions.assign(regions.size(), usual);
  auto whole = from.clean();
  for (const auto& x : from.entries("backends")) {
    const auto place = x.value.bad ? std::nullopt : place_of(from, x.key, x.key_at, regions);
    whole = whole && place;
    if (place)
      read_region({from.problems(), &x.value, x.value.at}, into.mode, into.regions[*place]);
  }
  const auto all_drained = std::all_of(into.regions.begin(), into.regions.end(),
                                       [](const auto& x) { return x.scaler_milli == 0; });
  if (whole && all_drained)
    from.fail("backends", "capacity_scaler must not be 0 for every region: nobody would be left");
  const auto* per = into.mode == balancing_mode::rate ? "max_rate" : "max_connections";
  for (std::size_t i = 0; i < regions.size() && whole; ++i)
    if (into.regions[i].target_milli == 0)
      from.fail("the backends of " + regions[i] + " have no target: balancing_mode "
                + name_of_mode(into.mode) + " needs " + per + "_per_endpoint or " + per
                + ", here or below backends");
}

/// A utilization is told by instance groups only; connections are counted where nobody sees requests.
void check_mode(const section& from, const scenario_draft& draft, const consumer_spec& of,
                balancing_mode mode) {
  const auto kind = of.load_balancer.kind;
  const auto proxy_network = kind == load_balancer_kind::internal_proxy_network;
  if (mode == (proxy_network ? balancing_mode::rate : balancing_mode::connection))
    from.fail("balancing_mode",
              name_of_mode(mode) + " has no meaning with kind "
                + std::string{name_of(kind, load_balancer_kinds)} + ", which "
                + (proxy_network ? "sees connections, not requests" : "balances requests")
                + "; allowed: " + (proxy_network ? "connection" : "rate") + ", utilization");
  if (mode != balancing_mode::utilization)
    return;
  for (const auto& published : draft.result.published_services)
    for (const auto& backend : published.backend_services)
      if (published.service == of.service && contains(of.regions, published.region)
          && backend.backends == backend_kind::network_endpoint_group) {
        from.fail("balancing_mode", "utilization needs instance groups, and " + published.path()
                                      + "/" + backend.name + " is a network_endpoint_group");
        return;
      }
}

} // namespace

void read_capacity(const section& from, const scenario_draft& draft, consumer_spec& into) {
  auto& config = into.load_balancer;
  if (!from.has("distribution"))
    return;
  if (config.kind == load_balancer_kind::dns || config.kind == load_balancer_kind::envoy
      || makes_connections(config)) {
    from.fail("distribution", "has no meaning with kind "
                                + std::string{name_of(config.kind, load_balancer_kinds)}
                                + ", which does not distribute by capacity");
    return;
  }
  const auto own = from.at("distribution");
  auto& result = config.distribution.emplace();
  if (config.kind == load_balancer_kind::internal_proxy_network)
    result.mode = balancing_mode::connection;
  read_name(own, "balancing_mode", balancing_modes, result.mode);
  check_mode(own, draft, into, result.mode);
  read_name(own, "algorithm", distribution_algorithms, result.algorithm);
  read_name(own, "groups", group_extents, result.groups);
  if (own.fine({"algorithm", "groups"}) && result.groups == group_extent::regional
      && result.algorithm == distribution_algorithm::waterfall_by_zone)
    own.fail("groups", "waterfall_by_zone fills zone by zone, and needs backends that are zonal");
  own.read("auto_capacity_drain", result.auto_capacity_drain);
  own.read("failover_health_threshold", result.failover_health_threshold);
  read_name(own, "isolation", isolation_modes, result.isolation);
  own.read("measured_over", result.measured_over);
  own.read("recomputed_every", result.recomputed_every);
  if (own.fine({"measured_over", "recomputed_every"})
      && result.recomputed_every > result.measured_over)
    own.fail("recomputed_every",
             "must be at most measured_over (" + to_string(result.measured_over) + "); got "
               + to_string(result.recomputed_every),
             "measured_over");
  read_regions(own, into.regions, result);
}

} // namespace spillover
