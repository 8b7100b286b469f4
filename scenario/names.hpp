#pragma once

#include "consumers/client.hpp"
#include "lb/load_balancer_config.hpp"
#include "model/fault.hpp"
#include "producers/autoscaling/config.hpp"
#include "scenario/scenario.hpp"
#include "scenario/section.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace spillover {

/// The names that the values of an enumeration have in a scenario file.
template <class Enum, std::size_t N>
using name_table = std::array<std::pair<std::string_view, Enum>, N>;

inline constexpr name_table<backend_kind, 2> backend_kinds{{
  {"instance_group", backend_kind::instance_group},
  {"network_endpoint_group", backend_kind::network_endpoint_group},
}};

inline constexpr name_table<billing::mode, 2> billing_modes{{
  {"request_based", billing::mode::request_based},
  {"instance_based", billing::mode::instance_based},
}};

inline constexpr name_table<billing::rounding, 2> billing_roundings{{
  {"interval", billing::rounding::interval},
  {"total", billing::rounding::total},
}};

inline constexpr name_table<cloud_run_variant, 3> cloud_run_variants{{
  {"tolerance10", cloud_run_variant::tolerance10},
  {"trigger90", cloud_run_variant::trigger90},
  {"one_minute", cloud_run_variant::one_minute},
}};

inline constexpr name_table<spread, 3> spreads{{
  {"round_robin", spread::round_robin},
  {"random", spread::random},
  {"two_random", spread::two_random},
}};

inline constexpr name_table<hpa::generation, 2> hpa_generations{{
  {"newer", hpa::generation::newer},
  {"older", hpa::generation::older},
}};

inline constexpr name_table<hpa::metric_source, 4> hpa_sources{{
  {"resource", hpa::metric_source::resource},
  {"pods", hpa::metric_source::pods},
  {"object", hpa::metric_source::object},
  {"external", hpa::metric_source::external},
}};

inline constexpr name_table<hpa::target_type, 3> hpa_targets{{
  {"average_utilization", hpa::target_type::utilization},
  {"average_value", hpa::target_type::average_value},
  {"value", hpa::target_type::value},
}};

inline constexpr name_table<hpa::policy_type, 2> hpa_policies{{
  {"pods", hpa::policy_type::pods},
  {"percent", hpa::policy_type::percent},
}};

inline constexpr name_table<hpa::select_policy, 3> hpa_selections{{
  {"max", hpa::select_policy::max},
  {"min", hpa::select_policy::min},
  {"disabled", hpa::select_policy::disabled},
}};

inline constexpr name_table<netscaler::cluster_statistic, 2> netscaler_statistics{{
  {"mean", netscaler::cluster_statistic::mean},
  {"highest_node", netscaler::cluster_statistic::highest_node},
}};

inline constexpr name_table<netscaler::watch_rule, 2> netscaler_watches{{
  {"longer", netscaler::watch_rule::longer},
  {"at_least", netscaler::watch_rule::at_least},
}};

inline constexpr name_table<netscaler::traffic_distribution, 2> netscaler_distributions{{
  {"network_load_balancer", netscaler::traffic_distribution::network_load_balancer},
  {"dns", netscaler::traffic_distribution::dns},
}};

inline constexpr name_table<load_balancer_kind, 6> load_balancer_kinds{{
  {"global_external_application", load_balancer_kind::global_external_application},
  {"cross_region_internal_application", load_balancer_kind::cross_region_internal_application},
  {"internal_proxy_network", load_balancer_kind::internal_proxy_network},
  {"dns", load_balancer_kind::dns},
  {"envoy", load_balancer_kind::envoy},
  {"grpc", load_balancer_kind::grpc},
}};

inline constexpr name_table<timer_restart, 3> timer_restarts{{
  {"never", timer_restart::off},
  {"when_over", timer_restart::when_over},
  {"always", timer_restart::always},
}};

inline constexpr name_table<host_policy, 4> host_policies{{
  {"round_robin", host_policy::round_robin},
  {"least_request", host_policy::least_request},
  {"random", host_policy::random},
  {"ring_hash", host_policy::ring_hash},
}};

inline constexpr name_table<upstream_protocol, 2> upstream_protocols{{
  {"http1", upstream_protocol::http1},
  {"http2", upstream_protocol::http2},
}};

inline constexpr name_table<dns_answer, 2> dns_answers{{
  {"failover", dns_answer::failover},
  {"all", dns_answer::all},
}};

inline constexpr name_table<balancing_mode, 3> balancing_modes{{
  {"rate", balancing_mode::rate},
  {"connection", balancing_mode::connection},
  {"utilization", balancing_mode::utilization},
}};

inline constexpr name_table<distribution_algorithm, 3> distribution_algorithms{{
  {"waterfall_by_region", distribution_algorithm::waterfall_by_region},
  {"waterfall_by_zone", distribution_algorithm::waterfall_by_zone},
  {"spray_to_region", distribution_algorithm::spray_to_region},
}};

inline constexpr name_table<group_extent, 2> group_extents{{
  {"zonal", group_extent::zonal},
  {"regional", group_extent::regional},
}};

