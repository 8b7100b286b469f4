#include "producers/on_demand.hpp"

#include <algorithm>

namespace spillover {

std::string_view to_string(on_demand_choice x) noexcept {
  switch (x) {
    case on_demand_choice::serve: return "serve";
    case on_demand_choice::queue_coming: return "queue_coming";
    case on_demand_choice::queue_existing: return "queue_existing";
    case on_demand_choice::start_new: return "start_new";
  }
  return "?";
}

on_demand_choice choose(const on_demand_waits& x) noexcept {
  if (x.free_slot)
    return on_demand_choice::serve;
  // What is not there is waited for without end; nothing new comes at the maximum.
  constexpr auto endless = duration::max();
  const auto coming = x.coming.value_or(endless);
  const auto existing = x.existing.value_or(endless);
  const auto fresh = x.count < x.maximum ? x.cold_start : endless;
  if (x.coming && coming <= existing && coming <= fresh)
    return on_demand_choice::queue_coming;
  if (existing <= fresh)
    return on_demand_choice::queue_existing;
  return on_demand_choice::start_new;
}

std::vector<std::string> validate(const pending_config& x) {
  std::vector<std::string> problems;
  if (x.floor <= duration::zero())
    problems.emplace_back("floor: must be above 0");
  // Negated, so that it also catches what is no number.
  if (!(x.cold_start_factor > 0 && x.cold_start_factor <= 1000))
    problems.emplace_back("cold_start_factor: must be above 0 and at most 1000");
  return problems;
}

duration pending_limit(const pending_config& x, duration cold_start) noexcept {
  // No span is longer, and a thousand times the longest cold start would be.
  constexpr duration longest = std::chrono::years{100};
  const auto wanted = x.cold_start_factor * seconds_of(cold_start);
  return std::max(x.floor, wanted < seconds_of(longest) ? from_seconds(wanted) : longest);
}

void cold_start_estimator::observe(duration start) noexcept {
  sum_ += start;
  ++count_;
}

duration cold_start_estimator::predict() const noexcept {
  return count_ == 0 ? seed_ : sum_ / count_;
}

} // namespace spillover
