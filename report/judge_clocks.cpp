#include "report/format.hpp"
#include "report/judging.hpp"
#include "report/recovery.hpp"

#include <algorithm>

namespace spillover {

namespace {

/// What a clock says, from when it ran, and whose it is.
struct measured_clock {
  std::optional<duration> span;
  std::optional<instant> since;
  event_id by;
  const failover_anatomy* of = nullptr;
};

/// One failover of a region: of each service that the same fault took away, one anatomy.
struct failover_group {
  std::vector<const failover_anatomy*> members;

  /// Consumers were elsewhere already, so that there was nobody to leave.
  [[nodiscard]] bool idle() const noexcept {
    return std::all_of(members.begin(), members.end(),
                       [](const auto* x) { return x->failover && x->to.empty(); });
  }
};

bool carried_out(const failover_anatomy& x) noexcept {
  return x.failover && !x.to.empty();
}

/// Adds an anatomy to the failover that it is part of, or begins another one.
///
/// A composite may turn several times for one fault. While consumers carried out none of these, the
/// next one takes its place; each further one that they carry out is a failover of its own.
void add_to_groups(std::vector<failover_group>& groups, const failover_anatomy& x) {
  const auto same = std::find_if(groups.rbegin(), groups.rend(), [&x](const auto& group) {
    return group.members.front()->fault == x.fault;
  });
  if (same == groups.rend()) {
    groups.push_back({{&x}});
    return;
  }
  const auto known =
    std::find_if(same->members.begin(), same->members.end(), [&x](const auto* other) {
      return other->from == x.from && other->service == x.service;
    });
  if (known == same->members.end())
    same->members.push_back(&x);
  else if (carried_out(**known) && carried_out(x))
    groups.push_back({{&x}});
  else if (!carried_out(**known) && x.failover)
    *known = &x;
}

/// The failovers that an expectation is about.
struct choice {
  std::vector<const failover_anatomy*> failovers;
  /// How many there were to choose from.
  std::size_t known = 0;
  /// The first one, when none of them had anybody who had to leave.
  const failover_anatomy* idle = nullptr;
};

/// @returns the n-th failover of those that match, or all; those without anybody who had to leave
///          count only when there are no others.
template <class Matches>
choice choose(const judged_run& run, failover_choice which, Matches matches) {
  std::vector<failover_group> groups;
  for (const auto& x : run.failovers) {
    if (matches(x))
      add_to_groups(groups, x);
  }
  choice result;
  if (std::all_of(groups.begin(), groups.end(), [](const auto& x) { return x.idle(); }))
    result.idle = groups.empty() ? nullptr : groups.front().members.front();
  else
    std::erase_if(groups, [](const auto& x) { return x.idle(); });
  result.known = groups.size();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& members = groups[i].members;
    if (!which || *which == i + 1)
      result.failovers.insert(result.failovers.end(), members.begin(), members.end());
  }
  return result;
}

/// Judges by the slowest of several clocks; one that did not end is the slowest.
judgement judge_slowest(const judged_run& run, const std::vector<measured_clock>& clocks,
                        duration within) {
  judgement result;
  const measured_clock* slowest = nullptr;
  for (const auto& x : clocks) {
    if (slowest == nullptr || !x.span || (slowest->span && *x.span > *slowest->span))
      slowest = &x;
    if (!x.span)
      break;
  }
  if (slowest == nullptr) {
    result.measured = run.index.unreached();
    return result;
  }
  if (slowest->of != nullptr)
    result.failover = static_cast<std::size_t>(slowest->of - run.failovers.data());
  result.by = slowest->by;
  const auto limit = slowest->since ? std::optional{*slowest->since + within} : std::nullopt;
  if (!slowest->span || !limit) {
    const auto in_time = limit && *limit < run.index.run_end();
    result.measured = in_time ? "not within the run" : run.index.unreached();
    result.at = in_time ? limit : std::nullopt;
    if (!result.by && slowest->of != nullptr)
      result.by = slowest->of->fault;
    return result;
  }
  result.met = *slowest->span <= within;
  result.measured = clock_text(*slowest->span, within);
  result.at = result.met ? *slowest->since + *slowest->span : *limit;
  result.value = slowest->span->count();
  return result;
}

/// @returns the judgement for what cannot be judged by clocks, if that is so: there is no n-th
///          failover, or nobody had to leave.
std::optional<judgement> judge_choice(const judged_run& run, const choice& chosen,
                                      const std::string& region) {
  judgement result;
  if (chosen.idle != nullptr) {
    result.measured = "no consumer was using " + region;
    result.failover = static_cast<std::size_t>(chosen.idle - run.failovers.data());
    result.by = chosen.idle->fault;
    return result;
  }
  if (!chosen.failovers.empty() || chosen.known == 0)
    return std::nullopt;
  result.measured = run.index.ends_early()
                      ? std::string{run.index.unreached()}
                      : "only " + counted(chosen.known, "failover") + " in the run";
  return result;
}

const clock_reading& reading_of(const failover_anatomy& x, failover_clock which) {
  switch (which) {
    case failover_clock::detect: return x.detect;
    case failover_clock::aggregate: return x.aggregate;
    case failover_clock::propagate: return x.propagate;
    case failover_clock::route: return x.route;
    case failover_clock::capacity: break;
  }
  return x.capacity;
}

/// @returns when a clock of a failover began; nothing when one before it did not end.
std::optional<instant> start_of(const failover_anatomy& x, failover_clock which) {
  auto at = x.fault_at;
  for (auto i = 0; i < static_cast<int>(which); ++i) {
    const auto& span = reading_of(x, static_cast<failover_clock>(i)).span;
    if (!span)
      return std::nullopt;
    at += *span;
  }
  return at;
}

} // namespace

