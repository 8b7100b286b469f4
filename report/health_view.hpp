#pragma once

#include "model/time.hpp"
#include "report/event_log.hpp"

#include <string>
#include <vector>

namespace spillover {

/// What of a run has a state of health, as the scenario names it.
struct health_resources {
  /// A published service in a region that has a composite health check, or Cloud Run's service health.
  struct service {
    /// E.g. "us-east1/checkout".
    std::string path;
    /// What joins its sources, e.g. "us-east1/checkout/composite".
    std::string aggregate;
    /// Backend services that are sources, e.g. "us-east1/checkout/web".
    std::vector<std::string> backends;
    /// A passthrough load balancer is in front: then a source names its forwarding rule (B-4).
    bool passthrough = false;
    /// Instances count by their readiness probes (B-68), otherwise by health checks.
    bool by_readiness = false;
  };
  /// A PSC NEG of a consumer.
  struct neg {
    std::string consumer;
    std::string region;
  };
  std::vector<service> services;
  std::vector<neg> negs;
};

/// Says what `getHealth` of every health source and composite health check would answer at an instant,
/// and what each consumer then knows of its PSC NEGs (B-4).
///
/// Groups are zonal, one for each zone that a backend service has instances in.
/// @param at events of this instant count
/// @returns a JSON document with a line end
std::string health_view(const event_log& log, const health_resources& of, instant at);

/// Says what the product would log of health: changes of sources and composites for the producer, of
/// PSC NEGs for consumers, each with the state before (B-25, B-27).
/// @returns a line of JSON for each change, in the order of the run
std::string health_log(const event_log& log, const health_resources& of);

} // namespace spillover
