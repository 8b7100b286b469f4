#include "model/random.hpp"
#include "producers/autoscaling/netscaler/decider.hpp"
#include "tests/producers/autoscaling/netscaler/collected.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace spillover::netscaler;
using namespace std::chrono_literals;

settings random_settings(random_stream& random) {
  const auto span = [&random](std::uint64_t most) {
    return static_cast<std::int64_t>(random.below(most + 1)) * 30s;
  };
  settings x;
  x.cpu.selected = random.below(2) == 0;
  x.memory.selected = !x.cpu.selected || random.below(2) == 0;
  x.throughput = {random.below(4) == 0, 40, 85};
  x.statistic = random.below(2) == 0 ? cluster_statistic::mean : cluster_statistic::highest_node;
  x.watch_time = span(5);
  x.watch = random.below(2) == 0 ? watch_rule::longer : watch_rule::at_least;
  x.cooldown = span(8);
  x.provisioning_time = span(6);
  x.deprovisioning_time = span(4);
  x.drain_connection_timeout = span(8);
  x.drain_ends_when_empty = random.below(4) != 0;
  x.distribution =
    random.below(2) == 0 ? traffic_distribution::network_load_balancer : traffic_distribution::dns;
  x.dns_ttl = span(4);
  x.update_time = span(4);
  x.victim = static_cast<node_choice>(random.below(3));
  x.min_nodes = static_cast<std::uint32_t>(1 + random.below(2));
  x.max_nodes = x.min_nodes + static_cast<std::uint32_t>(random.below(5));
  return x;
}

/// The rules once more, in another way: an action is a plan that is made when it is decided, and a
/// breach is looked for backwards in what was collected since the last one.
class planner {
public:
  explicit planner(const settings& x) : with_(x) {}

  void observe(instant now, std::uint32_t members, std::span<const node_statistics> nodes) {
    if (now < busy_until_)
      return;
    collected_.emplace_back(now, std::vector<node_statistics>{nodes.begin(), nodes.end()});
    if (any_above() && members < with_.max_nodes)
      plan_out(now);
    else if (!any_above() && breached(&planner::all_below) && members > with_.min_nodes)
      plan_in(now, choose(nodes));
  }

  void emptied(instant now) {
    const auto from = at(step_kind::drain);
    const auto to = at(step_kind::deprovision);
    if (!with_.drain_ends_when_empty || from > now || to <= now)
      return;
    busy_until_ = now + with_.deprovisioning_time;
    plan[plan.size() - 2].first = now;
    plan.back().first = busy_until_;
  }

  void failed(instant now) {
    if (at(step_kind::join) == never || at(step_kind::join) <= now)
      return;
    plan.resize(plan.size() - 2);
    plan.emplace_back(now, step_kind::remove);
    busy_until_ = now;
  }

  std::vector<std::pair<instant, step_kind>> plan;
  std::vector<std::uint32_t> victims;

private:
  using collection = std::pair<instant, std::vector<node_statistics>>;

  /// @returns when the last action takes that step, or `never`.
  [[nodiscard]] instant at(step_kind kind) const {
    for (auto i = action_; i < plan.size(); ++i)
      if (plan[i].second == kind)
        return plan[i].first;
    return never;
  }

  void plan_out(instant now) {
    action_ = plan.size();
    const auto joined = now + with_.provisioning_time;
    const auto registered = joined + with_.update_time;
    plan.insert(plan.end(), {{now, step_kind::provision},
                             {joined, step_kind::join},
                             {registered, step_kind::register_address}});
    busy_until_ = registered + with_.cooldown;
    collected_.clear();
  }

  void plan_in(instant now, std::uint32_t victim) {
    action_ = plan.size();
    const auto dns = with_.distribution == traffic_distribution::dns;
    const auto drained = now + (dns ? with_.dns_ttl : with_.update_time);
    const auto over = drained + with_.drain_connection_timeout;
    busy_until_ = over + with_.deprovisioning_time;
    plan.insert(plan.end(), {{now, step_kind::deregister_address},
                             {drained, step_kind::drain},
                             {over, step_kind::deprovision},
                             {busy_until_, step_kind::remove}});
    victims.push_back(victim);
    collected_.clear();
  }

  /// @returns -1, 0 or 1: whether the cluster is below, within or above one statistic's limits.
  [[nodiscard]] int side(const threshold& limits, double node_statistics::*what,
                         const collection& x) const {
    double sum = 0;
    double highest = 0;
    for (const auto& node : x.second) {
      sum += node.*what;
      highest = std::max(highest, node.*what);
    }
    const auto n = static_cast<double>(x.second.size());
    const auto value = with_.statistic == cluster_statistic::mean ? sum : highest * n;
    return value > limits.max * n ? 1 : value < limits.min * n ? -1 : 0;
  }

  [[nodiscard]] bool all_below(const collection& x) const {
    return (!with_.cpu.selected || side(with_.cpu, &node_statistics::cpu, x) < 0)
           && (!with_.memory.selected || side(with_.memory, &node_statistics::memory, x) < 0)
           && (!with_.throughput.selected
               || side(with_.throughput, &node_statistics::throughput, x) < 0);
  }
  [[nodiscard]] bool cpu_above(const collection& x) const {
    return with_.cpu.selected && side(with_.cpu, &node_statistics::cpu, x) > 0;
  }
  [[nodiscard]] bool memory_above(const collection& x) const {
    return with_.memory.selected && side(with_.memory, &node_statistics::memory, x) > 0;
  }
  [[nodiscard]] bool throughput_above(const collection& x) const {
    return with_.throughput.selected && side(with_.throughput, &node_statistics::throughput, x) > 0;
  }

