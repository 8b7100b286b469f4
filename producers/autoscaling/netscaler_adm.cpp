#include "producers/autoscaling/netscaler_adm.hpp"

#include "producers/autoscaling/netscaler/collector.hpp"
#include "producers/autoscaling/netscaler/decider.hpp"

#include <algorithm>
#include <string_view>

namespace spillover {

namespace {

using netscaler::step_kind;

/// @returns how a step is called where other policies name their driver.
std::string_view name_of(const netscaler::step& x) noexcept {
  switch (x.kind) {
    // What led to the decision says more than that one was made.
    case step_kind::provision:
    case step_kind::deregister_address: return x.reason;
    case step_kind::join: return "JOINED";
    case step_kind::register_address: return "ADDED";
    case step_kind::drain: return "DRAIN";
    case step_kind::deprovision: return "DEPROVISION";
    case step_kind::remove: return "REMOVED";
  }
  return "?";
}

/// The node that a group loses next when it has one too many, see `surplus::removed`: the youngest that
/// starts, else the youngest that crashed, else the youngest that is ready.
class next_to_go {
public:
  /// @param x a member; later ones are younger
  void consider(const instance_usage& x) noexcept {
    const auto how = x.state == instance_state::starting ? 2 : x.state == instance_state::crashed;
    if (how >= how_) {
      node_ = x.index;
      how_ = how;
    }
  }

  [[nodiscard]] std::uint32_t node() const noexcept { return node_; }

private:
  std::uint32_t node_ = netscaler::no_node;
  int how_ = 0;
};

class netscaler_adm final : public autoscaler {
public:
  netscaler_adm(const netscaler_adm_config& x, double cpu)
    : config_(x), cpu_(cpu), decider_(x.adm) {}

  [[nodiscard]] std::string_view policy() const noexcept override {
    return netscaler_adm_config::policy;
  }

  [[nodiscard]] scaling_bounds bounds() const noexcept override {
    return {config_.adm.min_nodes, config_.adm.max_nodes};
  }

  [[nodiscard]] duration period() const noexcept override { return config_.adm.interval; }
  [[nodiscard]] bool on_demand() const noexcept override { return false; }
  [[nodiscard]] bool wants_instances() const noexcept override { return true; }

  [[nodiscard]] instant next_look() const noexcept override {
    return next_step_ < steps_.size() ? steps_[next_step_].at : decider_.next_due();
  }

  void observe(const second_usage& x) override {
    seconds_ += std::chrono::seconds{1};
    collector_.begin(seconds_ % config_.adm.interval == duration::zero());
    members_ = 0;
    next_ = {};
    auto drains = false;
    for (const auto& node : x.instances) {
      const auto leaves = node.state == instance_state::draining;
      drains = drains || leaves;
      if (leaves)
        continue;
      ++members_;
      next_.consider(node);
      if (node.state == instance_state::ready)
        collector_.add(told_by(node));
    }
    if (decider_.current() == netscaler::phase::draining && !drains)
      keep(decider_.emptied(x.ended));
  }

  recommendation decide(instant now, const fleet_size& size) override {
    // Also those that a quota has not let come yet.
    keep(decider_.observe(now, {std::max(members_, size.recommended), collector_.collected()}));
    return next(now, size);
  }

  recommendation look(instant now, const fleet_size& size) override {
    if (next_step_ == steps_.size())
      keep(decider_.advance(now));
    return next(now, size);
  }

private:
  [[nodiscard]] netscaler::node_statistics told_by(const instance_usage& x) const noexcept {
    const auto& memory = config_.memory;
    return {.node = x.index,
            .cpu = x.cpu * 100 / cpu_,
            .memory = std::min(100.0, memory.base + memory.per_request * x.concurrency),
            .throughput = static_cast<double>(x.requests),
            .connections = static_cast<std::uint32_t>(x.concurrency + 0.5)};
  }

  void keep(std::span<const netscaler::step> steps) {
    if (next_step_ == steps_.size()) {
      steps_.clear();
      next_step_ = 0;
    }
    steps_.insert(steps_.end(), steps.begin(), steps.end());
  }

  // One step at a time, as each is told by itself.
  recommendation next(instant, const fleet_size& size) {
    if (next_step_ == steps_.size())
      return {.count = size.recommended};
    const auto& x = steps_[next_step_++];
    recommendation result{.count = size.recommended, .driver = name_of(x), .step = true};
    // While DNS still leads clients to a node it keeps its place; with a load balancer both steps come
    // at once.
    if (x.kind == step_kind::provision)
      ++result.count;
    else if (x.kind == step_kind::drain)
      --result.count;
    result.count = std::clamp(result.count, config_.adm.min_nodes, config_.adm.max_nodes);
    for (const auto& [name, value] : x.inputs)
      result.inputs.emplace_back(name, value);
    if (x.kind == step_kind::provision)
      result.inputs.insert(result.inputs.end(),
                           {{"provisioning_time_ns", config_.adm.provisioning_time.count()},
                            {"cooldown_ns", config_.adm.cooldown.count()}});
    else if (x.node != netscaler::no_node)
      name_node(x, size, result);
    return result;
  }

  /// Tells which node a step of a scale-in is about. The decider chose among those that told something;
  /// one that starts or is crashed goes before them (D-12), and none while some have not come yet.
  void name_node(const netscaler::step& x, const fleet_size& size, recommendation& result) {
    if (x.kind == step_kind::deregister_address || x.kind == step_kind::drain)
      leaving_ = members_ < size.recommended ? netscaler::no_node : next_.node();
    std::erase_if(result.inputs, [&](const auto& input) {
      return input.first == "node" || (leaving_ != x.node && input.first == "node_connections");
    });
    if (leaving_ != netscaler::no_node)
      result.inputs.emplace_back("node", leaving_);
  }

  netscaler_adm_config config_;
  double cpu_;
  netscaler::decider decider_;
  netscaler::collector collector_;
  duration seconds_{}; // that were observed
  std::uint32_t members_ = 0;
  next_to_go next_;
  std::uint32_t leaving_ = netscaler::no_node;
  std::vector<netscaler::step> steps_; // still to be carried out from `next_step_` on
  std::size_t next_step_ = 0;
};

bool is_percentage(double x) noexcept {
  return x >= 0 && x <= 100;
}

} // namespace

std::vector<std::string> validate(const netscaler_adm_config& x) {
  auto problems = netscaler::validate(x.adm);
  // A scenario has the limits under one key.
  for (auto& problem : problems)
    for (const std::string_view statistic : {"cpu.", "memory.", "throughput."})
      if (problem.starts_with(statistic))
        problem.insert(0, "thresholds.");
  if (!is_percentage(x.memory.base))
    problems.emplace_back("memory_model.base: must be from 0 to 100");
  if (!is_percentage(x.memory.per_request))
    problems.emplace_back("memory_model.per_request: must be from 0 to 100");
  if (x.adm.victim != netscaler::node_choice::youngest)
    problems.emplace_back("victim: must be youngest");
  return problems;
}

std::unique_ptr<autoscaler> make_netscaler_adm(const netscaler_adm_config& x, double cpu) {
  return std::make_unique<netscaler_adm>(x, cpu);
}

} // namespace spillover
