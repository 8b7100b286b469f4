#include "producers/autoscaling/cloud_run.hpp"

#include "model/check.hpp"
#include "producers/thousandths.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace spillover {

namespace {

/// Relative slack before rounding and comparing: 4 x 0.9 / 0.6 is above 6 in binary (G-2).
constexpr double slack = 1e-9;

/// Share of the capacity from which on the older rules add instances.
constexpr double trigger = 0.9;

/// Millionths in which usage is summed, so that no sum drifts.
constexpr double micro = 1e6;

/// @returns `x`, at least 0, rounded up.
std::uint32_t round_up(double x) noexcept {
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  if (x >= most)
    return most;
  const auto whole = static_cast<std::uint32_t>(x);
  return static_cast<double>(whole) < x ? whole + 1 : whole;
}

/// @returns instances that bring the utilisation to the target, rounded up.
std::uint32_t needed(double usage, double capacity, double target) noexcept {
  return round_up(usage / (capacity * target) * (1 - slack));
}

std::int64_t rounded(double x) noexcept {
  return static_cast<std::int64_t>(x + 0.5);
}

/// The mean of a usage over the last `Seconds`; over what there was while there was less.
template <std::size_t Seconds>
class window {
public:
  void add(std::int64_t x) noexcept {
    sum_ += x - values_[next_];
    values_[next_] = x;
    next_ = (next_ + 1) % Seconds;
    count_ = std::min(count_ + 1, Seconds);
  }

  [[nodiscard]] double mean() const noexcept {
    if (count_ == 0)
      return 0;
    return static_cast<double>(sum_) / (static_cast<double>(count_) * micro);
  }

private:
  std::array<std::int64_t, Seconds> values_{};
  std::int64_t sum_ = 0;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

/// One metric and its target.
struct driver {
  double capacity;
  double target;

  [[nodiscard]] bool enabled() const noexcept { return target > 0; }

  [[nodiscard]] double raw(double usage) const noexcept { return usage / (capacity * target); }
};

/// @returns the variant whose rules hold: custom targets came together with the band.
cloud_run_variant rules_of(const cloud_run_config& x) noexcept {
  const cloud_run_config defaults;
  const auto custom =
    x.cpu_target != defaults.cpu_target || x.concurrency_target != defaults.concurrency_target;
  if (x.variant == cloud_run_variant::trigger90 && custom)
    return cloud_run_variant::tolerance10;
  return x.variant;
}

class cloud_run final : public autoscaler {
public:
  cloud_run(const cloud_run_config& config, double cpu, std::uint32_t concurrency) noexcept
    : config_(config),
      variant_(rules_of(config)),
      cpu_{cpu, config.cpu_target},
      concurrency_{static_cast<double>(concurrency), config.concurrency_target} {}

  [[nodiscard]] std::string_view policy() const noexcept override {
    return cloud_run_config::policy;
  }

  [[nodiscard]] scaling_bounds bounds() const noexcept override {
    return {config_.min_instances, config_.max_instances};
  }

  [[nodiscard]] duration period() const noexcept override { return config_.evaluation; }

  [[nodiscard]] bool on_demand() const noexcept override { return true; }

  void set_bounds(const scaling_bounds& x) override {
    config_.min_instances = x.min;
    config_.max_instances = x.max;
  }

  void observe(const second_usage& x) override {
    cpu60_.add(rounded(x.cpu * micro));
    concurrency60_.add(rounded(x.concurrency * micro));
    concurrency600_.add(rounded(x.concurrency * micro));
    mean_limit_ = x.mean_limit;
  }

  recommendation decide(instant, const fleet_size& size) override {
    const wishes by{count(cpu_, cpu60_.mean(), size.recommended),
                    count(concurrency_, concurrency(), size.recommended),
                    count(tuned(), concurrency60_.mean(), size.recommended)};
    auto result = bounded(by, size);
    list_inputs(result, size.recommended, by);
    return result;
  }

private:
  /// Instances that each driver wants.
  struct wishes {
    std::uint32_t cpu = 0;
    std::uint32_t concurrency = 0;
    std::uint32_t act = 0;
  };

  /// @returns the driver of adaptive concurrency tuning, off without a mean limit.
  [[nodiscard]] driver tuned() const noexcept {
    const auto on = mean_limit_ > 0 && variant_ == cloud_run_variant::tolerance10;
    return {mean_limit_, on ? concurrency_.target : 0};
  }

  /// @returns what one driver wants; at N = 0 nothing, because only requests lead out of it.
  [[nodiscard]] std::uint32_t count(const driver& x, double usage, std::uint32_t n) const {
    if (!x.enabled() || n == 0)
      return 0;
    switch (variant_) {
      case cloud_run_variant::tolerance10:
        return tolerance10(usage, x.capacity, x.target, n, config_.dead_band);
      case cloud_run_variant::trigger90: return trigger90(usage, x.capacity, x.target, n);
      case cloud_run_variant::one_minute: break;
    }
    return needed(usage, x.capacity, x.target);
  }

  /// @returns requests in flight, by the windows of the variant.
  [[nodiscard]] double concurrency() const noexcept {
    if (variant_ == cloud_run_variant::one_minute)
      return concurrency60_.mean();
    return std::max(concurrency60_.mean(), concurrency600_.mean());
  }

