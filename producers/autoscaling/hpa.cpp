#include "producers/autoscaling/hpa.hpp"

#include "producers/autoscaling/hpa/decider.hpp"
#include "producers/autoscaling/hpa/meter.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace spillover {

namespace {

using hpa::metric_source;

/// What one pod or the revision does that can be a metric.
enum class quantity : std::uint8_t { cpu, concurrency, requests };

constexpr std::size_t quantity_count = 3;

/// @returns what a metric means, when the emulator has it.
std::optional<quantity> quantity_of(const hpa::metric_spec& x) noexcept {
  if (x.source == metric_source::resource)
    return x.name == "cpu" ? std::optional{quantity::cpu} : std::nullopt;
  if (x.name == "concurrency")
    return quantity::concurrency;
  return x.name == "requests_per_second" ? std::optional{quantity::requests} : std::nullopt;
}

std::int64_t milli(double x) noexcept {
  return static_cast<std::int64_t>(x * 1000 + 0.5);
}

std::uint32_t count_of(std::int32_t x) noexcept {
  return static_cast<std::uint32_t>(std::max(x, 0));
}

class hpa_scaler final : public autoscaler {
public:
  hpa_scaler(const hpa_config& x, double cpu)
    : decider_(x.kubernetes), request_(milli(cpu)), readings_(x.kubernetes.metrics.size()) {
    for (const auto& metric : x.kubernetes.metrics)
      quantities_.push_back(*quantity_of(metric));
    samples_.resize(quantities_.size());
  }

  [[nodiscard]] std::string_view policy() const noexcept override { return hpa_config::policy; }

  [[nodiscard]] scaling_bounds bounds() const noexcept override {
    return {count_of(config().min_replicas), count_of(config().max_replicas)};
  }

  [[nodiscard]] duration period() const noexcept override { return config().sync_period; }
  [[nodiscard]] bool on_demand() const noexcept override { return false; }
  [[nodiscard]] bool wants_instances() const noexcept override { return true; }

  void observe(const second_usage& x) override {
    // Both are in the order of indices, which only grow.
    std::size_t kept = 0;
    std::array<double, quantity_count> sums{};
    for (const auto& usage : x.instances) {
      while (kept < known_.size() && known_[kept].usage.index < usage.index)
        known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(kept));
      if (kept == known_.size())
        known_.push_back({usage, {meter(), meter(), meter()}, usage.started});
      auto& pod = known_[kept++];
      pod.usage = usage;
      pod.served = pod.served || usage.state == instance_state::ready;
      const std::array<double, quantity_count> used{usage.cpu, usage.concurrency,
                                                    static_cast<double>(usage.requests)};
      for (std::size_t i = 0; i < quantity_count; ++i) {
        pod.meters[i].observe(x.ended, milli(used[i]));
        sums[i] += used[i];
      }
    }
    known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(kept), known_.end());
    for (std::size_t i = 0; i < quantity_count; ++i)
      totals_[i].observe(x.ended, milli(sums[i]));
  }

  recommendation decide(instant now, const fleet_size& size) override {
    list_pods();
    for (std::size_t i = 0; i < quantities_.size(); ++i)
      read(i);
    // Those that crashed count, until Kubernetes has restarted them.
    const auto present =
      std::count_if(pods_.begin(), pods_.end(), [](const hpa::pod& x) { return !x.terminating; });
    const auto said = decider_.decide(now, {static_cast<std::int32_t>(size.recommended),
                                            static_cast<std::int32_t>(present), pods_, readings_});
    recommendation result{.count = count_of(said.desired), .driver = decider_.driver_of(said)};
    if (result.count != size.recommended)
      hpa::list_inputs(config(), said, result.inputs);
    return result;
  }

private:
  struct known_pod {
    instance_usage usage;
    std::array<hpa::meter, quantity_count> meters; // by quantity
    instant started{};                             // its first process
    bool served = false;                           // it was ready once
  };

  [[nodiscard]] const hpa::settings& config() const noexcept { return decider_.config(); }
  [[nodiscard]] hpa::meter meter() const noexcept {
    return hpa::meter{config().metrics_resolution};
  }

  void list_pods() {
    pods_.clear();
    for (const auto& x : known_) {
      const auto& usage = x.usage;
      hpa::pod pod;
      // Until its cold start is over it waits for its node and its image; a crashed one is restarted in
      // place.
      const auto waits = usage.state == instance_state::starting && !x.served;
      pod.phase = waits ? hpa::pod_phase::pending : hpa::pod_phase::running;
      pod.terminating = usage.state == instance_state::draining;
      pod.started = x.started;
      pod.ready = usage.state == instance_state::ready;
      pod.ready_changed = usage.ready_changed;
      pods_.push_back(pod);
    }
  }

  void read(std::size_t metric) {
    const auto place = static_cast<std::size_t>(quantities_[metric]);
    const auto source = config().metrics[metric].source;
    auto& reading = readings_[metric];
    if (source == metric_source::object || source == metric_source::external) {
      const auto& total = totals_[place].sample();
      reading = {.available = !total.missing, .value = total.value};
      return;
    }
    auto& samples = samples_[metric];
    samples.clear();
    for (const auto& x : known_) {
      samples.push_back(x.meters[place].sample());
      if (source == metric_source::resource)
        samples.back().request = request_;
    }
    reading = {.samples = samples};
  }

  hpa::decider decider_;
  std::int64_t request_; // thousandths of a vCPU
  std::vector<quantity> quantities_;
  std::vector<known_pod> known_;
  std::array<hpa::meter, quantity_count> totals_{meter(), meter(), meter()};
  // Filled anew at every decision.
  std::vector<hpa::pod> pods_;
  std::vector<std::vector<hpa::pod_sample>> samples_;
  std::vector<hpa::metric_reading> readings_;
};

} // namespace

std::vector<std::string> validate(const hpa_config& x) {
  auto problems = hpa::validate(x.kubernetes);
  // A scenario names a target's type by its key.
  for (auto& problem : problems)
    if (const auto type = problem.find(".type: must be "); type != std::string::npos) {
      problem.erase(type, std::string_view{".type"}.size());
      if (const auto name = problem.find(" utilization"); name != std::string::npos)
        problem.insert(name + 1, "average_");
    }
  if (x.kubernetes.min_replicas == 0)
    problems.emplace_back("min_replicas: must be at least 1; without a pod no metric here shows a "
                          "request that would call for one");
  for (std::size_t i = 0; i < x.kubernetes.metrics.size(); ++i)
    if (!quantity_of(x.kubernetes.metrics[i]))
      problems.push_back("metrics[" + std::to_string(i)
                         + "].name: must be cpu for a resource, else concurrency or "
                           "requests_per_second");
  return problems;
}

std::unique_ptr<autoscaler> make_hpa(const hpa_config& x, double cpu) {
  return std::make_unique<hpa_scaler>(x, cpu);
}

} // namespace spillover
