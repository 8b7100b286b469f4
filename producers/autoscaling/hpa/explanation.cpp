#include "producers/autoscaling/hpa/decider.hpp"
#include "producers/thousandths.hpp"

#include <algorithm>

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
  metric_lines(const metric_spec& x, numbers& inputs) : prefix_(x.name + '_'), inputs_(inputs) {}

  void add(std::string_view name, std::int64_t value) const {
    auto& entry = inputs_.emplace_back(prefix_, value);
    entry.first.append(name);
  }

private:
  std::string prefix_;
  numbers& inputs_;
};

bool of_pods(const metric_spec& x) noexcept {
  return x.source == metric_source::resource || x.source == metric_source::pods;
}

void list_metric(const metric_spec& metric, const proposal& x, numbers& inputs) {
  const metric_lines lines{metric, inputs};
  const auto percent = metric.type == target_type::utilization;
  lines.add(percent ? "target_percent" : "target_milli", metric.target);
  if (x.failed != failure::none) {
    lines.add("failed", 1);
  } else {
    lines.add(percent ? "current_percent" : "current_milli", x.current);
    lines.add("ratio_milli", milli(x.ratio));
    if (of_pods(metric))
      lines.add("adjusted_ratio_milli", milli(x.adjusted_ratio));
    lines.add("within_tolerance", x.held == hold::tolerance ? 1 : 0);
    lines.add("count", x.replicas);
  }
  lines.add("ready", x.ready);
  if (!of_pods(metric))
    return;
  lines.add("unready", x.unready);
  lines.add("missing", x.missing);
  lines.add("ignored", x.ignored);
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
    list_metric(x.metrics[i], said.proposals[i], inputs);
  if (said.from == basis::metrics) {
    add("proposed", said.proposed);
    add("stabilized", said.stabilized);
    if (said.rate_limit)
      add("rate_limit", *said.rate_limit);
  }
  const auto allowed = tolerances_of(x);
  add("tolerance_up_milli", milli(allowed.up));
  add("tolerance_down_milli", milli(allowed.down));
  add("min", x.min_replicas);
  add("max", x.max_replicas);
}

} // namespace spillover::hpa
