#include "producers/autoscaling/hpa.hpp"

#include "producers/autoscaling/hpa/decider.hpp"
#include "producers/autoscaling/hpa/pod_book.hpp"
#include "producers/thousandths.hpp"

#include <algorithm>
#include <cstddef>

namespace spillover {

namespace {

std::uint32_t count_of(std::int32_t x) noexcept {
  return static_cast<std::uint32_t>(std::max(x, 0));
}

class hpa_scaler final : public autoscaler {
public:
  hpa_scaler(const hpa_config& x, double cpu)
    : decider_(x.kubernetes), pods_(x.kubernetes, thousandths(cpu)) {}

  [[nodiscard]] std::string_view policy() const noexcept override { return hpa_config::policy; }

  [[nodiscard]] scaling_bounds bounds() const noexcept override {
    return {count_of(config().min_replicas), count_of(config().max_replicas)};
  }

  [[nodiscard]] duration period() const noexcept override { return config().sync_period; }
  [[nodiscard]] bool on_demand() const noexcept override { return false; }
  [[nodiscard]] bool wants_instances() const noexcept override { return true; }

  void observe(const second_usage& x) override { pods_.observe(x.ended, x.instances); }

  recommendation decide(instant now, const fleet_size& size) override {
    const auto spec = static_cast<std::int32_t>(size.recommended);
    const auto said = decider_.decide(now, pods_.seen(now, spec));
    recommendation result{.count = count_of(said.desired), .driver = decider_.driver_of(said)};
    if (result.count != size.recommended)
      hpa::list_inputs(config(), said, result.inputs);
    return result;
  }

private:
  [[nodiscard]] const hpa::settings& config() const noexcept { return decider_.config(); }

  hpa::decider decider_;
  hpa::pod_book pods_;
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
    if (!hpa::quantity_of(x.kubernetes.metrics[i]))
      problems.push_back("metrics[" + std::to_string(i)
                         + "].name: must be cpu for a resource, else concurrency or "
                           "requests_per_second");
  return problems;
}

std::unique_ptr<autoscaler> make_hpa(const hpa_config& x, double cpu) {
  return std::make_unique<hpa_scaler>(x, cpu);
}

} // namespace spillover
