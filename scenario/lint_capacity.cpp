#include "scenario/lint_checks.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <variant>

namespace spillover {

namespace {

// The exponential distribution's 99 % point, in means.
constexpr double exponential_p99 = 4.605170185988091;

struct p99_of {
  duration operator()(const constant_distribution& x) const { return x.value; }
  duration operator()(const exponential_distribution& x) const {
    return from_seconds(seconds_of(x.mean) * exponential_p99);
  }
  duration operator()(const lognormal_distribution& x) const { return x.p99; }
  duration operator()(const empirical_distribution& x) const {
    auto values = x.values;
    std::sort(values.begin(), values.end());
    // The least value that 99 of 100 draws do not exceed.
    return values[(values.size() * 99 + 99) / 100 - 1];
  }
};

// Whole instances, with a slack for what doubles lose.
double instances_for(double demand, double each) {
  return std::ceil(demand / each * (1 - 1e-9));
}

std::string duration_text(duration x) {
  return number_text(seconds_of(x) * 1000) + " ms";
}

// e.g. "when us-east1 fails, 300 requests/s come to us-west1/checkout/web (100 of its own)".
std::string arrival_text(const offered_load::takeover& x, const std::string& path, double share) {
  auto result = "when " + std::string{x.lost} + " fails, " + number_text(x.load.rate * share)
                + " requests/s come to " + path;
  if (const auto own = (x.load.rate - x.moved) * share; own > 0)
    result += " (" + number_text(own) + " of them its own)";
  return result + " at " + to_string(x.load.at.time_since_epoch());
}

// Calls `visit(takeover, published, backend, rate)` for each backend service that takes over.
template <class Visit>
void for_each_survivor(const scenario& x, Visit visit) {
  for (const auto& y : offered_load{x}.takeovers()) {
    const auto* published = find_published(x, y.service, y.survivor);
    if (published == nullptr)
      continue;
    for (const auto& backend : published->backend_services) {
      const auto share = share_of(*published, backend);
      visit(*published, backend, y.load.rate * share,
            arrival_text(y, published->path() + "/" + backend.name, share));
    }
  }
}

std::string raise_text(const bound_place& bound, double to) {
  return "; raise " + bound.name + " to at least " + number_text(to);
}

} // namespace

/// Little's law: requests in service = rate x mean service time; more than the slots of all
/// instances never fit, and their queue grows until it fails them. Way out: max_instances,
/// concurrency, or another region.
void lint_too_few_slots(const scenario& x, lint_list& out) {
  for_each_survivor(x, [&](const auto& published, const auto& backend, double rate,
                           const std::string& arrivals) {
    // An instance without a limit takes what comes.
    if (backend.instance.concurrency == 0)
      return;
    const auto most = bounds_in(backend).max;
    const double slots = static_cast<double>(most) * backend.instance.concurrency;
    const auto mean = mean_of(backend.instance.service_time);
    const auto busy = rate * seconds_of(mean);
    if (busy <= slots)
      return;
    const auto bound = maximum_of(published, backend);
    out.add(bound.places, arrivals + "; by Little's law, x " + duration_text(mean)
                            + " each that is " + number_text(busy) + " at a time, and "
                            + std::to_string(most) + " instances x concurrency "
                            + std::to_string(backend.instance.concurrency) + " hold "
                            + number_text(slots)
                            + raise_text(bound, instances_for(busy, backend.instance.concurrency)));
  });
}

/// The same for CPU: rate x cpu_per_request, against max_instances x cpu. Beyond it requests are
/// served ever more slowly. Way out: max_instances, cpu, or another region.
void lint_too_little_cpu(const scenario& x, lint_list& out) {
  for_each_survivor(
    x, [&](const auto& published, const auto& backend, double rate, const std::string& arrivals) {
      const auto& instance = backend.instance;
      // The CPU part of a request is no longer than the request.
      const auto each = std::min(instance.cpu_per_request, mean_of(instance.service_time));
      const auto most = bounds_in(backend).max;
      const auto used = rate * seconds_of(each);
      const auto there = most * instance.cpu;
      if (used <= there)
        return;
      const auto bound = maximum_of(published, backend);
      out.add(bound.places, arrivals + "; x " + duration_text(each) + " of CPU each that is "
                              + number_text(used) + " vCPU, and " + std::to_string(most)
                              + " instances x cpu " + number_text(instance.cpu) + " are "
                              + number_text(there)
                              + raise_text(bound, instances_for(used, instance.cpu)));
    });
}

duration slowest_hundredth(const distribution& x) {
  return std::visit(p99_of{}, x);
}

/// A request that waits for a starting instance of a survivor meets the pending limit before a
/// slow start is over: at the maximum it fails with 429, below it another instance starts for it
/// . Way out: min_instances, pending.floor or pending.cold_start_factor.
void lint_cold_start(const scenario& x, lint_list& out) {
  std::set<std::pair<std::string_view, std::string_view>> survivors;
  for (const auto& consumer : x.consumers)
    for (std::size_t i = 1; i < consumer.regions.size(); ++i)
      survivors.emplace(consumer.service, consumer.regions[i]);
  for (const auto& published : x.published_services) {
    if (!survivors.contains({published.service, published.region}))
      continue;
    for (const auto& backend : published.backend_services) {
      const auto bounds = bounds_in(backend);
      const auto& start = backend.instance.cold_start;
      const auto slow = slowest_hundredth(start);
      const auto limit = pending_limit(backend.pending, mean_start(backend.instance));
      const auto has_limit = platform_of(backend.autoscaling, backend.instance).packs();
      if (!has_limit || bounds.min == bounds.max || slow <= limit)
        continue;
      out.add(
        in_backend(published, backend, {"instance", "cold_start"}),
        published.path() + "/" + backend.name + ": one cold start in a hundred takes "
          + number_text(seconds_of(slow)) + " s or more, and a request waits for "
          + number_text(seconds_of(limit))
          + " s before it asks for another instance, or fails with 429 at max_instances; keep "
          + "more min_instances, or raise pending.floor above the p99");
    }
  }
}

} // namespace spillover