inline constexpr name_table<std::optional<isolation_mode>, 3> isolation_modes{{
  {"none", std::nullopt},
  {"nearest", isolation_mode::nearest},
  {"strict", isolation_mode::strict},
}};

inline constexpr name_table<unknown_policy, 3> unknown_policies{{
  {"as_healthy", unknown_policy::as_healthy},
  {"as_unhealthy", unknown_policy::as_unhealthy},
  {"last_known", unknown_policy::last_known},
}};

inline constexpr name_table<arrival_process, 2> arrival_processes{{
  {"poisson", arrival_process::poisson},
  {"uniform", arrival_process::uniform},
}};

inline constexpr name_table<trace_format, 7> trace_formats{{
  {"counts", trace_format::counts},
  {"times", trace_format::times},
  {"azure_functions_2019", trace_format::azure_functions_2019},
  {"hey_csv", trace_format::hey_csv},
  {"vegeta_json", trace_format::vegeta_json},
  {"vegeta_csv", trace_format::vegeta_csv},
  {"k6_csv", trace_format::k6_csv},
}};

inline constexpr name_table<producer_balancer, 3> producer_balancers{{
  {"internal_passthrough_network", producer_balancer::internal_passthrough_network},
  {"regional_internal_application", producer_balancer::regional_internal_application},
  {"regional_internal_proxy_network", producer_balancer::regional_internal_proxy_network},
}};

inline constexpr name_table<probe_protocol, 5> probe_protocols{{
  {"http", probe_protocol::http},
  {"https", probe_protocol::https},
  {"http2", probe_protocol::http2},
  {"grpc", probe_protocol::grpc},
  {"tcp", probe_protocol::tcp},
}};

inline constexpr name_table<startup_probe_kind, 2> startup_probe_kinds{{
  {"tcp", startup_probe_kind::tcp},
  {"custom", startup_probe_kind::custom},
}};

inline constexpr name_table<ailment, 9> ailments{{
  {"crashed", ailment::crashed},
  {"silent", ailment::silent},
  {"hung", ailment::hung},
  {"failing", ailment::failing},
  {"slow", ailment::slow},
  {"waiting", ailment::waiting},
  {"leaking", ailment::leaking},
  {"unstartable", ailment::unstartable},
  {"slow_starting", ailment::slow_starting},
}};

inline constexpr name_table<ailment, 2> zone_ailments{{
  {"silent", ailment::silent},
  {"crashed", ailment::crashed},
}};

/// A lost region is silent, and nobody reaches it.
inline constexpr name_table<ailment, 2> region_ailments{{
  {"lost", ailment::silent},
  {"crashed", ailment::crashed},
}};

inline constexpr name_table<affected_part, 3> affected_parts{{
  {"both", affected_part::both},
  {"requests", affected_part::requests},
  {"probes", affected_part::probes},
}};

inline constexpr name_table<link_ailment, 7> link_ailments{{
  {"cut", link_ailment::cut},
  {"delayed", link_ailment::delayed},
  {"jittery", link_ailment::jittery},
  {"lossy", link_ailment::lossy},
  {"duplicating", link_ailment::duplicating},
  {"reordering", link_ailment::reordering},
  {"limited", link_ailment::limited},
}};

inline constexpr name_table<prober_ailment, 2> prober_ailments{{
  {"lost", prober_ailment::lost},
  {"cut_off", prober_ailment::cut_off},
}};

inline constexpr name_table<failover_clock, 5> failover_clocks{{
  {"detect", failover_clock::detect},
  {"aggregate", failover_clock::aggregate},
  {"propagate", failover_clock::propagate},
  {"route", failover_clock::route},
  {"capacity", failover_clock::capacity},
}};

inline constexpr name_table<outcome, outcome_count> outcomes{{
  {"ok", outcome::ok},
  {"too_many_requests", outcome::too_many_requests},
  {"internal_error", outcome::internal_error},
  {"bad_gateway", outcome::bad_gateway},
  {"unavailable", outcome::unavailable},
  {"gateway_timeout", outcome::gateway_timeout},
  {"lb_timeout", outcome::lb_timeout},
  {"client_timeout", outcome::client_timeout},
  {"lost", outcome::lost},
}};

/// @returns the value of that name; the schema allows only names of the table.
template <class Enum, std::size_t N>
void read_name(const yaml_node& x, const name_table<Enum, N>& table, Enum& into) {
  for (const auto& [name, value] : table)
    if (name == x.text)
      into = value;
}

/// Reads the value of `key` by its name.
template <class Enum, std::size_t N>
void read_name(const section& from, std::string_view key, const name_table<Enum, N>& table,
               Enum& into) {
  if (const auto* x = from.find(key))
    read_name(*x, table, into);
}

/// @returns the name of a value.
template <class Enum, std::size_t N>
std::string_view name_of(Enum x, const name_table<Enum, N>& table) {
  for (const auto& [name, value] : table)
    if (value == x)
      return name;
  return {};
}

} // namespace spillover
