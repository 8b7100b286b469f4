#include "scenario/load.hpp"

#include <algorithm>

namespace spillover {

namespace {

// What a source makes of its backend service while that scales (B-16, B-18, B-38).
void add_scaling_notes(const std::string& path, const health_source_spec& source,
                       const cloud_run_config& config, std::vector<std::string>& out) {
  if (config.min_instances == 0) {
    out.push_back(path
                  + ": may scale to zero, and a source without endpoints is UNHEALTHY "
                    "(B-18), which sends consumers elsewhere; min_instances 1 avoids it");
    return;
  }
  const auto least = config.min_instances;
  if (least < config.max_instances && aggregate(source.policy, least, least) == health::healthy
      && aggregate(source.policy, least, least + 1) != health::healthy)
    out.push_back(path + ": a new endpoint counts as unhealthy until its first probes (B-38), so "
                  + "scaling out from " + std::to_string(least) + " makes " + std::to_string(least)
                  + " of " + std::to_string(least + 1) + " healthy and the composite UNHEALTHY");
}

} // namespace

std::vector<std::string> notes(const scenario& x) {
  std::vector<std::string> result;
  std::vector<std::string> extended; // each service's backend service once, not in every region
  for (const auto& published : x.published_services) {
    if (!published.composite_health)
      continue;
    for (const auto& source : published.composite_health->sources) {
      const auto& all = published.backend_services;
      const auto found =
        std::find_if(all.begin(), all.end(), [&source](const backend_service_spec& y) {
          return y.name == source.backend_service;
        });
      if (found == all.end())
        continue;
      const auto* config = std::get_if<cloud_run_config>(&found->autoscaling);
      if (config == nullptr)
        continue;
      const auto name = published.service + "/" + found->name;
      if (std::find(extended.begin(), extended.end(), name) == extended.end()) {
        extended.push_back(name);
        result.push_back(
          name + ": policy cloud_run behind a composite health check is this "
          + "emulator's extension (A-74); in Google Cloud a Cloud Run service cannot "
          + "be a health source");
      }
      add_scaling_notes(published.region + "/" + name, source, *config, result);
    }
  }
  return result;
}

} // namespace spillover
