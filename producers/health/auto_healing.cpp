#include "producers/health/auto_healing.hpp"

#include "model/check.hpp"

namespace spillover {

std::vector<std::string> validate(const auto_healing_config& x) {
  using namespace std::chrono_literals;
  std::vector<std::string> problems;
  if (x.initial_delay < 0s || x.initial_delay > 3600s || x.initial_delay % 1s != duration::zero())
    problems.emplace_back("initial_delay: must be whole seconds within 0s..3600s");
  for (const auto& problem : validate(x.health_check))
    problems.push_back(std::string{"health_check."}.append(problem));
  return problems;
}

instant auto_healing::begins(std::uint32_t index, instant now) {
  if (index >= instances_.size())
    instances_.resize(index + 1);
  instances_[index] = {.delay_until = now + initial_delay_};
  return now + initial_delay_;
}

void auto_healing::ended(std::uint32_t index) {
  SPILLOVER_CHECK(index < instances_.size());
  instances_[index].ordered = true;
}

bool auto_healing::judged(std::uint32_t index, instant now, health state) {
  SPILLOVER_CHECK(index < instances_.size());
  auto& x = instances_[index];
  x.unhealthy = state == health::unhealthy;
  // What was healthy once has started.
  if (state == health::healthy)
    x.delay_until = now;
  return order(x, now);
}

bool auto_healing::delay_ended(std::uint32_t index, instant now) {
  SPILLOVER_CHECK(index < instances_.size());
  return order(instances_[index], now);
}

bool auto_healing::order(watched& x, instant now) noexcept {
  if (!x.unhealthy || x.ordered || now < x.delay_until)
    return false;
  x.ordered = true;
  return true;
}

} // namespace spillover
