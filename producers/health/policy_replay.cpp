#include "producers/health/policy_replay.hpp"

#include "model/random.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

using verdicts = std::vector<endpoint_history::verdict>;

/// What an endpoint is at a time; its steps are looked at in the order of time.
class condition_reader {
public:
  explicit condition_reader(const endpoint_history& of) : steps_(of.conditions) {}

  std::optional<endpoint_condition> at(instant when) {
    while (place_ + 1 < steps_.size() && steps_[place_ + 1].at <= when)
      ++place_;
    return steps_[place_].is;
  }

private:
  const std::vector<endpoint_history::step>& steps_;
  std::size_t place_ = 0;
};

/// A probe that is over, or an endpoint that came or left.
struct finding {
  instant at{};
  std::uint32_t prober = 0;
  probe_result result = probe_result::refused;
};

probe_result met(const std::optional<endpoint_condition>& is) {
  if (is == endpoint_condition::answering)
    return probe_result::answered;
  return is == endpoint_condition::silent ? probe_result::silent : probe_result::failed;
}

instant end_of(const endpoint_history& x, instant end) {
  return x.conditions.back().is ? end : std::min(end, x.conditions.back().at);
}

std::vector<finding> findings_of(const endpoint_history& x, const health_check_config& how,
                                 random_stream& phases, instant end) {
  std::vector<finding> result;
  const auto last = end_of(x, end);
  // Those that are there from the beginning have been there for long.
  const auto begin = x.conditions.front().at;
  const auto wait = begin == run_start ? duration::zero() : how.initial_delay;
  for (std::uint32_t prober = 0; prober < how.probers; ++prober) {
    const auto phase = duration{
      static_cast<duration::rep>(phases.below(static_cast<std::uint64_t>(how.interval.count())))};
    condition_reader conditions{x};
    for (auto at = begin + wait + phase; at < last; at += how.interval) {
      const auto found_there = met(conditions.at(at));
      finding found{at, prober, judged_by(how, found_there)};
      if (found_there == probe_result::answered)
        found.at += how.response_time;
      else if (found_there == probe_result::silent)
        found.at += how.timeout;
      if (found.at < last)
        result.push_back(found);
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const finding& a, const finding& b) { return a.at < b.at; });
  return result;
}

// Endpoints that a run begins with are unknown, later ones unhealthy (B-38).
health first_state(const endpoint_history& x) {
  return x.conditions.front().at == run_start ? health::unknown : health::unhealthy;
}

/// What a source hears of its endpoints.
struct report {
  enum class kind : std::uint8_t { added, changed, removed };
  instant at{};
  kind what = kind::added;
  health before = health::unknown;
  health after = health::unknown;
};

// What counts by its own readiness probe comes with its first verdict, and goes with an UNKNOWN one.
std::vector<report> reports_of_readiness(const std::vector<verdicts>& found) {
  std::vector<report> result;
  for (const auto& one : found) {
    auto state = health::unknown;
    for (const auto& x : one) {
      const auto what = state == health::unknown     ? report::kind::added
                        : x.state == health::unknown ? report::kind::removed
                                                     : report::kind::changed;
      result.push_back({x.at, what, std::exchange(state, x.state), x.state});
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const report& a, const report& b) { return a.at < b.at; });
  return result;
}

std::vector<report> reports_of(const backend_history& of, const std::vector<verdicts>& found,
                               instant end) {
  std::vector<report> result;
  for (std::size_t i = 0; i < of.endpoints.size(); ++i) {
    const auto& x = of.endpoints[i];
    auto state = first_state(x);
    result.push_back({x.conditions.front().at, report::kind::added, state, state});
    const auto last = end_of(x, end);
    for (const auto& y : found[i]) {
      if (y.at >= last || y.state == state)
        continue;
      result.push_back({y.at, report::kind::changed, std::exchange(state, y.state), y.state});
    }
    if (!x.conditions.back().is)
      result.push_back({x.conditions.back().at, report::kind::removed, state, state});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const report& a, const report& b) { return a.at < b.at; });
  return result;
}

void tell(health_source& source, const report& x) {
  switch (x.what) {
    case report::kind::added: source.add(x.after); break;
    case report::kind::changed: source.change(x.before, x.after); break;
    case report::kind::removed: source.remove(x.before); break;
  }
}

const aggregation_policy& policy_of(const policy_candidate& x, const std::string& path) {
  const auto found = x.sources.find(path.substr(path.rfind('/') + 1));
  return found == x.sources.end() ? x.aggregation : found->second;
}

