#include "report/format.hpp"
#include "report/judging.hpp"

#include <algorithm>

namespace spillover {

namespace {

/// What all subscriptions of a consumer hold at the end of a second.
struct backlog_second {
  const event* last; // sample
  std::uint64_t backlog;
};

bool is_counted(const judged_run& run, const expect_backlog& x, const event* second) {
  if (x.from && x.from == x.to)
    return second->at - std::chrono::seconds{1} >= run.index.warm_up_end() && second->at <= *x.to;
  return run.holds(second, x.from.value_or(run_start), x.to.value_or(never));
}

/// @returns the seconds of a window, or the last one up to an instant.
std::vector<backlog_second> seconds_of(const judged_run& run, const expect_backlog& x) {
  std::vector<backlog_second> result;
  if (x.from && *x.from > run.index.run_end())
    return result;
  for (const auto* y : run.index.all<subscription_sample>()) {
    if (first_part(y->entity) != x.consumer || !is_counted(run, x, y))
      continue;
    const auto backlog = payload_of<subscription_sample>(y).backlog;
    if (!result.empty() && result.back().last->at == y->at)
      result.back() = {y, result.back().backlog + backlog};
    else if (x.from && x.from == x.to)
      result = {{y, backlog}};
    else
      result.push_back({y, backlog});
  }
  return result;
}

} // namespace

judgement judge_one(const judged_run& run, const expect_backlog& x) {
  judgement result;
  const auto seconds = seconds_of(run, x);
  if (seconds.empty()) {
    result.measured = run.nothing_since(x.from.value_or(run_start), "no second lies there");
    return result;
  }
  const auto peak =
    std::max_element(seconds.begin(), seconds.end(),
                     [](const auto& a, const auto& b) { return a.backlog < b.backlog; });
  result.met = peak->backlog <= x.at_most;
  // The first one above the limit, or else the highest one.
  const auto decisive =
    result.met ? peak : std::find_if(seconds.begin(), seconds.end(), [&x](const auto& y) {
      return y.backlog > x.at_most;
    });
  result.at = decisive->last->at;
  result.by = decisive->last->id;
  result.measured = "peak " + counted(peak->backlog, "message");
  result.value = static_cast<std::int64_t>(peak->backlog);
  return result;
}

} // namespace spillover
