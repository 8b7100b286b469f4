#pragma once

#include "actors/world.hpp"
#include "model/random.hpp"
#include "producers/health/detection_time.hpp"
#include "tests/support/small_world.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace spillover::test {

/// How long something took in many runs.
class timings {
public:
  void add(duration x) {
    const auto seconds = seconds_of(x);
    least_ = std::min(least_, seconds);
    most_ = std::max(most_, seconds);
    sum_ += seconds;
    squares_ += seconds * seconds;
    ++count_;
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] double most() const { return most_; }
  [[nodiscard]] double mean() const { return sum_ / count_; }

  /// @returns the standard error of the mean.
  [[nodiscard]] double error() const {
    const auto variance = (squares_ - sum_ * sum_ / count_) / (count_ - 1);
    return std::sqrt(std::max(0.0, variance) / count_);
  }

private:
  double least_ = std::numeric_limits<double>::max();
  double most_ = 0;
  double sum_ = 0;
  double squares_ = 0;
  std::uint32_t count_ = 0;
};

/// What one failover is about.
struct timing_setup {
  health_check_config check{};
  ailment how = ailment::silent;
  std::uint32_t failing = 1;
  std::uint32_t total = 1;
  /// Measures the way back instead.
  bool recovery = false;
  propagation_config timing{};
  std::uint32_t consumers = 1;
  /// Of the health plane between the region and its consumers.
  double loss = 0;
  /// Requests a second; 0 for none.
  double rate = 0;

  [[nodiscard]] probe_result result() const {
    if (recovery)
      return probe_result::answered;
    if (how == ailment::silent || how == ailment::hung)
      return probe_result::silent;
    return how == ailment::failing ? probe_result::failed : probe_result::refused;
  }

  /// @returns what the closed form says of the detection.
  [[nodiscard]] time_range detection() const {
    if (!recovery)
      return source_detection(check, result(), {}, failing, total).value();
    // The endpoints that stayed healthy count for the way back.
    return group_detection(check, result(), needed({}, total) - (total - failing), failing);
  }
};

/// What one run tells of a change, read off the chain of causes.
struct timing_reading {
  duration detected{};
  duration aggregated{};
  duration propagated{}; // to the last consumer
  duration applied{};    // of that consumer
  duration routed{};     // from its knowledge to its last request
  duration all{};        // from the change to the last consumer's new route
};

/// The smallest world that fails over: a region, another one to go to whose prober is never heard of,
/// and consumers without distance.
inline scenario timing_world(const timing_setup& setup) {
  auto x = small_world(setup.total);
  auto& near = x.published_services.front();
  near.backend_services.front().health_check = setup.check;
  near.composite_health->propagation = setup.timing;
  auto& far = x.published_services.back().backend_services.front();
  far.autoscaling = fixed_config{1};
  far.health_check.interval = std::chrono::seconds{300};
  far.health_check.probers = 1;
  x.published_services.back().composite_health->propagation.warm_up = std::chrono::hours{1};
  x.links.clear();
  auto client = x.consumers.front();
  auto& load = std::get<open_loop_config>(client.traffic.front());
  load.rate.front().rps = setup.rate;
  x.consumers.clear();
  for (std::uint32_t i = 0; i < setup.consumers; ++i) {
    client.name = "clients" + std::to_string(i);
    x.consumers.push_back(client);
    for (const auto* region : {"near", "far"}) {
      x.links.push_back({client.name, region, {}});
      x.links.push_back({region, client.name, {link_config{}, link_config{{}, {}, setup.loss}}});
    }
  }
  return x;
}

/// @returns the first event of a payload that `matches`, or nullptr.
template <class T, class Matches>
const event* first_event(const event_log& log, Matches matches) {
  for (const auto& x : log.events())
    if (const auto* what = std::get_if<T>(&x.what); what != nullptr && matches(x, *what))
      return &x;
  return nullptr;
}

/// Reads the change that began at `since` off a log.
/// @returns nothing when it did not reach every consumer
inline std::optional<timing_reading> read_timing(const event_log& log, const timing_setup& setup,
                                                 instant since) {
  const auto after = setup.recovery ? health::healthy : health::unhealthy;
  const auto* source = first_event<source_changed>(log, [&](const event& e, const auto& x) {
    return e.at >= since && x.after == after && e.entity == "near/shop/web/source";
  });
  if (source == nullptr)
    return std::nullopt;
  const auto* endpoint = log.find(source->cause);
  const auto* composite = first_event<composite_changed>(
    log, [&](const event& e, const auto&) { return e.cause == source->id; });
  if (endpoint == nullptr || composite == nullptr)
    return std::nullopt;
  timing_reading result;
  result.detected = endpoint->at - since;
  result.aggregated = composite->at - endpoint->at;
  for (std::uint32_t i = 0; i < setup.consumers; ++i) {
    const auto path = "clients" + std::to_string(i) + "/lb";
    const auto* known = first_event<neg_changed>(log, [&](const event& e, const auto&) {
      return e.cause == composite->id && e.entity == path;
    });
    if (known == nullptr)
      return std::nullopt;
    const auto* route = first_event<routing_changed>(
      log, [&](const event& e, const auto&) { return e.cause == known->id; });
    if (route == nullptr)
      return std::nullopt;
    result.all = std::max(result.all, route->at - since);
    if (known->at - composite->at < result.propagated)
      continue;
    result.propagated = known->at - composite->at;
    result.applied = route->at - known->at;
    const instant last{duration{std::get<routing_changed>(route->what).last_sent_ns}};
    result.routed = std::max(duration::zero(), last - known->at);
  }
  return result;
}

/// Runs one failover, or way back, whose fault comes at a random phase of everything.
/// @returns nothing when it did not reach every consumer in time
inline std::optional<timing_reading> run_timing(const timing_setup& setup, std::uint64_t seed) {
  using std::chrono::seconds;
  random_stream random{seed, "timing"};
  auto x = timing_world(setup);
  x.seed = seed;
  // Late enough for every endpoint to be known as healthy; the phase covers the interval and the
  // repetitions.
  const auto phase =
    std::max(setup.check.interval, setup.loss > 0 ? setup.timing.resend : duration{});
  const auto ready = setup.check.healthy_threshold * setup.check.interval
                     + setup.timing.aggregation_tick + seconds{1};
  const auto at =
    run_start + ready
    + duration{static_cast<duration::rep>(random.below(static_cast<std::uint64_t>(phase.count())))};
  instance_fault what;
  what.of = "near/shop/web";
  what.suffer.become = setup.how;
  what.count = setup.failing;
  fault f{.at = at, .what = what};
  auto since = at;
  const auto tail = setup.timing.aggregation_tick + setup.timing.propagation
                    + setup.timing.propagation_jitter + setup.timing.apply
                    + (setup.loss > 0 ? 12 * setup.timing.resend : seconds{1});
  if (setup.recovery) {
    auto there = setup;
    there.recovery = false;
    f.lasts = there.detection().most + tail
              + duration{static_cast<duration::rep>(
                random.below(static_cast<std::uint64_t>(phase.count())))};
    since += *f.lasts;
  }
  x.faults = {f};
  // The bounds of a group are those of one endpoint.
  x.lasts = since + endpoint_detection(setup.check, setup.result()).most + tail - run_start;
  world w{x};
  w.run_until(run_start + x.lasts);
  return read_timing(w.log(), setup, since);
}

} // namespace spillover::test
