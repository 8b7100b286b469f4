#include "bench/decisions.hpp"

#include <vector>

namespace spillover::bench {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr instance_config web{.cpu = 1, .concurrency = 80, .cold_start = {}, .service_time = {}};

/// Instances that are all alike, more busy in one minute than in the next.
class fleet_of_usages {
public:
  explicit fleet_of_usages(std::uint32_t instances) : usages_(instances) {
    for (std::uint32_t i = 0; i < instances; ++i) {
      usages_[i].index = i;
      usages_[i].state = instance_state::ready;
    }
  }

  second_usage at(instant now) {
    const auto busy = (now.time_since_epoch() / std::chrono::minutes{1}) % 2 == 0;
    for (auto& x : usages_) {
      x.cpu = busy ? 0.9 : 0.3;
      x.concurrency = busy ? 70 : 20;
      x.requests = busy ? 100 : 30;
    }
    const auto count = static_cast<double>(usages_.size());
    return {now, usages_.front().cpu * count, usages_.front().concurrency * count, 0, usages_};
  }

private:
  std::vector<instance_usage> usages_;
};

/// Requests that a policy counts itself.
void send_some(request_watcher& to, instant now, std::uint32_t instances) {
  for (std::uint32_t i = 0; i < instances; ++i) {
    to.began(now, i, false);
    to.ended(now + seconds{1}, i, false);
  }
}

} // namespace

decision_cost decide_often(const autoscaling_config& policy, std::uint32_t instances,
                           std::uint32_t decisions) {
  const auto scaler = make_autoscaler(policy, web, 1, "bench/web");
  fleet_of_usages fleet{instances};
  const fleet_size size{instances, instances, 0, true};
  if (auto* watcher = scaler->watcher())
    for (std::uint32_t i = 0; i < instances; ++i)
      watcher->serves(run_start, i);
  decision_cost sum;
  std::uint32_t made = 0;
  std::int64_t passed = 0;
  for (auto now = run_start; made < decisions; now += seconds{1}, ++passed) {
    if (auto* watcher = scaler->watcher())
      send_some(*watcher, now, instances);
    const auto usage = fleet.at(now + seconds{1});
    const auto begin = clock::now();
    scaler->observe(usage);
    // Policies with tickers of their own take in their reports when they look.
    while (scaler->next_look() <= usage.ended)
      scaler->look(scaler->next_look(), size);
    const auto observed = clock::now();
    sum.observe += observed - begin;
    const auto period = scaler->period();
    const auto due = period == duration::max()
                       ? true
                       : usage.ended.time_since_epoch() % period == duration::zero();
    if (!due)
      continue;
    const auto before = clock::now();
    scaler->decide(usage.ended, size);
    sum.decide += clock::now() - before;
    ++made;
  }
  return {sum.decide / made, sum.observe / passed};
}

} // namespace spillover::bench
