#include "producers/health/prober_roster.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover {

prober_roster::prober_roster(std::uint32_t probers) : states_(probers) {}

std::uint32_t prober_roster::lay(std::uint32_t fault, prober_ailment become,
                                 std::optional<std::uint32_t> count, event_id cause) {
  SPILLOVER_CHECK(std::none_of(faults_.begin(), faults_.end(),
                               [fault](const laid& x) { return x.fault == fault; }));
  const auto hit = std::min(count.value_or(size()), size());
  faults_.push_back({fault, become, hit, cause});
  recompute();
  return hit;
}

std::uint32_t prober_roster::lift(std::uint32_t fault) {
  const auto found = std::find_if(faults_.begin(), faults_.end(),
                                  [fault](const laid& x) { return x.fault == fault; });
  if (found == faults_.end())
    return 0;
  const auto hit = found->count;
  faults_.erase(found);
  recompute();
  return hit;
}

std::uint32_t prober_roster::probing() const noexcept {
  return static_cast<std::uint32_t>(
    std::count_if(states_.begin(), states_.end(), [](const state& x) { return !x.lost; }));
}

void prober_roster::recompute() {
  std::fill(states_.begin(), states_.end(), state{});
  for (const auto& x : faults_)
    for (std::uint32_t i = 0; i < x.count; ++i) {
      auto& prober = states_[i];
      if (x.become == prober_ailment::lost)
        prober.lost = true;
      else if (!prober.cut_off_by)
        prober.cut_off_by = x.cause;
    }
}

} // namespace spillover