  [[nodiscard]] bool any_above() const {
    return breached(&planner::cpu_above) || breached(&planner::memory_above)
           || breached(&planner::throughput_above);
  }

  [[nodiscard]] bool breached(bool (planner::*by)(const collection&) const) const {
    auto first = collected_.rbegin();
    for (; first != collected_.rend(); ++first)
      if (first->second.empty() || !(this->*by)(*first))
        break;
    if (first == collected_.rbegin())
      return false;
    const auto lasted = collected_.back().first - std::prev(first)->first;
    return with_.watch == watch_rule::longer ? lasted > with_.watch_time
                                             : lasted >= with_.watch_time;
  }

  [[nodiscard]] std::uint32_t choose(std::span<const node_statistics> from) const {
    auto best = from[0];
    for (const auto& x : from) {
      const auto better = with_.victim == node_choice::youngest ? x.node > best.node
                          : with_.victim == node_choice::oldest
                            ? x.node < best.node
                            : x.connections < best.connections
                                || (x.connections == best.connections && x.node > best.node);
      if (better)
        best = x;
    }
    return best.node;
  }

  settings with_;
  std::vector<collection> collected_;
  std::size_t action_ = 0; // where the last one begins in `plan`
  instant busy_until_{};
};

/// A group to which anything happens at any time, and a planner beside it.
class chaos {
public:
  explicit chaos(std::uint64_t seed)
    : random_(seed, "netscaler"), with_(random_settings(random_)), subject_(with_), model_(with_) {
    const auto first = with_.min_nodes + random_.below(with_.max_nodes - with_.min_nodes + 1);
    for (; next_ < first; ++next_)
      members_.push_back(next_);
  }

  void run(int minutes) {
    for (int i = 0; i < minutes; ++i) {
      const auto at = run_start + i * 1min;
      disturb(at);
      take(subject_.advance(at));
      collect(at);
    }
    const auto end = run_start + minutes * 1min + 1h;
    take(subject_.advance(end));
    EXPECT_EQ(steps_, model_.plan);
    EXPECT_EQ(victims_, model_.victims);
  }

  std::set<step_kind> kinds;
  std::set<std::string_view> reasons;

private:
  /// What happens in the minute before `at`, its end included.
  void disturb(instant at) {
    if (at == run_start)
      return;
    auto now = at - 1min;
    while (random_.below(2) == 0) {
      now += static_cast<std::int64_t>(random_.below(5)) * 15s;
      if (now > at)
        return;
      switch (random_.below(3)) {
        case 0: take(subject_.advance(now)); break;
        case 1:
          take(subject_.emptied(now));
          model_.emptied(now);
          break;
        default:
          if (random_.below(4) != 0)
            break;
          take(subject_.failed(now));
          model_.failed(now);
      }
    }
  }

  void collect(instant at) {
    if (random_.below(6) == 0)
      mood_ = random_.below(4);
    nodes_.clear();
    const auto percent = [this] {
      constexpr double levels[4][3] = {{30, 39, 38}, {90, 86, 88}, {50, 85, 40}, {20, 60, 95}};
      return levels[mood_][random_.below(3)];
    };
    for (const auto member : members_)
      if (random_.below(30) != 0)
        nodes_.push_back(
          {member, percent(), percent(), percent(), static_cast<std::uint32_t>(random_.below(3))});
    for (std::size_t i = nodes_.size(); i > 1; --i)
      std::swap(nodes_[i - 1], nodes_[random_.below(i)]);
    const auto members = static_cast<std::uint32_t>(members_.size());
    model_.observe(at, members, nodes_);
    take(subject_.observe(at, {members, test::collected(nodes_)}));
    reasons.insert(subject_.last().reason);
  }

  void take(std::span<const step> steps) {
    for (const auto& x : steps) {
      steps_.emplace_back(x.at, x.kind);
      kinds.insert(x.kind);
      reasons.insert(x.reason);
      if (x.kind == step_kind::deregister_address)
        victims_.push_back(x.node);
      if (x.kind == step_kind::join)
        members_.push_back(next_++);
      if (x.kind == step_kind::drain)
        std::erase(members_, x.node);
      EXPECT_GE(members_.size(), with_.min_nodes);
      EXPECT_LE(members_.size(), with_.max_nodes);
    }
  }

  random_stream random_;
  settings with_;
  decider subject_;
  planner model_;
  std::vector<std::uint32_t> members_;
  std::uint32_t next_ = 0;
  std::uint64_t mood_ = 0;
  std::vector<node_statistics> nodes_;
  std::vector<std::pair<instant, step_kind>> steps_;
  std::vector<std::uint32_t> victims_;
};

TEST(NetscalerProperties, EveryStepComesWhenThePlanSaysWhateverHappensBetween) {
  std::set<step_kind> kinds;
  std::set<std::string_view> reasons;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    chaos subject{seed};
    subject.run(150);
    kinds.merge(subject.kinds);
    reasons.merge(subject.reasons);
    if (HasFailure())
      return;
  }
  EXPECT_EQ(kinds.size(), 7u);
  const std::set<std::string_view> all{
    "ALL",           "COOLDOWN",    "CPU",           "DEPROVISIONED", "DEPROVISIONING",
    "DEREGISTERING", "DRAINING",    "DRAIN_TIMEOUT", "EMPTY",         "FAILED",
    "MAX",           "MEMORY",      "MIN",           "NO_STATISTICS", "PROVISIONED",
    "PROVISIONING",  "REGISTERING", "THROUGHPUT",    "TTL",           "UPDATED",
    "WATCH_TIME",    "WITHIN"};
  EXPECT_EQ(reasons, all);
}

} // namespace