  [[nodiscard]] recommendation bounded(wishes by, const fleet_size& size) const {
    // The last instance goes when it has nothing to do, whatever its CPU does then.
    const auto last = size.recommended == 1 && !size.busy && concurrency_.enabled();
    if (last && by.concurrency == 0 && by.cpu == 1)
      by.cpu = 0;
    const auto cpu_wins = cpu_.enabled() && (by.cpu >= by.concurrency || !concurrency_.enabled());
    recommendation result{std::max(by.cpu, by.concurrency), cpu_wins ? "CPU" : "CONCURRENCY", {}};
    if (by.act > result.count)
      result = {by.act, "ACT", {}};
    if (result.count == 0 && size.recommended > 0 && size.busy)
      result.count = 1;
    if (result.count < config_.min_instances)
      return {config_.min_instances, "MIN", {}};
    if (result.count > config_.max_instances)
      return {config_.max_instances, "MAX", {}};
    return result;
  }

  void list_inputs(recommendation& result, std::uint32_t n, const wishes& by) const {
    const auto add = [&result](const char* name, std::int64_t x) {
      result.inputs.emplace_back(name, x);
    };
    const auto add_milli = [&add](const char* name, double x) { add(name, thousandths(x)); };
    add("n", n);
    if (cpu_.enabled()) {
      add_milli("cpu_avg60_milli", cpu60_.mean());
      add_milli("cpu_raw_milli", cpu_.raw(cpu60_.mean()));
      add("cpu_count", by.cpu);
    }
    if (concurrency_.enabled()) {
      add_milli("concurrency_avg60_milli", concurrency60_.mean());
      if (variant_ != cloud_run_variant::one_minute)
        add_milli("concurrency_avg600_milli", concurrency600_.mean());
      add_milli("concurrency_raw_milli", concurrency_.raw(concurrency()));
      add("concurrency_count", by.concurrency);
    }
    if (const auto act = tuned(); act.enabled()) {
      add_milli("act_limit_milli", mean_limit_);
      add_milli("act_raw_milli", act.raw(concurrency60_.mean()));
      add("act_count", by.act);
    }
    if (cpu_.enabled())
      add_milli("cpu_target_milli", cpu_.target);
    if (concurrency_.enabled())
      add_milli("concurrency_target_milli", concurrency_.target);
    if (cpu_.enabled())
      add_milli("cpu_capacity_milli", cpu_.capacity);
    if (concurrency_.enabled())
      add("concurrency_limit", rounded(concurrency_.capacity));
    if (variant_ == cloud_run_variant::tolerance10)
      add("dead_band", config_.dead_band ? 1 : 0);
    if (variant_ == cloud_run_variant::trigger90)
      add_milli("trigger_milli", trigger);
    add("min", config_.min_instances);
    add("max", config_.max_instances);
  }

  cloud_run_config config_;
  cloud_run_variant variant_; // whose rules hold
  driver cpu_;
  driver concurrency_;
  window<60> cpu60_;
  window<60> concurrency60_;
  window<600> concurrency600_;
  double mean_limit_ = 0; // of the last second
};

bool is_target(double x) noexcept {
  return x == 0 || (x >= 0.1 && x <= 0.95);
}

} // namespace

std::vector<std::string> validate(const cloud_run_config& x) {
  using namespace std::chrono_literals;
  std::vector<std::string> problems;
  if (x.max_instances < 1 || x.max_instances > 10'000)
    problems.emplace_back("max_instances: must be within 1..10000");
  if (x.min_instances > x.max_instances)
    problems.emplace_back("min_instances: must be at most max_instances");
  if (!is_target(x.cpu_target))
    problems.emplace_back("cpu_target: must be within 0.1..0.95, or 0 to turn the driver off");
  if (!is_target(x.concurrency_target))
    problems.emplace_back(
      "concurrency_target: must be within 0.1..0.95, or 0 to turn the driver off");
  if (x.cpu_target == 0 && x.concurrency_target == 0)
    problems.emplace_back("concurrency_target: must not be 0 while cpu_target is 0");
  if (x.evaluation < 1s || x.evaluation > 60s)
    problems.emplace_back("evaluation: must be within 1s..60s");
  else if (x.evaluation % 1s != duration::zero())
    problems.emplace_back("evaluation: must be whole seconds");
  if (!x.dead_band && rules_of(x) != cloud_run_variant::tolerance10)
    problems.emplace_back(
      "dead_band: has no meaning with this variant; only tolerance10 has a band");
  return problems;
}

std::unique_ptr<autoscaler> make_cloud_run(const cloud_run_config& x, double cpu,
                                           std::uint32_t concurrency) {
  SPILLOVER_CHECK(cpu > 0 && concurrency >= 1);
  return std::make_unique<cloud_run>(x, cpu, concurrency);
}

std::uint32_t tolerance10(double usage, double capacity, double target, std::uint32_t recommended,
                          bool dead_band) {
  if (dead_band && recommended >= 1) {
    const auto utilisation = usage / (capacity * recommended);
    if (utilisation >= 0.9 * target * (1 - slack) && utilisation <= 1.1 * target * (1 + slack))
      return recommended;
  }
  return needed(usage, capacity, target);
}

std::uint32_t trigger90(double usage, double capacity, double target, std::uint32_t recommended) {
  const auto wanted = needed(usage, capacity, target);
  if (wanted <= recommended)
    return wanted;
  const auto full = usage >= trigger * capacity * recommended * (1 - slack);
  return full ? wanted : recommended;
}

} // namespace spillover