std::vector<verdicts> recorded(const backend_history& of) {
  std::vector<verdicts> result;
  result.reserve(of.endpoints.size());
  for (const auto& x : of.endpoints)
    result.push_back(x.verdicts);
  return result;
}

} // namespace

std::vector<verdicts> probe_history(const backend_history& of, const health_check_config& how,
                                    std::uint64_t seed, instant end) {
  random_stream phases{seed, of.path + "/probers/phases"};
  std::vector<verdicts> result;
  result.reserve(of.endpoints.size());
  for (const auto& x : of.endpoints) {
    auto& into = result.emplace_back();
    endpoint_tracker tracker{how, first_state(x)};
    for (const auto& found : findings_of(x, how, phases, end))
      if (const auto change = tracker.observe(found.prober, found.result))
        into.push_back({found.at, change->after});
  }
  return result;
}

source_replay replay_source(const backend_history& of, const policy_candidate& policy,
                            std::uint64_t seed, instant end) {
  const auto found =
    policy.health_check ? probe_history(of, *policy.health_check, seed, end) : recorded(of);
  const auto reports = of.by_readiness && !policy.health_check ? reports_of_readiness(found)
                                                               : reports_of(of, found, end);
  const auto tick = policy.timing.aggregation_tick;
  random_stream random{seed, of.path + "/source/phase"};
  const auto phase =
    duration{static_cast<duration::rep>(random.below(static_cast<std::uint64_t>(tick.count())))};
  const auto tick_after = [&](instant when) {
    const auto since = when - run_start - phase;
    return run_start + phase
           + (since < duration::zero() ? duration::zero() : (since / tick + 1) * tick);
  };
  const auto warm_up = run_start + policy.timing.warm_up;
  health_source source{policy_of(policy, of.path), warm_up};
  source_replay result{of.path, {}};
  // The ticks at which something may have changed: the next one after each report, and the one at which
  // the warm-up is over.
  std::vector<instant> ticks{tick_after(warm_up)};
  for (const auto& x : reports)
    ticks.push_back(tick_after(x.at));
  std::sort(ticks.begin(), ticks.end());
  ticks.erase(std::unique(ticks.begin(), ticks.end()), ticks.end());
  auto next = reports.begin();
  for (const auto at : ticks) {
    if (at >= end)
      break;
    for (; next != reports.end() && next->at < at; ++next)
      tell(source, *next);
    if (const auto change = source.judge(at))
      result.steps.push_back({at, *change});
  }
  return result;
}

std::vector<health_step> join_sources(std::span<const source_replay> sources) {
  std::vector<std::pair<instant, std::size_t>> changes;
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (const auto& x : sources[i].steps)
      changes.emplace_back(x.at, i);
  std::sort(changes.begin(), changes.end());
  std::vector<health> states(sources.size(), health::unknown);
  std::vector<std::size_t> places(sources.size(), 0);
  std::vector<health_step> result{{run_start, health::unknown}};
  for (const auto& [at, source] : changes) {
    states[source] = sources[source].steps[places[source]++].change.after;
    const auto after = conjunction(states);
    if (after == result.back().state)
      continue;
    // What changes back in the same instant was never seen.
    if (result.size() > 1 && result.back().at == at)
      result.back().state = after;
    else
      result.push_back({at, after});
    if (result.size() > 1 && result.back().state == result[result.size() - 2].state)
      result.pop_back();
  }
  return result;
}

std::vector<answering_step> answering_over_time(const backend_history& of) {
  struct change {
    instant at{};
    int answering = 0;
    int total = 0;
  };
  std::vector<change> changes;
  for (const auto& x : of.endpoints) {
    std::optional<endpoint_condition> is;
    for (const auto& step : x.conditions) {
      const auto before = is == endpoint_condition::answering ? 1 : 0;
      const auto after = step.is == endpoint_condition::answering ? 1 : 0;
      changes.push_back({step.at, after - before, (step.is ? 1 : 0) - (is ? 1 : 0)});
      is = step.is;
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const change& a, const change& b) { return a.at < b.at; });
  std::vector<answering_step> result;
  std::int64_t answering = 0;
  std::int64_t total = 0;
  for (const auto& x : changes) {
    answering += x.answering;
    total += x.total;
    if (result.empty() || result.back().at != x.at)
      result.push_back({x.at});
    result.back().answering = static_cast<std::uint32_t>(answering);
    result.back().total = static_cast<std::uint32_t>(total);
  }
  return result;
}

} // namespace spillover
