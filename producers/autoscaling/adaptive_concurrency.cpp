#include "producers/autoscaling/adaptive_concurrency.hpp"

#include "model/check.hpp"

namespace spillover {

namespace {

/// Relative slack before comparing: what adds up to 1.8 of 2 vCPU may be above 90 % in binary (G-2).
constexpr double slack = 1e-9;

} // namespace

std::vector<std::string> validate(const adaptive_concurrency_config& x) {
  std::vector<std::string> problems;
  // What is not a number lies within nothing.
  if (!(x.lower_above > 0 && x.lower_above <= 1))
    problems.emplace_back("lower_above: must be above 0 and at most 1");
  if (!(x.raise_below > 0 && x.raise_below <= 1))
    problems.emplace_back("raise_below: must be above 0 and at most 1");
  else if (x.raise_below > x.lower_above)
    problems.emplace_back("raise_below: must be at most lower_above");
  return problems;
}

adaptive_concurrency::adaptive_concurrency(const adaptive_concurrency_config& x,
                                           std::uint32_t ceiling) noexcept
  : lower_above_(x.lower_above * (1 + slack)),
    raise_below_(x.raise_below * (1 - slack)),
    ceiling_(ceiling),
    limit_(ceiling) {
  SPILLOVER_CHECK(ceiling >= 1);
}

std::uint32_t adaptive_concurrency::observe(double cpu_utilisation, bool reached_limit) noexcept {
  SPILLOVER_CHECK(cpu_utilisation >= 0);
  if (cpu_utilisation > lower_above_) {
    if (limit_ > 1)
      --limit_;
  } else if (reached_limit && cpu_utilisation < raise_below_ && limit_ < ceiling_) {
    ++limit_;
  }
  return limit_;
}

double raw_act(double average60, double mean_limit, double target) noexcept {
  SPILLOVER_CHECK(average60 >= 0 && mean_limit >= 1 && target > 0);
  return average60 / (mean_limit * target);
}

} // namespace spillover
