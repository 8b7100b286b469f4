#include "regions/link_model.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover {

std::vector<std::string> validate(const link_config& x) {
  std::vector<std::string> problems;
  if (x.latency < duration::zero())
    problems.emplace_back("latency: must be at least 0s");
  if (x.jitter < duration::zero())
    problems.emplace_back("jitter: must be at least 0s");
  // Not x.loss < 0 || x.loss > 1, which lets NaN pass.
  if (!(x.loss >= 0 && x.loss <= 1))
    problems.emplace_back("loss: must be from 0 to 1");
  return problems;
}

void link_model::add_fault(std::uint32_t number, const link_symptom& suffer) {
  SPILLOVER_CHECK(std::none_of(faults_.begin(), faults_.end(),
                               [number](const laid& x) { return x.number == number; }));
  SPILLOVER_CHECK(suffer.by >= duration::zero());
  faults_.push_back({number, suffer});
  recompute();
}

void link_model::remove_fault(std::uint32_t number) {
  const auto found = std::find_if(faults_.begin(), faults_.end(),
                                  [number](const laid& x) { return x.number == number; });
  if (found == faults_.end())
    return;
  faults_.erase(found);
  recompute();
}

void link_model::recompute() noexcept {
  cuts_ = 0;
  delay_ = {};
  for (const auto& x : faults_) {
    if (x.suffer.become == link_ailment::cut)
      ++cuts_;
    else if (x.suffer.become == link_ailment::delayed)
      delay_ += x.suffer.by;
  }
}

} // namespace spillover
