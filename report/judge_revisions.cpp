#include "report/format.hpp"
#include "report/judging.hpp"

#include <algorithm>
#include <cmath>

namespace spillover {

namespace {

/// Takes over that an event decided the judgement.
void decide(judgement& to, const event* by) {
  to.at = by->at;
  to.by = by->id;
}

std::int64_t running(const revision_sample& x) noexcept {
  return std::int64_t{x.ready} + x.deprioritised;
}

std::uint64_t paid_instances(const revision_sample& x) noexcept {
  return std::uint64_t{x.starting} + x.ready + x.deprioritised + x.draining;
}

/// @returns the samples of a revision that say how many instances run then: the last one up to an
///          instant, or each of a window.
std::vector<const event*> samples_of(const judged_run& run, const expect_instances& x) {
  std::vector<const event*> result;
  if (x.from > run.index.run_end())
    return result;
  for (const auto* y : run.index.all<revision_sample>()) {
    if (y->entity != x.of || y->at < run.index.warm_up_end() || y->at > x.to)
      continue;
    if (x.from == x.to)
      result = {y};
    else if (y->at >= x.from)
      result.push_back(y);
  }
  return result;
}

} // namespace

judgement judge_one(const judged_run& run, const expect_queue& x) {
  judgement result;
  std::uint32_t peak = 0;
  for (const auto* y : run.index.all<revision_sample>()) {
    if (y->entity != x.of || !run.holds(y, x.from.value_or(run_start), x.to.value_or(never)))
      continue;
    const auto length = payload_of<revision_sample>(y).queue_peak;
    // The first one above the limit, or else the highest one.
    if (!result.at || (peak <= x.at_most && length > peak))
      decide(result, y);
    peak = std::max(peak, length);
  }
  if (!result.at) {
    result.measured = run.nothing_since(x.from.value_or(run_start), "no second lies there");
    return result;
  }
  result.met = peak <= x.at_most;
  result.measured = "peak " + thousands(peak);
  result.value = peak;
  return result;
}

judgement judge_one(const judged_run& run, const expect_rate& x) {
  judgement result;
  std::vector<const event*> samples;
  std::int64_t seconds = 0;
  std::int64_t arrivals = 0;
  for (const auto* y : run.index.all<revision_sample>()) {
    if (!is_within(y->entity, x.of) || !run.holds(y, x.from, x.to))
      continue;
    // Revisions of a region have their seconds at the same instants.
    seconds += samples.empty() || samples.back()->at != y->at ? 1 : 0;
    arrivals += payload_of<revision_sample>(y).arrivals;
    samples.push_back(y);
  }
  if (samples.empty()) {
    result.measured = run.nothing_since(x.from, "no second lies there");
    return result;
  }
  decide(result, samples.back());
  const auto thousandths = [](double rate) { return std::llround(rate * 1'000); };
  const auto low = x.at_least && arrivals * 1'000 < thousandths(*x.at_least) * seconds;
  const auto most = x.at_most ? thousandths(*x.at_most) * seconds : 0;
  const auto high = x.at_most && arrivals * 1'000 > most;
  result.met = !low && !high;
  result.value = (arrivals * 1'000 + (high ? seconds - 1 : 0)) / seconds;
  result.measured = rate_text(*result.value);
  if (!high)
    return result;
  std::int64_t so_far = 0;
  decide(result, *std::find_if(samples.begin(), samples.end(), [&](const event* y) {
           so_far += payload_of<revision_sample>(y).arrivals;
           return so_far * 1'000 > most;
         }));
  return result;
}

judgement judge_one(const judged_run& run, const expect_instances& x) {
  judgement result;
  const auto samples = samples_of(run, x);
  if (samples.empty()) {
    result.measured = run.nothing_since(x.from, "no second lies there");
    return result;
  }
  const auto too_few = [&x](std::int64_t count) { return x.at_least && count < *x.at_least; };
  const auto too_many = [&x](std::int64_t count) { return x.at_most && count > *x.at_most; };
  auto least = running(payload_of<revision_sample>(samples.front()));
  auto most = least;
  result.met = true;
  for (const auto* y : samples) {
    const auto count = running(payload_of<revision_sample>(y));
    least = std::min(least, count);
    most = std::max(most, count);
    if (result.met)
      decide(result, y);
    result.met = result.met && !too_few(count) && !too_many(count);
  }
  result.measured = least == most
                      ? counted(static_cast<std::uint64_t>(most), "instance")
                      : std::to_string(least) + " to " + std::to_string(most) + " instances";
  result.value = too_few(least) || !x.at_most ? least : most;
  return result;
}

judgement judge_one(const judged_run& run, const expect_cost& x) {
  judgement result;
  const auto by_vcpu = x.vcpu_seconds_at_most.has_value();
  const auto limit =
    by_vcpu ? *x.vcpu_seconds_at_most * 1'000 : x.instance_seconds_at_most.value_or(0);
  std::uint64_t cost = 0;
  for (const auto* y : run.index.all<revision_sample>()) {
    if ((!x.of.empty() && !is_within(y->entity, x.of))
        || !run.holds(y, x.from.value_or(run_start), x.to.value_or(never)))
      continue;
    if (cost <= limit)
      decide(result, y);
    const auto& sample = payload_of<revision_sample>(y);
    cost += by_vcpu ? sample.billed_milli + sample.billed_idle_milli : paid_instances(sample);
  }
  if (!result.at) {
    result.measured = run.nothing_since(x.from.value_or(run_start), "no second lies there");
    return result;
  }
  result.met = cost <= limit;
  result.value = static_cast<std::int64_t>(cost);
  result.measured =
    by_vcpu ? vcpu_seconds_text(*result.value) + " vCPU-seconds" : counted(cost, "instance-second");
  return result;
}

} // namespace spillover
