#include "scenario/policy_outcome.hpp"

#include "lb/usage_replay.hpp"
#include "report/format.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

/// Part of the time during which nothing changes.
struct span {
  instant from{};
  instant to{};
};

/// @returns the percentage of a time, all of it whole.
duration part_of(duration x, duration::rep percent) {
  // Divided first: a year times 100 is too long for the type.
  return percent == 100 ? x : x / 100 * percent;
}

/// What is said of a time by the last of some steps at or before it.
template <class Step>
const Step* last_at(const std::vector<Step>& steps, instant at) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), at,
                                      [](instant x, const Step& y) { return x < y.at; });
  return after == steps.begin() ? nullptr : &*(after - 1);
}

class region_trial {
public:
  region_trial(const region_timeline& of, const endpoint_timeline& timeline,
               const policy_candidate& policy)
    : of_(of), begin_(run_start + timeline.warm_up), end_(run_start + timeline.lasts) {
    auto candidate = policy;
    // Nobody's probers are recorded in a timeline that was invented.
    if (!timeline.recorded && !candidate.health_check)
      candidate.health_check.emplace();
    for (const auto& x : of.sources) {
      sources_.push_back(replay_source(x, candidate, timeline.seed, end_));
      answering_.push_back(answering_over_time(x));
    }
    composite_ = join_sources(sources_);
  }

  /// @returns the states as consumers apply them.
  [[nodiscard]] std::vector<applied_state> applied(const propagation_config& timing) const {
    const auto later = timing.propagation + timing.propagation_jitter / 2 + timing.apply;
    std::vector<applied_state> result;
    for (const auto& x : composite_)
      if (x.state != health::unknown)
        result.push_back({x.at + later, x.state});
    return result;
  }

  [[nodiscard]] region_outcome judge(const policy_test& test,
                                     const std::vector<usage_step>& usage) const;

private:
  [[nodiscard]] bool is_fine(instant at, double share) const;
  [[nodiscard]] std::string why(instant at) const;
  void count_transitions(const policy_test& test, region_outcome& into) const;
  [[nodiscard]] std::vector<span> spans(const std::vector<usage_step>& usage) const;

  const region_timeline& of_;
  instant begin_;
  instant end_;
  std::vector<source_replay> sources_;
  std::vector<std::vector<answering_step>> answering_;
  std::vector<health_step> composite_;
};

bool region_trial::is_fine(instant at, double share) const {
  return std::all_of(answering_.begin(), answering_.end(), [at, share](const auto& steps) {
    const auto* x = last_at(steps, at);
    return x != nullptr && x->total > 0 && is_share_at_least(x->answering, x->total, share);
  });
}

std::string region_trial::why(instant at) const {
  std::string result;
  for (const auto& source : sources_)
    for (const auto& x : source.steps)
      if (x.at == at)
        result.append(result.empty() ? "" : "; ")
          .append(source.path.substr(source.path.rfind('/') + 1))
          .append(" ")
          .append(std::to_string(x.change.healthy))
          .append(" of ")
          .append(std::to_string(x.change.total))
          .append(" healthy, ")
          .append(std::to_string(x.change.needed))
          .append(" needed");
  return result;
}

void region_trial::count_transitions(const policy_test& test, region_outcome& into) const {
  for (std::size_t i = 1; i < composite_.size(); ++i) {
    const auto& before = composite_[i - 1];
    const auto& after = composite_[i];
    composite_step step{after.at, before.state, after.state, why(after.at), false};
    const auto counts =
      after.at >= begin_ && before.state != health::unknown && after.state != health::unknown;
    if (counts) {
      ++into.transitions;
      step.flap = i + 1 < composite_.size() && composite_[i + 1].state == before.state
                  && composite_[i + 1].at - after.at <= test.flap_within;
      into.flaps += step.flap ? 1 : 0;
    }
    into.steps.push_back(std::move(step));
  }
}

std::vector<span> region_trial::spans(const std::vector<usage_step>& usage) const {
  std::vector<instant> bounds{begin_, end_};
  const auto add = [this, &bounds](instant at) {
    if (at > begin_ && at < end_)
      bounds.push_back(at);
  };
  for (const auto& x : usage)
    add(x.at);
  for (const auto& x : composite_)
    add(x.at);
  for (const auto& steps : answering_)
    for (const auto& x : steps)
      add(x.at);
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  std::vector<span> result;
  for (std::size_t i = 1; i < bounds.size(); ++i)
    result.push_back({bounds[i - 1], bounds[i]});
  return result;
}

