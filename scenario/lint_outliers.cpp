#include "scenario/lint_checks.hpp"

#include <algorithm>
#include <array>

namespace spillover {

namespace {

lint_path in_detection(const consumer_spec& x, std::string_view key) {
  return {"consumers", x.name, "load_balancer", "outlier_detection", std::string{key}};
}

std::string counted(std::size_t count, const char* one, const char* more) {
  return std::to_string(count) + " " + (count == 1 ? one : more);
}

std::uint32_t regions_of(const consumer_spec& x) {
  return static_cast<std::uint32_t>(x.regions.size());
}

/// @returns the least max_ejection_percent that lets `ejected` of `regions` be ejected.
std::uint32_t percent_for(std::uint32_t ejected, std::uint32_t regions) {
  return (100 * ejected + regions - 1) / regions;
}

/// @returns the regions of a consumer that faults have taken hold of at an instant.
std::vector<std::string_view> ill_regions(const scenario& x, const consumer_spec& consumer,
                                          instant at) {
  std::vector<std::string_view> result;
  for (const auto& region : consumer.regions)
    if (std::any_of(x.faults.begin(), x.faults.end(), [&](const fault& y) {
          return y.at <= at && at < end_of(y, x) && hits(y, region) && probes_can_meet(y);
        }))
      result.emplace_back(region);
  return result;
}

/// @returns why a detector can eject nothing.
std::string hindrance(const outlier_detection_config& x, ejection_type type,
                      std::uint32_t regions) {
  const auto among = " of " + counted(regions, "region", "regions");
  if (x.enforcing(type) == 0)
    return "enforcing_" + std::string{to_string(type)} + " is 0";
  if (type == ejection_type::failure_percentage)
    return "failure_percentage_minimum_hosts is "
           + std::to_string(x.failure_percentage_minimum_hosts) + among;
  if (type != ejection_type::success_rate)
    return std::string{to_string(type)} + " is 0";
  if (regions < x.success_rate_minimum_hosts)
    return "success_rate_minimum_hosts is " + std::to_string(x.success_rate_minimum_hosts) + among;
  return "success_rate_stdev_factor is " + std::to_string(x.success_rate_stdev_factor)
         + ", and none" + among + " can be more than sqrt(" + std::to_string(regions - 1)
         + ") standard deviations below the mean";
}

} // namespace

/// The cap is below one region, and nothing says that one may be ejected all the same (B-43). Way out:
/// a higher cap, or always_eject_one_host.
void lint_cap_spares_all(const scenario& x, lint_list& out) {
  for (const auto& consumer : x.consumers) {
    const auto& detection = consumer.load_balancer.outlier_detection;
    const auto regions = regions_of(consumer);
    if (!detection || detection->most_ejected(regions) > 0)
      continue;
    out.add(in_detection(consumer, "max_ejection_percent"),
            consumer.name + ": outlier detection ejects nothing, however ill: max_ejection_percent "
              + std::to_string(detection->max_ejection_percent) + " of "
              + counted(regions, "region", "regions") + " is "
              + number_text(detection->max_ejection_percent * regions / 100.0)
              + ", below 1, and always_eject_one_host is false; set it to true, or "
                "max_ejection_percent to at least "
              + std::to_string(percent_for(1, regions)));
  }
}

/// More regions are ill at the same time than may be ejected, so that one of them stays in use (C69).
/// Way out: a higher cap.
void lint_cap_spares_some(const scenario& x, lint_list& out) {
  for (const auto& consumer : x.consumers) {
    const auto& detection = consumer.load_balancer.outlier_detection;
    const auto regions = regions_of(consumer);
    if (!detection)
      continue;
    const auto most = detection->most_ejected(regions);
    for (const auto& y : x.faults) {
      const auto ill = ill_regions(x, consumer, y.at);
      // With every region ill there is none to go to.
      if (most == 0 || ill.size() <= most || ill.size() == regions)
        continue;
      const auto needed = static_cast<std::uint32_t>(ill.size());
      out.add(in_detection(consumer, "max_ejection_percent"),
              consumer.name + ": " + counted(needed, "region is", "regions are") + " ill at "
                + to_string(y.at.time_since_epoch()) + ", but max_ejection_percent "
                + std::to_string(detection->max_ejection_percent) + " of " + std::to_string(regions)
                + " lets " + std::to_string(most) + " be ejected at a time; "
                + counted(needed - most, "stays", "stay")
                + " in use however ill; set it to at least "
                + std::to_string(percent_for(needed, regions)));
      break;
    }
  }
}

/// No detector can eject a region: each is not enforced, or asks for more regions than there are (B-43,
/// B-46). Way out: enforcement.
void lint_ejection_never_happens(const scenario& x, lint_list& out) {
  constexpr std::array types{ejection_type::consecutive_5xx,
                             ejection_type::consecutive_gateway_failure,
                             ejection_type::success_rate, ejection_type::failure_percentage};
  for (const auto& consumer : x.consumers) {
    const auto& detection = consumer.load_balancer.outlier_detection;
    if (!detection)
      continue;
    const auto regions = regions_of(consumer);
    auto any = false;
    for (std::size_t i = 0; i < ejection_type_count; ++i)
      any = any || detection->can_eject(static_cast<ejection_type>(i), regions);
    if (any)
      continue;
    std::string reasons;
    for (const auto type : types)
      reasons.append(reasons.empty() ? "" : ", ").append(hindrance(*detection, type, regions));
    out.add(in_detection(consumer, "enforcing_consecutive_5xx"),
            consumer.name + ": outlier detection ejects nothing: " + reasons
              + "; use consecutive_5xx 5 with enforcing_consecutive_5xx 100");
  }
}

/// Each proxy must see the errors in a row for itself (B-48): with many of them and little traffic the
/// first takes the region back before the last has ejected it. Way out: fewer errors, a longer ejection.
void lint_ejection_slow_per_proxy(const scenario& x, lint_list& out) {
  const offered_load load{x};
  for (std::size_t i = 0; i < x.consumers.size(); ++i) {
    const auto& consumer = x.consumers[i];
    const auto& detection = consumer.load_balancer.outlier_detection;
    if (!detection || consumer.regions.size() < 2
        || !detection->can_eject(ejection_type::consecutive_5xx, regions_of(consumer)))
      continue;
    const auto rate = load.highest(i);
    const auto errors = std::uint64_t{detection->consecutive_5xx} * consumer.load_balancer.proxies;
    const auto lasts = std::chrono::duration<double>{detection->base_ejection_time}.count();
    if (rate <= 0 || static_cast<double>(errors) <= lasts * rate)
      continue;
    out.add(in_detection(consumer, "consecutive_5xx"),
            consumer.name + ": " + counted(consumer.load_balancer.proxies, "proxy", "proxies each")
              + " must see " + std::to_string(detection->consecutive_5xx)
              + " errors in a row, together " + std::to_string(errors)
              + " failed requests, which at " + number_text(rate) + " requests/s takes "
              + number_text(static_cast<double>(errors) / rate)
              + " s at best, and an ejection lasts " + to_string(detection->base_ejection_time)
              + ": a dead region is never left by all; use fewer errors, or a longer "
                "base_ejection_time");
  }
}

/// Proxies differ only in what they eject (B-48), and in what they let through (B-81). Way out:
/// outlier_detection, or circuit_breakers.
void lint_proxies_alike(const scenario& x, lint_list& out) {
  for (const auto& consumer : x.consumers) {
    const auto& balancer = consumer.load_balancer;
    if (balancer.proxies > 1 && deciding_proxies(balancer) == 1)
      out.add({"consumers", consumer.name, "load_balancer", "proxies"},
              consumer.name + ": proxies " + std::to_string(balancer.proxies)
                + " changes nothing, because only outlier detection and circuit breakers are each "
                  "proxy's own; add outlier_detection or circuit_breakers, or leave proxies out");
  }
}

} // namespace spillover
