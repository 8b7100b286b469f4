#include "regions/link_model.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <utility>

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

link_model::link_model(const link_config& config, std::uint64_t seed, std::string path)
  : config_(config), random_(seed, path), seed_(seed), path_(std::move(path)) {}

void link_model::add_fault(std::uint32_t number, const link_symptom& suffer) {
  SPILLOVER_CHECK(std::none_of(faults_.begin(), faults_.end(),
                               [number](const laid& x) { return x.number == number; }));
  SPILLOVER_CHECK(suffer.by >= duration::zero());
  const auto resting = resting_.extract(number);
  laid x{number, suffer,
         resting ? resting.mapped()
                 : random_stream{seed_, path_ + "/fault/" + std::to_string(number)},
         std::nullopt};
  if (suffer.become == link_ailment::limited)
    x.limit.emplace(suffer.per_second, suffer.by);
  faults_.push_back(x);
}

void link_model::remove_fault(std::uint32_t number) {
  const auto found = std::find_if(faults_.begin(), faults_.end(),
                                  [number](const laid& x) { return x.number == number; });
  if (found == faults_.end())
    return;
  resting_.emplace(number, found->random);
  faults_.erase(found);
}

passage link_model::decide_ailing(instant now, bool lost, duration jitter) {
  // What faults add to the way of the message, and to that of its duplicate.
  duration added{};
  duration added_again{};
  std::optional<duration> jitter_again;
  // Each draws what it draws in every case, whatever else lies on the link.
  for (auto& x : faults_) {
    const auto& how = x.suffer;
    switch (how.become) {
      case link_ailment::cut: lost = true; break;
      case link_ailment::delayed:
        added += how.by;
        added_again += how.by;
        break;
      case link_ailment::jittery:
        added += up_to(how.by, x.random);
        added_again += up_to(how.by, x.random);
        break;
      case link_ailment::lossy: lost = x.random.unit() < how.share || lost; break;
      case link_ailment::duplicating: {
        const auto twice = x.random.unit() < how.share;
        const auto drawn = up_to(config_.jitter, x.random);
        if (twice && !jitter_again)
          jitter_again = drawn;
        break;
      }
      case link_ailment::reordering:
        if (x.random.unit() < how.share)
          added += how.by;
        if (x.random.unit() < how.share)
          added_again += how.by;
        break;
      case link_ailment::limited: break;
    }
  }
  // Limits stand one behind the other at the entrance of the link. What is lost anyway takes nobody's
  // place there.
  duration waits{};
  for (auto& x : faults_) {
    if (lost || !x.limit)
      continue;
    const auto wait = x.limit->admit(now + waits);
    lost = !wait;
    waits += wait.value_or(duration::zero());
  }
  if (lost) {
    ++lost_;
    return {};
  }
  passage result{config_.latency + waits + jitter + added, std::nullopt};
  if (jitter_again) {
    ++taken_;
    ++duplicated_;
    result.second = config_.latency + waits + *jitter_again + added_again;
  }
  return result;
}

} // namespace spillover
