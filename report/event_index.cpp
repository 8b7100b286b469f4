#include "report/event_index.hpp"

#include <algorithm>

namespace spillover {

event_index::event_index(const event_log& log) : log_(log) {
  for (const auto& x : log.events()) {
    kinds_[x.what.index()].push_back(&x);
    if (x.cause)
      caused_.push_back(&x);
  }
  std::stable_sort(caused_.begin(), caused_.end(),
                   [](const event* a, const event* b) { return a->cause < b->cause; });
}

std::span<const event* const> event_index::effects_of(event_id cause) const {
  const auto before = [](const event* x, event_id id) { return x->cause < id; };
  const auto first = std::lower_bound(caused_.begin(), caused_.end(), cause, before);
  const auto last =
    std::find_if(first, caused_.end(), [cause](const event* x) { return x->cause != cause; });
  return {first, last};
}

instant event_index::warm_up_end() const noexcept {
  const auto starts = all<run_started>();
  return starts.empty() ? run_start : run_start + payload_of<run_started>(starts.front()).warm_up;
}

instant event_index::run_end() const noexcept {
  const auto ends = all<run_ended>();
  if (!ends.empty())
    return ends.back()->at;
  return log_.events().empty() ? run_start : log_.events().back().at;
}

bool event_index::ends_early() const noexcept {
  return !all<run_stopped>().empty() || all<run_ended>().empty();
}

std::string_view event_index::unreached() const noexcept {
  if (!all<run_stopped>().empty())
    return "stopped before";
  return all<run_ended>().empty() ? "the log ends before" : "not within the run";
}

std::vector<std::string_view> regions_of(std::string_view route) {
  std::vector<std::string_view> result;
  while (!route.empty()) {
    const auto plus = route.find('+');
    result.push_back(route.substr(0, plus));
    route = plus == std::string_view::npos ? std::string_view{} : route.substr(plus + 1);
  }
  return result;
}

bool route_uses(std::string_view route, std::string_view region) {
  const auto regions = regions_of(route);
  return std::find(regions.begin(), regions.end(), region) != regions.end();
}

} // namespace spillover
