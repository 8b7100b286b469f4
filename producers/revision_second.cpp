#include "producers/revision.hpp"

#include <algorithm>
#include <utility>

// What a revision makes of a second that ended.

namespace spillover {

namespace {

// Of its CPU an instance uses in a second in which it is at its limit (A-38, A-50; inferred).
constexpr double saturated_share = 0.9;

bool runs(instance_state x) noexcept {
  return x == instance_state::ready || x == instance_state::deprioritised;
}

} // namespace

revision::usage revision::collect_usage(instant now) {
  utilisation_.assign(fleet_.size(), 0);
  usages_.clear();
  usage sum{0, std::exchange(departed_busy_, 0)};
  limits_ = limited_ = 0;
  double running_cpu = 0;
  std::uint32_t running = 0;
  // Without a limit the CPU alone tells how busy it is.
  const auto limit = config_.instance.concurrency;
  const auto slots = static_cast<double>(limit) * 1e9;
  const auto cores = cores_ * 1e9;
  for (const auto index : present_) {
    count_busy(now, index);
    auto& own = processes_[index];
    const auto cpu = static_cast<double>(own.cpu);
    const auto slot_time = tally_.take_slot_time(index).count();
    const auto busy = static_cast<double>(slot_time);
    const auto share = std::max(cpu / cores, limit == 0 ? 0.0 : busy / slots);
    utilisation_[index] = static_cast<std::uint32_t>(share * 1000 + 0.5);
    own.saturated = cpu >= saturated_share * cores;
    if (config_.routing.early_reject && runs(fleet_.state(index))) {
      ++running;
      running_cpu += cpu;
    }
    if (platform_.tunes)
      tune(index, cpu / cores);
    if (per_instance_)
      usages_.push_back({index, fleet_.state(index), own.started, own.ready_changed, !own.set_aside,
                         cpu * 1e-9, busy * 1e-9, std::exchange(own.requests, 0)});
    sum.cpu += std::exchange(own.cpu, 0);
    sum.busy += slot_time;
  }
  // Of those that are still to come nothing can be said.
  const auto& n = fleet_.count();
  saturated_ = running > 0 && n.starting == 0 && n.crashed == 0
               && running_cpu >= saturated_share * cores * running;
  return sum;
}

void revision::tune(std::uint32_t index, double cpu_utilisation) {
  const auto state = fleet_.state(index);
  if (state != instance_state::ready && state != instance_state::deprioritised)
    return;
  auto& own = processes_[index];
  const auto limit = tuned_[index].observe(cpu_utilisation, own.reached_limit);
  if (!own.set_aside)
    packer_->set_limit(index, limit);
  own.reached_limit = packer_->in_flight(index) >= limit;
  limits_ += limit;
  ++limited_;
}

revision_sample revision::on_second(instant now, revision_effects& out,
                                    const second_usage* carried) {
  const auto used = collect_usage(now);
  const auto mean_limit =
    limited_ == 0 ? 0 : static_cast<double>(limits_) / static_cast<double>(limited_);
  used_ = {now,
           static_cast<double>(used.cpu) * 1e-9,
           static_cast<double>(used.busy) * 1e-9,
           mean_limit,
           {}};
  auto seen = carried ? *carried : used_;
  seen.instances = usages_;
  scaler_->observe(seen);
  // Where a limit rose there is room.
  if (platform_.tunes)
    serve_queue(now, out);
  apply(now, fleet_.observe(now, utilisation_), out);
  apply(now, fleet_.stop_drained(now), out);
  ++seconds_;
  constexpr std::chrono::seconds second{1};
  const auto period = scaler_->period();
  if (period != duration::max() && seconds_ % (period / second) == 0)
    evaluate(now, out);
  look_at_changes(now, out);
  return take_sample(now, used);
}

revision_sample revision::take_sample(instant now, const usage& x) {
  auto result = std::exchange(sample_, {});
  const auto& n = fleet_.count();
  result.queue = static_cast<std::uint32_t>(queue_.size());
  sample_.queue_peak = result.queue;
  result.concurrency_milli = static_cast<std::uint64_t>(x.busy / 1'000'000);
  result.cpu_milli = static_cast<std::uint64_t>(x.cpu / 1'000'000);
  result.recommended = fleet_.recommended();
  result.starting = n.starting;
  result.ready = n.ready;
  result.deprioritised = n.deprioritised;
  result.draining = n.draining;
  result.crashed = n.crashed;
  const auto cost = tally_.take_second(now);
  result.billed_milli = cost.full;
  result.billed_idle_milli = cost.idle_minimum;
  return result;
}

} // namespace spillover
