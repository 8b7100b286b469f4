#include "lb/usage_replay.hpp"

#include <algorithm>

namespace spillover {

namespace {

struct change {
  instant at{};
  std::uint32_t region = 0;
  health state = health::unknown;
};

std::vector<change> in_time(std::span<const std::vector<applied_state>> states) {
  std::vector<change> result;
  for (std::uint32_t i = 0; i < states.size(); ++i)
    for (const auto& x : states[i])
      result.push_back({x.at, i, x.state});
  std::stable_sort(result.begin(), result.end(),
                   [](const change& a, const change& b) { return a.at < b.at; });
  return result;
}

// Of several shares in one instant the last one counts.
void note(std::vector<usage_step>& into, instant at, std::uint32_t share) {
  if (into.back().at == at)
    into.back().share = share;
  else if (into.back().share != share)
    into.push_back({at, share});
  if (into.size() > 1 && into.back().share == into[into.size() - 2].share)
    into.pop_back();
}

} // namespace

std::vector<std::vector<usage_step>>
replay_usage(const failback_config& config, std::span<const std::vector<applied_state>> states,
             instant end) {
  const auto count = static_cast<std::uint32_t>(states.size());
  failback_policy policy{config, count};
  std::vector<std::vector<usage_step>> result(count, {{run_start, 100}});
  const auto changes = in_time(states);
  for (auto next = changes.begin();;) {
    const auto due = next == changes.end() ? never : next->at;
    const auto at = std::min(due, policy.next());
    if (at >= end)
      return result;
    if (policy.next() <= at)
      policy.on_time(at);
    for (; next != changes.end() && next->at == at; ++next)
      policy.set(at, next->region, next->state);
    bool none = true;
    for (std::uint32_t i = 0; i < count; ++i)
      none = none && policy.shown(i) == health::unhealthy;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto share = policy.shown(i) == health::unhealthy ? 0 : policy.share(i);
      note(result[i], at, none ? 100 : share);
    }
  }
}

} // namespace spillover
