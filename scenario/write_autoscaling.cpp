#include "scenario/write_autoscaling.hpp"

#include "scenario/names.hpp"
#include "scenario/values.hpp"

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

struct writer {
  json operator()(const cloud_run_config& x) const {
    return {{"policy", x.policy},
            {"variant", name_of(x.variant, cloud_run_variants)},
            {"min_instances", x.min_instances},
            {"max_instances", x.max_instances},
            {"cpu_target", x.cpu_target},
            {"concurrency_target", x.concurrency_target},
            {"evaluation", to_string(x.evaluation)},
            {"dead_band", x.dead_band}};
  }

  json operator()(const fixed_config& x) const {
    return {{"policy", x.policy}, {"instances", x.instances}};
  }

  json operator()(const knative_kpa_config& x) const {
    return {{"policy", x.policy},
            {"config", x.knative.config},
            {"annotations", x.knative.annotations},
            {"reachable", x.knative.reach != kpa::reachability::unreachable},
            {"deployed_at_start", x.deployed_at_start},
            {"report_offset", to_string(x.report_offset)},
            {"tick_offset", to_string(x.tick_offset)},
            {"routing", name_of(x.routing, spreads)},
            {"scrape_sample", x.scrape_sample}};
  }
};

} // namespace

json write_autoscaling(const autoscaling_config& x) {
  return std::visit(writer{}, x);
}

} // namespace spillover