region_outcome region_trial::judge(const policy_test& test,
                                   const std::vector<usage_step>& usage) const {
  region_outcome result;
  result.region = of_.region;
  count_transitions(test, result);
  duration unnoticed{};
  for (const auto& [from, to] : spans(usage)) {
    const auto lasts = to - from;
    const auto fine = is_fine(from, test.fine);
    const auto share = static_cast<duration::rep>(last_at(usage, from)->share);
    if (last_at(composite_, from)->state == health::unhealthy)
      result.unhealthy += lasts;
    if (fine)
      result.avoided_though_fine += part_of(lasts, 100 - share);
    else
      result.used_though_not_fine += part_of(lasts, share);
    unnoticed = !fine && share > 0 ? unnoticed + lasts : duration{};
    if (unnoticed > result.unnoticed) {
      result.unnoticed = unnoticed;
      result.unnoticed_from = to - unnoticed;
    }
  }
  return result;
}

/// Says which limits do not hold.
void check(region_outcome& x, const policy_limits& limits, duration judged) {
  const auto note = [&x](const char* what, const std::string& is, const std::string& limit) {
    x.broken.push_back(std::string{what} + " " + is + " is above " + limit);
  };
  const auto check_share = [&](const char* what, duration is, const std::optional<double>& most) {
    // Shares are compared by products, for which nanoseconds are too many.
    const auto part = static_cast<std::uint64_t>(is / std::chrono::milliseconds{1});
    const auto whole = static_cast<std::uint64_t>(judged / std::chrono::milliseconds{1});
    if (most && !is_share_at_most(part, whole, *most))
      note(what, share_text(part, whole), percent_text(*most));
  };
  if (limits.transitions && x.transitions > *limits.transitions)
    note("transitions", std::to_string(x.transitions), std::to_string(*limits.transitions));
  if (limits.flaps && x.flaps > *limits.flaps)
    note("flaps", std::to_string(x.flaps), std::to_string(*limits.flaps));
  if (limits.unhealthy && x.unhealthy > *limits.unhealthy)
    note("unhealthy", clock_text(x.unhealthy, *limits.unhealthy), exact_text(*limits.unhealthy));
  if (limits.unnoticed && x.unnoticed > *limits.unnoticed)
    note("unnoticed", clock_text(x.unnoticed, *limits.unnoticed), exact_text(*limits.unnoticed));
  check_share("avoided though fine", x.avoided_though_fine, limits.avoided_though_fine);
  check_share("used though not fine", x.used_though_not_fine, limits.used_though_not_fine);
}

service_outcome try_policy(const service_timeline& of, const endpoint_timeline& timeline,
                           const policy_test& test, const tested_policy& policy) {
  std::vector<region_trial> trials;
  std::vector<std::vector<applied_state>> states;
  for (const auto& x : of.regions) {
    trials.emplace_back(x, timeline, policy.producer);
    states.push_back(trials.back().applied(policy.producer.timing));
  }
  const auto usage = replay_usage(policy.consumer, states, run_start + timeline.lasts);
  service_outcome result{of.service, {}};
  for (std::size_t i = 0; i < trials.size(); ++i) {
    result.regions.push_back(trials[i].judge(test, usage[i]));
    check(result.regions.back(), policy.limits, timeline.lasts - timeline.warm_up);
  }
  return result;
}

} // namespace

bool policy_outcome::met() const noexcept {
  return std::all_of(services.begin(), services.end(), [](const service_outcome& x) {
    return std::all_of(x.regions.begin(), x.regions.end(),
                       [](const region_outcome& y) { return y.broken.empty(); });
  });
}

std::vector<policy_outcome> try_policies(const endpoint_timeline& timeline,
                                         const policy_test& test) {
  std::vector<policy_outcome> result;
  for (const auto& policy : test.policies) {
    auto& into = result.emplace_back(policy_outcome{policy.producer.name, {}});
    for (const auto& x : timeline.services)
      into.services.push_back(try_policy(x, timeline, test, policy));
  }
  return result;
}

} // namespace spillover
