#include "sweeps/outcome.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover {

namespace {

using number = std::optional<std::int64_t>;

number ns_of(const std::optional<duration>& x) {
  return x ? number{x->count()} : std::nullopt;
}

/// @returns a clock of the first failover, which expectations mean too unless they say otherwise.
template <clock_reading failover_anatomy::*Clock>
number clock_of_first(const judged_log& run) {
  const auto& all = run.judged.failovers;
  return all.empty() ? std::nullopt : ns_of((all.front().*Clock).span);
}

number failover_of_first(const judged_log& run) {
  const auto& all = run.judged.failovers;
  return all.empty() ? std::nullopt : ns_of(all.front().failover);
}

number failovers(const judged_log& run) {
  return static_cast<std::int64_t>(run.judged.failovers.size());
}

number unfinished_failovers(const judged_log& run) {
  const auto& all = run.judged.failovers;
  return std::count_if(all.begin(), all.end(), [](const auto& x) { return !x.failover; });
}

number requests(const judged_log& run) {
  return static_cast<std::int64_t>(run.judged.requests.started);
}

number in_flight(const judged_log& run) {
  return static_cast<std::int64_t>(run.judged.requests.in_flight);
}

number ended(const judged_log& run) {
  std::uint64_t result = 0;
  for (const auto x : run.judged.requests.ended)
    result += x;
  return static_cast<std::int64_t>(result);
}

number failed(const judged_log& run) {
  const auto ok = run.judged.requests.ended[static_cast<std::size_t>(outcome::ok)];
  return *ended(run) - static_cast<std::int64_t>(ok);
}

number failed_ppm(const judged_log& run) {
  const auto all = *ended(run);
  return all == 0 ? std::nullopt : number{*failed(run) * 1'000'000 / all};
}

template <int TenThousandths>
number latency(const judged_log& run) {
  const auto& all = run.judged.requests.latency;
  return all.count() == 0 ? std::nullopt : number{all.quantile(TenThousandths / 10'000.0).count()};
}

billed_time billed(const judged_log& run) {
  billed_time result;
  for (const auto& x : run.judged.bills)
    result += x.billed;
  return result;
}

number instance_time(const judged_log& run) {
  return static_cast<std::int64_t>(billed(run).instances_milli);
}

number vcpu_time(const judged_log& run) {
  return billed(run).cost.full;
}

number idle_vcpu_time(const judged_log& run) {
  return billed(run).cost.idle_minimum;
}

number extra_vcpu_time(const judged_log& run) {
  const auto& all = run.judged.failovers;
  if (all.empty() || !all.front().cost.missing.empty())
    return std::nullopt;
  return all.front().cost.extra().total();
}

number instances(const judged_log& run) {
  std::int64_t result = 0;
  for (const auto* x : run.index.all<bill_closed>())
    result += payload_of<bill_closed>(x).instances;
  return result;
}

number transitions(const judged_log& run) {
  const auto changes = run.index.all<composite_changed>();
  return std::count_if(changes.begin(), changes.end(), [&run](const event* x) {
    return x->at >= run.index.warm_up_end()
           && payload_of<composite_changed>(x).before != health::unknown;
  });
}

number queue_peak(const judged_log& run) {
  std::uint32_t result = 0;
  for (const auto* x : run.index.all<revision_sample>())
    if (x->at - std::chrono::seconds{1} >= run.index.warm_up_end())
      result = std::max(result, payload_of<revision_sample>(x).queue_peak);
  return result;
}

number expectations_missed(const judged_log& run) {
  const auto& all = run.judged.judgements;
  return std::count_if(all.begin(), all.end(), [](const auto& x) { return !x.met; });
}

number lasted(const judged_log& run) {
  return (run.index.run_end() - run_start).count();
}

number events(const judged_log& run) {
  return static_cast<std::int64_t>(run.index.log().events().size());
}

using enum measure_unit;

constexpr std::array<measure, measure_count> all_measures{{
  {"detect_ns", ns, "first failover: fault's start to the endpoint that made the aggregate fail",
   clock_of_first<&failover_anatomy::detect>, true},
  {"aggregate_ns", ns, "from there to the composite's change",
   clock_of_first<&failover_anatomy::aggregate>, true},
  {"propagate_ns", ns, "from there to its arrival at the last consumer",
   clock_of_first<&failover_anatomy::propagate>, true},
  {"route_ns", ns, "from there to the last request to the region",
   clock_of_first<&failover_anatomy::route>, true},
  {"failover_ns", ns, "first failover: the sum of these four", failover_of_first, true},
  {"capacity_ns", ns, "from the end of routing until the survivor keeps up",
   clock_of_first<&failover_anatomy::capacity>, true},
  {"failback_ns", ns, "first failover: fault's end to the first request back",
   clock_of_first<&failover_anatomy::failback>, true},
  {"failovers", count, "failovers, and those that were expected and did not begin", failovers},
  {"unfinished_failovers", count, "those of them that did not end within the run",
   unfinished_failovers},
  {"requests", count, "requests begun in the whole run", requests},
  {"in_flight", count, "requests under way at its end", in_flight},
  {"ended", count, "requests that ended after the warm-up", ended},
  {"failed", count, "those of them that did not end ok", failed},
  {"failed_ppm", ppm, "the same as a share", failed_ppm},
  {"latency_p50_ns", ns, "half of the ok requests took at most", latency<5'000>},
  {"latency_p90_ns", ns, "90 % of the ok requests took at most", latency<9'000>},
  {"latency_p99_ns", ns, "99 % of the ok requests took at most", latency<9'900>},
  {"latency_p999_ns", ns, "99.9 % of the ok requests took at most", latency<9'990>},
  {"billed_instance_milli", milli_instance_s, "instance time that is billed", instance_time},
  {"billed_vcpu_milli", milli_vcpu_s, "vCPU time that is billed in full", vcpu_time},
  {"billed_idle_vcpu_milli", milli_vcpu_s, "vCPU time of idle minimum instances", idle_vcpu_time},
  {"failover_extra_vcpu_milli", milli_vcpu_s, "what the first failover cost above the usual",
   extra_vcpu_time, true},
  {"instances", count, "instances that ever were", instances},
  {"transitions", count, "changes of composites after the warm-up, not from UNKNOWN", transitions},
  {"queue_peak", count, "longest pending queue after the warm-up", queue_peak},
  {"expectations_missed", count, "expectations that were not met", expectations_missed},
  {"lasted_ns", ns, "emulated time until the end, or until stop_if was met", lasted},
  {"events", count, "events of the run's log", events},
}};

} // namespace

std::span<const measure, measure_count> measures() noexcept {
  return all_measures;
}

std::optional<std::size_t> find_measure(std::string_view name) noexcept {
  for (std::size_t i = 0; i < measure_count; ++i)
    if (all_measures[i].name == name)
      return i;
  return std::nullopt;
}

std::optional<std::int64_t> run_outcome::value(std::string_view name) const {
  const auto place = find_measure(name);
  SPILLOVER_CHECK(place.has_value());
  return values[*place];
}

bool same_outcome(const run_outcome& x, const run_outcome& y) {
  return x.key == y.key && x.end == y.end && x.trouble == y.trouble && x.values == y.values
         && x.expectations == y.expectations;
}

run_outcome summarise(run_key key, const judged_log& run, const std::vector<std::string>& flaws) {
  run_outcome result;
  result.key = key;
  result.end = run.judged.all_met() ? run_end::met : run_end::missed;
  for (const auto* list : {&run.judged.imbalances, &flaws})
    for (const auto& sentence : *list) {
      result.end = run_end::failed;
      if (!result.trouble.empty())
        result.trouble += "; ";
      result.trouble += sentence;
    }
  for (std::size_t i = 0; i < measure_count; ++i)
    result.values[i] = all_measures[i].read(run);
  for (const auto& x : run.judged.judgements)
    result.expectations.push_back({x.met, x.value});
  return result;
}

} // namespace spillover
