#pragma once

#include "report/event_index.hpp"
#include "report/verdict.hpp"

namespace spillover {

/// What expectations are judged against.
struct judged_run {
  const event_index& index;
  const std::vector<failover_anatomy>& failovers;
  const recovery_rule& rule;

  /// @returns whether a sample's second overlaps [from, to) and lies wholly after the warm-up.
  [[nodiscard]] bool holds(const event* second, instant from, instant to) const noexcept {
    const auto begin = second->at - std::chrono::seconds{1};
    return begin >= index.warm_up_end() && second->at > from && begin < to;
  }

  /// @returns why there is nothing to judge by: the early end, when it came before `from`, or else
  ///          what `otherwise` says.
  [[nodiscard]] std::string nothing_since(instant from, std::string otherwise) const {
    if (index.ends_early() && from >= index.run_end())
      return std::string{index.unreached()};
    return otherwise;
  }
};

// One function for each kind. The results lack `what` and `expected`.

judgement judge_one(const judged_run& run, const expect_failover& x);
judgement judge_one(const judged_run& run, const expect_failback& x);
judgement judge_one(const judged_run& run, const expect_capacity_recovered& x);
judgement judge_one(const judged_run& run, const expect_clock& x);
judgement judge_one(const judged_run& run, const expect_errors& x);
judgement judge_one(const judged_run& run, const expect_latency& x);
judgement judge_one(const judged_run& run, const expect_queue& x);
judgement judge_one(const judged_run& run, const expect_rate& x);
judgement judge_one(const judged_run& run, const expect_instances& x);
judgement judge_one(const judged_run& run, const expect_transitions& x);
judgement judge_one(const judged_run& run, const expect_lost& x);
judgement judge_one(const judged_run& run, const expect_cost& x);
judgement judge_one(const judged_run& run, const expect_sequence& x);
judgement judge_one(const judged_run& run, const expect_backlog& x);

} // namespace spillover
