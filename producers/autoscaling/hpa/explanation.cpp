#include "producers/autoscaling/hpa/decider.hpp"
#include "producers/thousandths.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace spillover::hpa {

namespace {

using numbers = std::vector<std::pair<std::string, std::int64_t>>;

/// @returns `x` in thousandths, kept inside of what 64 bits hold.
std::int64_t milli(double x) noexcept {
  constexpr double most = 9.2e15;
  return thousandths(std::min(x, most));
}

/// Adds numbers of one metric.
class metric_lines {
public:
  metric_lines(std::string prefix, numbers& inputs) : prefix_(std::move(prefix)), inputs_(inputs) {}

  void add(std::string_view name, std::int64_t value) const {
    auto& entry = inputs_.emplace_back(prefix_, value);
    entry.first.append(name);
  }

private:
  std::string prefix_;
  numbers& inputs_;
};

/// @returns what numbers of a metric begin with; of a second one of the same name `name_2_`.
std::string prefix_of(std::span<const metric_spec> metrics, std::size_t place) {
  const auto same = [&](const metric_spec& x) { return x.name == metrics[place].name; };
  const auto end = metrics.begin() + static_cast<std::ptrdiff_t>(place);
  const auto before = std::count_if(metrics.begin(), end, same);
  auto result = metrics[place].name + '_';
  return before == 0 ? result : result.append(std::to_string(before + 1)).append("_");
}

bool of_pods(const metric_spec& x) noexcept {
  return x.source == metric_source::resource || x.source == metric_source::pods;
}

std::string_view name_of(failure x) noexcept {
  switch (x) {
    case failure::none: break;
    case failure::unavailable: return "unavailable";
    case failure::no_pods: return "no_pods";
    case failure::no_samples: return "no_samples";
    case failure::no_requests: return "no_requests";
  }
  return "failed";
}

void list_metric(const metric_spec& metric, const proposal& x, bool won,
                 const metric_lines& lines) {
  const auto percent = metric.type == target_type::utilization;
  lines.add(percent ? "target_percent" : "target_milli", metric.target);
  if (x.failed != failure::none) {
    lines.add("failed", 1);
    lines.add(name_of(x.failed), 1);
  } else {
    lines.add(percent ? "current_percent" : "current_milli", x.current);
    if (!of_pods(metric) && metric.type == target_type::average_value)
      lines.add("total_milli", x.total);
    lines.add("ratio_milli", milli(x.ratio));
    if (of_pods(metric))
      lines.add("adjusted_ratio_milli", milli(x.adjusted_ratio));
    lines.add("within_tolerance", x.held == hold::tolerance ? 1 : 0);
    if (x.held == hold::direction)
      lines.add("turned", 1);
    lines.add("count", x.replicas);
  }
  if (won)
    lines.add("won", 1);
  lines.add("ready", x.ready);
  if (!of_pods(metric))
    return;
  lines.add("unready", x.unready);
  lines.add("missing", x.missing);
  lines.add("ignored", x.ignored);
}

/// @returns what a number is called that says that this limit acted.
const char* name_of(limit x) noexcept {
  switch (x) {
    case limit::none: break;
    case limit::scale_up_stabilized: return "scale_up_stabilized";
    case limit::scale_down_stabilized: return "scale_down_stabilized";
    case limit::scale_up_limit: return "scale_up_limit";
    case limit::scale_down_limit: return "scale_down_limit";
    case limit::too_many_replicas: return "too_many_replicas";
    case limit::too_few_replicas: return "too_few_replicas";
  }
  return "no_limit";
}

} // namespace

std::string_view to_string(basis x) noexcept {
  switch (x) {
    case basis::metrics: return "metrics";
    case basis::scaling_disabled: return "scaling disabled";
    case basis::above_maximum: return "above maximum";
    case basis::below_minimum: return "below minimum";
    case basis::no_metrics: return "no metrics";
  }
  return "unknown";
}

std::string_view to_string(limit x) noexcept {
  switch (x) {
    case limit::none: return "none";
    case limit::scale_up_stabilized: return "ScaleUpStabilized";
    case limit::scale_down_stabilized: return "ScaleDownStabilized";
    case limit::scale_up_limit: return "ScaleUpLimit";
    case limit::scale_down_limit: return "ScaleDownLimit";
    case limit::too_many_replicas: return "TooManyReplicas";
    case limit::too_few_replicas: return "TooFewReplicas";
  }
  return "unknown";
}

std::string_view decider::driver_of(const decision& said) const noexcept {
  if (said.from == basis::scaling_disabled)
    return "DISABLED";
  switch (said.bounded_by) {
    case limit::too_many_replicas: return "MAX";
    case limit::too_few_replicas: return "MIN";
    case limit::scale_up_limit:
    case limit::scale_down_limit: return "RATE";
    default: break;
  }
  if (said.stabilized_by != limit::none)
    return "STABILIZATION";
  return said.winner ? std::string_view{drivers_[*said.winner]} : "HOLD";
}

void list_inputs(const settings& x, const decision& said, numbers& inputs) {
  const auto add = [&inputs](const char* name, std::int64_t value) {
    inputs.emplace_back(name, value);
  };
  add("n", said.present);
  for (std::size_t i = 0; i < said.proposals.size(); ++i)
    list_metric(x.metrics[i], said.proposals[i], said.winner == i,
                {prefix_of(x.metrics, i), inputs});
  if (said.from == basis::metrics) {
    add("proposed", said.proposed);
    add("stabilized", said.stabilized);
    if (said.rate_limit)
      add("rate_limit", *said.rate_limit);
  }
  const auto windows = windows_of(x);
  if (said.stabilized_by != limit::none) {
    add(name_of(said.stabilized_by), 1);
    const auto up = said.stabilized_by == limit::scale_up_stabilized;
    add("window_ns", (up ? windows.up : windows.down).count());
  }
  if (said.bounded_by != limit::none)
    add(name_of(said.bounded_by), 1);
  const auto allowed = tolerances_of(x);
  add("tolerance_up_milli", milli(allowed.up));
  add("tolerance_down_milli", milli(allowed.down));
  add("min", x.min_replicas);
  add("max", x.max_replicas);
}

} // namespace spillover::hpa
