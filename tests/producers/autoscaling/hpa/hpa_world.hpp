#pragma once

#include "producers/autoscaling/hpa/decider.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace spillover::hpa {

/// Pods, each as a word: a number is one that counts and uses that percent of its request; `?` has no
/// sample; `u` and a number is not ready while it starts; `p` is pending, `f` failed; `t` and a number
/// terminates.
struct fleet {
  std::vector<pod> pods = {};
  std::vector<pod_sample> samples = {};

  [[nodiscard]] snapshot seen(std::int32_t replicas,
                              std::span<const metric_reading> readings = {}) const {
    return {replicas, static_cast<std::int32_t>(pods.size()), pods, readings};
  }

  [[nodiscard]] metric_reading reading() const { return {.samples = samples}; }
};

/// Long after every pod of a fleet started.
inline constexpr instant steady = run_start + std::chrono::hours{1};

/// @param request of each pod, thousandths
inline fleet fleet_of(const std::string& words, std::int64_t request = 1000) {
  fleet result;
  std::istringstream text{words};
  for (std::string word; text >> word;) {
    pod p{.started = run_start, .ready = true, .ready_changed = run_start};
    pod_sample sample{.request = request, .at = steady, .window = std::chrono::seconds{15}};
    const auto kind = word.front();
    if (kind == 'u') {
      p.started = steady;
      p.ready = false;
      p.ready_changed = steady;
    }
    p.terminating = kind == 't';
    if (kind == 'p' || kind == 'f')
      p.phase = kind == 'p' ? pod_phase::pending : pod_phase::failed;
    sample.missing = kind == '?' || kind == 'p' || kind == 'f';
    const auto number = word.find_first_of("0123456789");
    if (number != std::string::npos)
      sample.value = std::stol(word.substr(number)) * request / 100;
    result.pods.push_back(p);
    result.samples.push_back(sample);
  }
  return result;
}

/// @returns settings with one metric of CPU utilisation.
inline settings cpu_settings(std::int64_t percent, generation follows = generation::newer) {
  settings x;
  x.follows = follows;
  x.metrics = {{.target = percent}};
  return x;
}

/// An autoscaler whose metric proposes what the test says: one number from outside, for each replica 1.
class scripted {
public:
  /// Takes the settings without their metrics and tolerance.
  explicit scripted(settings x) : subject_(prepared(std::move(x))) {}

  decision decide(instant now, std::int32_t present, std::int32_t proposed) {
    const std::vector<metric_reading> readings{{.value = std::int64_t{1000} * proposed}};
    return subject_.decide(now, {present, present, {}, readings});
  }

  [[nodiscard]] std::string_view driver_of(const decision& said) const {
    return subject_.driver_of(said);
  }

  [[nodiscard]] const settings& config() const { return subject_.config(); }

private:
  static settings prepared(settings x) {
    x.metrics = {{metric_source::external, "queue", target_type::average_value, 1000}};
    x.tolerance = 0;
    return x;
  }

  decider subject_;
};

/// @returns a behavior in which neither direction is stabilised or slow.
inline scaling_behavior free_behavior() {
  const scaling_rules rules{.stabilization_window = duration::zero(),
                            .policies = {{policy_type::pods, 10'000, std::chrono::seconds{1}}}};
  return {rules, rules};
}

/// @returns settings with that behavior and minimum 0.
inline settings free_settings(generation follows = generation::newer) {
  settings x;
  x.follows = follows;
  x.min_replicas = 0;
  x.behavior = free_behavior();
  return x;
}

} // namespace spillover::hpa
