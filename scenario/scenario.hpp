#pragma once

#include "consumers/client.hpp"
#include "lb/load_balancer_config.hpp"
#include "model/fault.hpp"
#include "producers/autoscaling/config.hpp"
#include "producers/billing/config.hpp"
#include "producers/fleet.hpp"
#include "producers/health/aggregation.hpp"
#include "producers/health/health_check.hpp"
#include "producers/instance_config.hpp"
#include "producers/on_demand.hpp"
#include "producers/service_action.hpp"
#include "regions/link_model.hpp"
#include "report/expectation.hpp"
#include "report/stop_condition.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// Kind of backends a backend service has (B-12); a label, independent of the autoscaling policy.
enum class backend_kind : std::uint8_t { instance_group, network_endpoint_group };

/// One revision of a backend service: what is its own, all else is its backend service's.
struct revision_spec {
  std::string name;
  instance_config instance;
  autoscaling_config autoscaling;
  pending_config pending;
  scale_in_config scale_in;
  /// Request timeout of the service, 1s..3600s.
  duration request_timeout = std::chrono::seconds{300};
  friend bool operator==(const revision_spec&, const revision_spec&) = default;
};

/// One backend service in one region, all overrides applied.
struct backend_service_spec {
  std::string name;
  backend_kind backends = backend_kind::instance_group;
  /// Share of the published service's requests, relative to its other backend services, 1..1000.
  std::uint32_t weight = 1;
  /// Zones of its region that it spreads its instances over, "a" and on, 1..26.
  std::uint32_t zones = 3;
  instance_config instance;
  autoscaling_config autoscaling;
  pending_config pending;
  scale_in_config scale_in;
  /// Where its policies pack; see `platform`.
  routing_config routing = {};
  health_check_config health_check;
  /// Request timeout of the service, 1s..3600s.
  duration request_timeout = std::chrono::seconds{300};
  /// Its revisions, when it has named ones: what is above is what they have in common then. Without
  /// any it is one revision itself.
  std::vector<revision_spec> revisions = {};
  /// Which revisions get the requests when the run begins; see `service_config`.
  std::vector<traffic_target> traffic = {};
  /// What is set for all revisions together.
  service_scaling scaling = {};
  /// How all of its revisions are billed.
  billing::config billing = {};
  friend bool operator==(const backend_service_spec&, const backend_service_spec&) = default;
};

/// One health source of a composite health check: a backend service and its policy (B-2).
struct health_source_spec {
  std::string backend_service;
  aggregation_policy policy;
  friend bool operator==(const health_source_spec&, const health_source_spec&) = default;
};

/// A composite health check and when its steps happen (B-3, B-23).
struct composite_health_spec {
  std::vector<health_source_spec> sources;
  propagation_config propagation;
  friend bool operator==(const composite_health_spec&, const composite_health_spec&) = default;
};

/// A published service in one region, all overrides applied.
struct published_service_spec {
  std::string service;
  std::string region;
  std::vector<backend_service_spec> backend_services;
  /// Without it nothing is propagated, and consumers see UNKNOWN (B-22).
  std::optional<composite_health_spec> composite_health;
  friend bool operator==(const published_service_spec&, const published_service_spec&) = default;

  [[nodiscard]] std::string path() const { return region + "/" + service; }
};

/// A consumer: clients behind one load balancer.
struct consumer_spec {
  std::string name;
  /// The service it uses.
  std::string service;
  /// It uses the URL of this tag, which reaches one revision; none when empty.
  std::string tag = {};
  load_balancer_config load_balancer;
  /// Regions of its PSC NEGs, closest first: ascending latency from the consumer, and of equal ones
  /// in the order of the file (B-34).
  std::vector<std::string> regions;
  std::vector<load_config> traffic;
  client_config client;
  friend bool operator==(const consumer_spec&, const consumer_spec&) = default;
};

/// The directed link between two sites.
struct link_spec {
  std::string from;
  std::string to;
  /// By plane.
  std::array<link_config, plane_count> planes;
  friend bool operator==(const link_spec&, const link_spec&) = default;

  [[nodiscard]] std::string path() const { return from + "/link/" + to; }
};

/// A whole scenario: valid, with every default filled in.
struct scenario {
  std::string name;
  std::string description;
  std::uint64_t seed = 1;
  duration lasts{};
  duration warm_up{};

  /// In the order of the file, first the regions, then the consumers.
  std::vector<std::string> regions;
  std::vector<published_service_spec> published_services;
  std::vector<consumer_spec> consumers;
  /// Both directions between every consumer and each of its regions.
  std::vector<link_spec> links;
  std::vector<fault> faults;
  /// In the order of the file.
  std::vector<service_action> actions = {};
  std::vector<expectation> expectations;
  std::vector<stop_condition> stop_if;
  recovery_rule recovery;
  friend bool operator==(const scenario&, const scenario&) = default;
};

} // namespace spillover
