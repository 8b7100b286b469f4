#include "report/format.hpp"
#include "report/judging.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spillover {

namespace {

/// Takes over that an event decided the judgement.
void decide(judgement& to, const event* by) {
  to.at = by->at;
  to.by = by->id;
}

/// One second of a backend service, or of one of its revisions.
struct second {
  const event* told = nullptr;
  std::uint32_t arrivals = 0;
  std::uint32_t queue_peak = 0;
  std::int64_t running = 0;
};

template <class Sample, class Wanted>
void add_seconds(const judged_run& run, const Wanted& wanted, std::vector<second>& to) {
  for (const auto* x : run.index.all<Sample>())
    if (wanted(*x)) {
      const auto& sample = payload_of<Sample>(x);
      to.push_back(
        {x, sample.arrivals, sample.queue_peak, std::int64_t{sample.ready} + sample.deprioritised});
    }
}

std::uint64_t paid_instances(const revision_sample& x) noexcept {
  return std::uint64_t{x.starting} + x.ready + x.deprioritised + x.draining;
}

/// @returns the seconds of an expectation for which `wanted` is true: those of what `x.of` names, or of
///          its revision, which has none before it is deployed.
template <class Expectation, class Wanted>
std::vector<second> seconds_of(const judged_run& run, const Expectation& x, const Wanted& wanted) {
  std::vector<second> result;
  if (x.revision.empty()) {
    add_seconds<revision_sample>(
      run, [&](const event& y) { return is_within(y.entity, x.of) && wanted(y); }, result);
    return result;
  }
  const auto path = path_of(x.of, x.revision);
  add_seconds<share_sample>(
    run, [&](const event& y) { return y.entity == path && wanted(y); }, result);
  return result;
}

/// @returns the seconds that say how many instances run then: the last one up to an instant, or each
///          of a window.
std::vector<second> samples_of(const judged_run& run, const expect_instances& x) {
  if (x.from > run.index.run_end())
    return {};
  auto result = seconds_of(run, x, [&](const event& y) {
    return y.at >= run.index.warm_up_end() && y.at <= x.to && (x.from == x.to || y.at >= x.from);
  });
  if (x.from == x.to && !result.empty())
    result = {result.back()};
  return result;
}

} // namespace

judgement judge_one(const judged_run& run, const expect_queue& x) {
  judgement result;
  const auto from = x.from.value_or(run_start);
  std::uint32_t peak = 0;
  for (const auto& y : seconds_of(
         run, x, [&](const event& e) { return run.holds(&e, from, x.to.value_or(never)); })) {
    // The first one above the limit, or else the highest one.
    if (!result.at || (peak <= x.at_most && y.queue_peak > peak))
      decide(result, y.told);
    peak = std::max(peak, y.queue_peak);
  }
  if (!result.at) {
    result.measured = run.nothing_since(from, "no second lies there");
    return result;
  }
  result.met = peak <= x.at_most;
  result.measured = "peak " + thousands(peak);
  result.value = peak;
  return result;
}

judgement judge_one(const judged_run& run, const expect_rate& x) {
  judgement result;
  const auto samples =
    seconds_of(run, x, [&](const event& e) { return run.holds(&e, x.from, x.to); });
  if (samples.empty()) {
    result.measured = run.nothing_since(x.from, "no second lies there");
    return result;
  }
  std::int64_t seconds = 0;
  std::int64_t arrivals = 0;
  const event* before = nullptr;
  for (const auto& y : samples) {
    // Backend services of a region have their seconds at the same instants.
    seconds += before == nullptr || before->at != y.told->at ? 1 : 0;
    arrivals += y.arrivals;
    before = y.told;
  }
  decide(result, before);
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
  const auto decisive = std::find_if(samples.begin(), samples.end(), [&](const second& y) {
    so_far += y.arrivals;
    return so_far * 1'000 > most;
  });
  decide(result, decisive->told);
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
  auto least = samples.front().running;
  auto most = least;
  result.met = true;
  for (const auto& y : samples) {
    const auto count = y.running;
    least = std::min(least, count);
    most = std::max(most, count);
    if (result.met)
      decide(result, y.told);
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
