#pragma once

#include "producers/autoscaling/hpa/decider.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace spillover::hpa {

/// What a metric shows of single pods; see `metric_reading`.
struct pod_reading {
  bool available = true;
  std::span<const pod_sample> samples = {};
  std::int64_t value = 0;
};

/// What an autoscaler sees, pod by pod; see `snapshot`.
struct pod_snapshot {
  std::int32_t spec_replicas = 0;
  std::int32_t status_replicas = 0;
  std::span<const pod> pods = {};
  std::span<const pod_reading> readings = {};
};

/// Counts pods one by one, as the rules say it (E-4, E-5).
inline pod_tally tally_of(instant now, const settings& x, const metric_spec& metric,
                          std::span<const pod> pods, std::span<const pod_sample> samples) {
  pod_tally result;
  const auto add = [](pod_share& to, wide usage, std::int64_t request) {
    ++to.pods;
    to.usage += usage;
    to.requests += request;
  };
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& sample = samples[i];
    result.all_request = result.all_request && sample.request > 0;
    switch (use_of(now, x, is_cpu(metric), pods[i], sample)) {
      case pod_use::counted: add(result.counted, sample.value, sample.request); break;
      case pod_use::unready: add(result.unready, 0, sample.request); break;
      case pod_use::missing:
        add(result.missing, assumed_usage(x, metric, sample.request), sample.request);
        break;
      case pod_use::ignored: ++result.ignored; break;
    }
  }
  return result;
}

inline metric_reading counted(instant now, const settings& x, const metric_spec& metric,
                              const pod_snapshot& seen, const pod_reading& reading) {
  return {reading.available, tally_of(now, x, metric, seen.pods, reading.samples), reading.value};
}

/// @returns what of a snapshot does not depend on a metric.
inline snapshot without_readings(const pod_snapshot& seen) {
  const auto serves = [](const pod& p) { return p.phase == pod_phase::running && p.ready; };
  const auto ready = std::count_if(seen.pods.begin(), seen.pods.end(), serves);
  return {seen.spec_replicas,
          seen.status_replicas,
          static_cast<std::int32_t>(seen.pods.size()),
          static_cast<std::int32_t>(ready),
          {}};
}

inline proposal propose(instant now, const settings& x, const metric_spec& metric,
                        const pod_snapshot& seen, const pod_reading& reading) {
  return propose(x, metric, without_readings(seen), counted(now, x, metric, seen, reading));
}

inline decision decide(decider& subject, instant now, const pod_snapshot& seen) {
  const auto& x = subject.config();
  std::vector<metric_reading> readings;
  for (std::size_t i = 0; i < seen.readings.size(); ++i)
    readings.push_back(counted(now, x, x.metrics[i], seen, seen.readings[i]));
  auto all = without_readings(seen);
  all.readings = readings;
  return subject.decide(now, all);
}

/// Pods, each as a word: a number is one that counts and uses that percent of its request; `?` has no
/// sample; `u` and a number is not ready while it starts; `p` is pending, `f` failed; `t` and a number
/// terminates.
struct fleet {
  std::vector<pod> pods = {};
  std::vector<pod_sample> samples = {};

  [[nodiscard]] pod_snapshot seen(std::int32_t replicas,
                                  std::span<const pod_reading> readings = {}) const {
    return {replicas, static_cast<std::int32_t>(pods.size()), pods, readings};
  }

  [[nodiscard]] pod_reading reading() const { return {.samples = samples}; }
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
    return subject_.decide(now, {present, present, 0, 0, readings});
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
