#include "scenario/lint_checks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <variant>

namespace spillover {

namespace {

// Instants that the load is looked at: enough to see any wave or ramp that lasts, few enough that no
// file makes this slow.
constexpr std::int64_t even_instants = 720;
constexpr std::size_t most_steps = 720;

// Requests that come whatever the answers, or messages that are published so; nullptr for clients that
// wait, and for traces. In the long run each message is one push that is acknowledged.
const open_loop_config* rates_of(const load_config& x) {
  if (const auto* push = std::get_if<push_subscription_config>(&x))
    return &push->publish;
  return std::get_if<open_loop_config>(&x);
}

std::vector<instant> grid_of(const scenario& x) {
  std::set<instant> result;
  const auto end = run_start + x.lasts;
  for (std::int64_t i = 0; i < even_instants; ++i)
    result.insert(run_start + x.lasts / even_instants * i);
  const auto add = [&result, end](instant at) {
    if (at < end && result.size() < even_instants + most_steps)
      result.insert(at);
  };
  add(run_start + x.warm_up);
  for (const auto& fault : x.faults)
    add(fault.at);
  for (const auto& consumer : x.consumers)
    for (const auto& load : consumer.traffic)
      if (const auto* rates = rates_of(load))
        for (const auto& step : rates->rate)
          add(step.at);
      else if (const auto* trace = std::get_if<trace_config>(&load))
        add(peak_of(*trace).at);
      else
        add(std::get<closed_loop_config>(load).from);
  return {result.begin(), result.end()};
}

// Latency there and back without jitter.
duration round_trip(const scenario& x, const consumer_spec& consumer, std::string_view region) {
  duration result{};
  for (const auto& link : x.links)
    if ((link.from == consumer.name && link.to == region)
        || (link.from == region && link.to == consumer.name))
      result += link.planes[static_cast<std::size_t>(plane::data)].latency;
  return result;
}

// Mean service time of a published service on idle instances.
double service_seconds(const published_service_spec& x) {
  double result = 0;
  for (const auto& backend : x.backend_services)
    result += share_of(x, backend) * seconds_of(mean_of(backend.instance.service_time));
  return result;
}

// From a request to its answer while nothing is slow.
double answer_seconds(const scenario& x, const consumer_spec& consumer) {
  const auto& region = consumer.regions.front();
  const auto* published = find_published(x, consumer.service, region);
  return seconds_of(round_trip(x, consumer, region))
         + (published == nullptr ? 0 : service_seconds(*published));
}

} // namespace

offered_load::offered_load(const scenario& x) : scenario_(x), grid_(grid_of(x)) {
  for (const auto& consumer : x.consumers)
    consumers_.push_back(curve_of(consumer));
}

offered_load::curve offered_load::curve_of(const consumer_spec& x) const {
  curve result(grid_.size());
  const auto answer = answer_seconds(scenario_, x);
  for (const auto& load : x.traffic) {
    if (const auto* closed = std::get_if<closed_loop_config>(&load)) {
      // Each client waits, thinks, and asks again. Without any time in it the rate has no bound, and
      // says nothing.
      const auto lap = answer + seconds_of(mean_of(closed->think_time));
      const auto rate = lap > 0 ? closed->clients / lap : 0;
      for (std::size_t i = 0; i < grid_.size(); ++i)
        if (grid_[i] >= closed->from && grid_[i] < closed->to.value_or(never))
          result[i] += rate;
      continue;
    }
    if (const auto* trace = std::get_if<trace_config>(&load)) {
      for (std::size_t i = 0; i < grid_.size(); ++i)
        result[i] += trace_rate_at(*trace, grid_[i]);
      continue;
    }
    const rate_curve rates{*rates_of(load)};
    for (std::size_t i = 0; i < grid_.size(); ++i)
      result[i] += rates.rate_at(grid_[i]);
  }
  return result;
}

double offered_load::rate(std::string_view service, std::string_view region, instant at) const {
  const auto after = std::upper_bound(grid_.begin() + 1, grid_.end(), at);
  const auto place = static_cast<std::size_t>(after - grid_.begin()) - 1;
  double result = 0;
  for (std::size_t i = 0; i < consumers_.size(); ++i) {
    const auto& consumer = scenario_.consumers[i];
    if (consumer.service == service && consumer.regions.front() == region)
      result += consumers_[i][place];
  }
  return result;
}

double offered_load::highest(std::size_t consumer) const {
  double result = 0;
  for (std::size_t i = 0; i < grid_.size(); ++i)
    if (grid_[i] >= run_start + scenario_.warm_up)
      result = std::max(result, consumers_[consumer][i]);
  return result;
}

// Instants at which a region may be lost: while a fault hits it that probes can meet, or any after the
// warm-up.
std::vector<bool> offered_load::looked_at(std::string_view lost) const {
  std::vector<const fault*> those;
  for (const auto& x : scenario_.faults)
    if (hits(x, lost) && probes_can_meet(x))
      those.push_back(&x);
  std::vector<bool> result(grid_.size());
  for (std::size_t i = 0; i < grid_.size(); ++i) {
    const auto t = grid_[i];
    result[i] = those.empty() ? t >= run_start + scenario_.warm_up
                              : std::any_of(those.begin(), those.end(), [&](const fault* x) {
                                  return x->at <= t && t < end_of(*x, scenario_);
                                });
  }
  return result;
}

std::vector<offered_load::takeover> offered_load::takeovers() const {
  // Service, lost region, survivor; own load by service and region.
  std::map<std::array<std::string_view, 3>, curve> moved;
  std::map<std::array<std::string_view, 2>, curve> own;
  const auto add = [this](curve& to, const curve& x) {
    to.resize(grid_.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      to[i] += x[i];
  };
  for (std::size_t i = 0; i < consumers_.size(); ++i) {
    const auto& x = scenario_.consumers[i];
    const auto* published = find_published(scenario_, x.service, x.regions.front());
    add(own[{x.service, x.regions.front()}], consumers_[i]);
    // By capacity, what is lost goes first to the next region as well.
    const auto& lb = x.load_balancer;
    if (x.regions.size() > 1 && published != nullptr
        && (published->composite_health || lb.outlier_detection || lb.distribution))
      add(moved[{x.service, x.regions[0], x.regions[1]}], consumers_[i]);
  }
  std::map<std::string_view, std::vector<bool>> looked;
  std::vector<takeover> result;
  for (const auto& [names, more] : moved) {
    const auto& [service, lost, survivor] = names;
    auto [found, fresh] = looked.try_emplace(lost);
    if (fresh)
      found->second = looked_at(lost);
    const auto before = own.find({service, survivor});
    takeover x{service, lost, survivor, {}, 0};
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      const auto total = more[i] + (before == own.end() ? 0 : before->second[i]);
      if (found->second[i] && total > x.load.rate) {
        x.load = {total, grid_[i]};
        x.moved = more[i];
      }
    }
    if (x.moved > 0)
      result.push_back(x);
  }
  return result;
}

} // namespace spillover