judgement judge_one(const judged_run& run, const expect_failover& x) {
  const auto chosen = choose(run, x.which, [&x](const auto& y) { return y.from == x.from; });
  if (auto result = judge_choice(run, chosen, x.from))
    return *result;
  std::vector<measured_clock> clocks;
  for (const auto* y : chosen.failovers)
    clocks.push_back({y->failover, y->fault_at, y->route.by, y});
  return judge_slowest(run, clocks, x.within);
}

judgement judge_one(const judged_run& run, const expect_failback& x) {
  const auto chosen = choose(run, x.which, [&x](const auto& y) { return y.from == x.to; });
  if (auto result = judge_choice(run, chosen, x.to))
    return *result;
  std::vector<measured_clock> clocks;
  for (const auto* y : chosen.failovers)
    clocks.push_back({y->failback.span, y->fault_end, y->failback.by, y});
  return judge_slowest(run, clocks, x.within);
}

judgement judge_one(const judged_run& run, const expect_capacity_recovered& x) {
  const auto chosen = choose(run, x.which, [&x](const auto& y) { return route_uses(y.to, x.in); });
  if (auto result = judge_choice(run, chosen, x.in))
    return *result;
  std::vector<measured_clock> clocks;
  for (const auto* y : chosen.failovers) {
    if (!y->failover) {
      clocks.push_back({std::nullopt, std::nullopt, {}, y});
      continue;
    }
    const auto since = y->fault_at + *y->failover;
    // Where several regions took over, the anatomy's own clock is that of all together.
    const auto clock = read_capacity(run.index, y->service, {x.in}, since, run.rule);
    clocks.push_back({clock.span, since, clock.by, y});
  }
  return judge_slowest(run, clocks, x.within);
}

judgement judge_one(const judged_run& run, const expect_clock& x) {
  const auto chosen = choose(run, 1, [&x](const auto& y) { return y.from == x.of; });
  if (chosen.idle != nullptr
      && (x.which == failover_clock::route || x.which == failover_clock::capacity))
    return *judge_choice(run, chosen, x.of);
  std::vector<measured_clock> clocks;
  for (const auto* y : chosen.failovers) {
    const auto& clock = reading_of(*y, x.which);
    clocks.push_back({clock.span, start_of(*y, x.which), clock.by, y});
  }
  return judge_slowest(run, clocks, x.within);
}

} // namespace spillover
