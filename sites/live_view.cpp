#include "sites/live_view.hpp"

#include "report/event_index.hpp"
#include "scenario/plan.hpp"

#include <nlohmann/json.hpp>

#include <numeric>

namespace spillover {

live_view::live_view(const scenario& spec) : name_(spec.name) {
  for (const auto& x : plan_sites(spec))
    sites_[x];
  sites_.at(plan_sites(spec).front()).state = "up";
  for (const auto& x : spec.published_services)
    for (const auto& y : x.backend_services)
      backends_[x.path() + "/" + y.name];
  for (const auto& x : spec.consumers)
    consumers_[x.name];
}

void live_view::see(const event& x, const revision_sample& y) {
  backends_[x.entity] = {y.ready, y.starting, y.crashed, y.queue, y.arrivals};
}

void live_view::see(const event& x, const client_sample& y) {
  auto& c = consumers_[std::string{first_part(x.entity)}];
  const auto second = count(y);
  c.started = y.started;
  c.ok = second.ok;
  c.failed = second.failed;
}

live_view::consumer live_view::count(const client_sample& x) {
  consumer second;
  second.ok = x.ended[static_cast<std::size_t>(outcome::ok)];
  second.failed = std::accumulate(x.ended.begin(), x.ended.end(), std::uint32_t{0}) - second.ok;
  requests_ += second.ok + second.failed;
  failed_ += second.failed;
  return second;
}

void live_view::see_late(const event& x) {
  if (const auto* clients = std::get_if<client_sample>(&x.what))
    count(*clients);
}

void live_view::see(const event& x) {
  if (const auto* second = std::get_if<revision_sample>(&x.what))
    see(x, *second);
  else if (const auto* clients = std::get_if<client_sample>(&x.what))
    see(x, *clients);
  else if (const auto* composite = std::get_if<composite_changed>(&x.what))
    services_[std::string{parent_of(x.entity)}] = to_string(composite->after);
  else if (const auto* route = std::get_if<routing_changed>(&x.what))
    consumers_[std::string{first_part(x.entity)}].route = route->after;
  else if (const auto* begins = std::get_if<fault_started>(&x.what))
    faults_[begins->index] = begins->what;
  else if (const auto* ends = std::get_if<fault_ended>(&x.what))
    faults_.erase(ends->index);
  else if (const auto* joined = std::get_if<site_joined>(&x.what))
    sites_[x.entity] = {joined->incarnation, "up"};
  else if (const auto* lost = std::get_if<site_lost>(&x.what))
    sites_[lost->site].state = "lost";
  else if (const auto* back = std::get_if<site_returned>(&x.what))
    sites_[back->site].state = "up";
  else if (const auto* pace = std::get_if<pace_sample>(&x.what))
    sites_[x.entity].late_ns = pace->late_most_ns;
  else if (const auto* clock = std::get_if<clock_sample>(&x.what))
    see(x.at, sites_[clock->site], *clock);
}

void live_view::see(instant at, process& of, const clock_sample& x) {
  if (of.first_at == instant{}) {
    of.first_at = at;
    of.first_offset_ns = x.offset_ns;
  }
  of.offset_ns = x.offset_ns;
  of.last_at = at;
}

double live_view::drift_ppm(const process& x, double speed) {
  const auto emulated = static_cast<double>((x.last_at - x.first_at).count());
  return emulated <= 0
           ? 0
           : static_cast<double>(x.offset_ns - x.first_offset_ns) * 1e6 * speed / emulated;
}

std::string live_view::to_json(const moment& x) const {
  const auto& [now, speed, end, ended] = x;
  nlohmann::ordered_json result;
  result["scenario"] = name_;
  result["at_ns"] = (now - run_start).count();
  result["end_ns"] = (end - run_start).count();
  result["speed"] = speed;
  result["ended"] = ended;
  result["requests"] = requests_;
  result["failed"] = failed_;
  auto& sites = result["sites"] = nlohmann::ordered_json::array();
  for (const auto& [name, y] : sites_)
    sites.push_back({{"site", name},
                     {"state", y.state},
                     {"process", y.incarnation},
                     {"late_ns", y.late_ns},
                     {"clock_offset_ns", y.offset_ns},
                     {"clock_drift_ppm", drift_ppm(y, speed)}});
  auto& backends = result["backends"] = nlohmann::ordered_json::array();
  for (const auto& [path, y] : backends_)
    backends.push_back({{"backend_service", path},
                        {"ready", y.ready},
                        {"starting", y.starting},
                        {"crashed", y.crashed},
                        {"queue", y.queue},
                        {"arrivals_per_second", y.arrivals}});
  result["services"] = services_;
  auto& consumers = result["consumers"] = nlohmann::ordered_json::array();
  for (const auto& [name, y] : consumers_)
    consumers.push_back({{"consumer", name},
                         {"route", y.route},
                         {"started_per_second", y.started},
                         {"ok_per_second", y.ok},
                         {"failed_per_second", y.failed}});
  auto& faults = result["faults"] = nlohmann::ordered_json::array();
  for (const auto& [number, what] : faults_)
    faults.push_back({{"fault", number}, {"what", what}});
  return result.dump();
}

} // namespace spillover
