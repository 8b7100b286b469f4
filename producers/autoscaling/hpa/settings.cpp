#include "producers/autoscaling/hpa/settings.hpp"

#include <algorithm>
#include <string_view>

namespace spillover::hpa {

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// Collects problems of one place, such as `metrics[1].`.
class checker {
public:
  checker(std::string place, std::vector<std::string>& problems)
    : place_(std::move(place)), problems_(problems) {}

  /// @returns a checker for an element of a list that lies here.
  [[nodiscard]] checker element(std::string_view list, std::size_t index) const {
    auto place = place_;
    place.append(list).append("[").append(std::to_string(index)).append("].");
    return {std::move(place), problems_};
  }

  void expect(bool holds, std::string_view field, std::string_view reason) {
    if (holds)
      return;
    auto& text = problems_.emplace_back(place_);
    text.append(field).append(": ").append(reason);
  }

  void expect_span(duration x, duration least, duration most, std::string_view field,
                   std::string_view reason) {
    expect(x >= least && x <= most && x % seconds{1} == duration::zero(), field, reason);
  }

private:
  std::string place_;
  std::vector<std::string>& problems_;
};

bool from_outside(const metric_spec& x) noexcept {
  return x.source == metric_source::object || x.source == metric_source::external;
}

/// Written so that what is not a number fails.
bool is_tolerance(double x) noexcept {
  return x >= 0 && x <= 100;
}

void check_metric(const metric_spec& x, checker at) {
  at.expect(!x.name.empty(), "name", "must not be empty");
  const auto type = x.type;
  switch (x.source) {
    case metric_source::resource:
      at.expect(type != target_type::value, "type",
                "must be utilization or average_value for a resource");
      break;
    case metric_source::pods:
      at.expect(type == target_type::average_value, "type", "must be average_value for pods");
      break;
    case metric_source::object:
    case metric_source::external:
      at.expect(type != target_type::utilization, "type",
                "must be value or average_value for an object or the outside");
      break;
  }
  if (type == target_type::utilization)
    at.expect(x.target >= 1 && x.target <= 1'000'000, "target", "must be within 1..1000000");
  else
    at.expect(x.target >= 1 && x.target <= 1'000'000'000'000'000, "target",
              "must be within 1..1000000000000000");
}

void check_rules(const scaling_rules& x, generation follows, checker at) {
  at.expect_span(x.stabilization_window.value_or(duration::zero()), duration::zero(), hours{1},
                 "stabilization_window", "must be whole seconds within 0s..1h");
  at.expect(!x.policies.empty(), "policies", "must not be empty");
  for (std::size_t i = 0; i < x.policies.size(); ++i) {
    auto here = at.element("policies", i);
    here.expect(x.policies[i].value >= 1, "value", "must be at least 1");
    here.expect_span(x.policies[i].period, seconds{1}, minutes{30}, "period",
                     "must be whole seconds within 1s..30min");
  }
  at.expect(is_tolerance(x.tolerance.value_or(0)), "tolerance", "must be within 0..100");
  at.expect(!x.tolerance || follows == generation::newer, "tolerance",
            "has no meaning with the older generation; only the newer one has it by direction");
}

void check_controller(const settings& x, checker& at) {
  at.expect_span(x.sync_period, seconds{1}, minutes{10}, "sync_period",
                 "must be whole seconds within 1s..10min");
  at.expect(is_tolerance(x.tolerance), "tolerance", "must be within 0..100");
  at.expect_span(x.downscale_stabilization, duration::zero(), hours{1}, "downscale_stabilization",
                 "must be whole seconds within 0s..1h");
  const auto is_delay = [](duration span) { return span >= duration::zero() && span <= hours{24}; };
  at.expect(is_delay(x.cpu_initialization_period), "cpu_initialization_period",
            "must be within 0s..24h");
  at.expect(is_delay(x.initial_readiness_delay), "initial_readiness_delay",
            "must be within 0s..24h");
  at.expect_span(x.metrics_resolution, seconds{1}, minutes{5}, "metrics_resolution",
                 "must be whole seconds within 1s..5min");
}

} // namespace

scaling_rules default_scale_up() {
  return {
    .policies = {{policy_type::pods, 4, seconds{15}}, {policy_type::percent, 100, seconds{15}}}};
}

scaling_rules default_scale_down() {
  return {.policies = {{policy_type::percent, 100, seconds{15}}}};
}

std::vector<std::string> validate(const settings& x) {
  std::vector<std::string> problems;
  checker at{"", problems};
  at.expect(x.max_replicas >= 1 && x.max_replicas <= 10'000, "max_replicas",
            "must be within 1..10000");
  at.expect(x.min_replicas >= 0 && x.min_replicas <= x.max_replicas, "min_replicas",
            "must be at least 0 and at most max_replicas");
  at.expect(x.min_replicas != 0 || std::any_of(x.metrics.begin(), x.metrics.end(), from_outside),
            "min_replicas", "must be at least 1 without a metric of an object or the outside");
  at.expect(!x.metrics.empty(), "metrics", "must not be empty");
  for (std::size_t i = 0; i < x.metrics.size(); ++i)
    check_metric(x.metrics[i], at.element("metrics", i));
  if (x.behavior) {
    check_rules(x.behavior->scale_up, x.follows, {"behavior.scale_up.", problems});
    check_rules(x.behavior->scale_down, x.follows, {"behavior.scale_down.", problems});
  }
  check_controller(x, at);
  return problems;
}

} // namespace spillover::hpa
