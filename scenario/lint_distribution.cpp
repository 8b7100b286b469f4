#include "scenario/lint_checks.hpp"

#include <algorithm>
#include <limits>

namespace spillover {

namespace {

// Of the unit of a mode.
double target_of(const region_capacity& x) {
  return static_cast<double>(x.target_milli) * static_cast<double>(x.scaler_milli) / 1e6;
}

struct served {
  double each = 0;      // of an instance
  double most = 0;      // of all instances that there can be
  double instances = 0; // that there can be
};

// What the instances of a service in a region can serve, of the unit of a mode; endless where nothing limits them.
served served_by(const published_service_spec& x, balancing_mode mode) {
  served result;
  for (const auto& backend : x.backend_services) {
    const auto& instance = backend.instance;
    auto each = std::numeric_limits<double>::infinity();
    if (instance.concurrency > 0)
      each = instance.concurrency;
    if (mode == balancing_mode::rate) {
      // Little's law: so many requests at a time are so many a second.
      const auto time = mean_of(instance.service_time);
      each /= seconds_of(time);
      if (const auto cpu = std::min(instance.cpu_per_request, time); cpu > duration::zero())
        each = std::min(each, instance.cpu / seconds_of(cpu));
    }
    const double most = bounds_in(backend).max;
    result.each = std::max(result.each, each);
    result.most += most > 0 ? each * most : 0;
    result.instances += most;
  }
  return result;
}

} // namespace

/// A region's instances are overloaded long before its capacity is reached, so that nothing ever spills over
/// (B-50, B-51; case C52, in which the default capacity was 1e8 requests a second). Way out: a target that
/// the instances can serve.
void lint_capacity_out_of_reach(const scenario& x, lint_list& out) {
  for (const auto& consumer : x.consumers) {
    const auto& config = consumer.load_balancer.distribution;
    if (!config || config->mode == balancing_mode::utilization)
      continue;
    for (std::size_t i = 0; i < consumer.regions.size(); ++i) {
      const auto* published = find_published(x, consumer.service, consumer.regions[i]);
      const auto& own = config->regions[i];
      if (published == nullptr || own.scaler_milli == 0)
        continue;
      const auto can = served_by(*published, config->mode);
      const auto limit = own.per_endpoint ? can.each : can.most;
      if (target_of(own) <= limit)
        continue;
      const auto* unit =
        config->mode == balancing_mode::rate ? " requests/s" : " requests at a time";
      out.add({{"consumers", consumer.name, "load_balancer", "distribution", "backends",
                consumer.regions[i]},
               {"consumers", consumer.name, "load_balancer", "distribution"}},
              consumer.name + ": the capacity of " + consumer.regions[i] + ", "
                + number_text(target_of(own)) + unit
                + (own.per_endpoint ? " for each endpoint" : " for each backend")
                + ", is never reached: "
                + (own.per_endpoint ? "an instance" : "all instances together") + " can serve "
                + number_text(limit) + ", so that they are overloaded before "
                + "anything spills over; lower it");
    }
  }
}

} // namespace spillover
