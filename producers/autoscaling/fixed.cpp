#include "producers/autoscaling/fixed.hpp"

namespace spillover {

namespace {

class fixed final : public autoscaler {
public:
  explicit fixed(std::uint32_t instances) noexcept : instances_(instances) {}

  [[nodiscard]] std::string_view policy() const noexcept override { return fixed_config::policy; }

  [[nodiscard]] scaling_bounds bounds() const noexcept override { return {instances_, instances_}; }

  [[nodiscard]] duration period() const noexcept override { return duration::max(); }

  [[nodiscard]] bool on_demand() const noexcept override { return false; }

  void observe(const second_usage&) override {}

  recommendation decide(instant, const fleet_size&) override {
    return {instances_, "FIXED", {{"instances", instances_}}};
  }

private:
  std::uint32_t instances_;
};

} // namespace

std::vector<std::string> validate(const fixed_config& x) {
  if (x.instances < 1 || x.instances > 10'000)
    return {"instances: must be within 1..10000"};
  return {};
}

std::unique_ptr<autoscaler> make_fixed(const fixed_config& x) {
  return std::make_unique<fixed>(x.instances);
}

} // namespace spillover
