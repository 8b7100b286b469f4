#include "producers/health/liveness.hpp"

namespace spillover {

namespace {

using namespace std::chrono_literals;

bool is_whole_within(duration x, duration least) noexcept {
  return x >= least && x <= 3600s && x % 1s == duration::zero();
}

void check_times(duration period, duration timeout, std::vector<std::string>& problems) {
  if (!is_whole_within(period, 1s))
    problems.emplace_back("period: must be whole seconds within 1s..3600s");
  if (!is_whole_within(timeout, 1s))
    problems.emplace_back("timeout: must be whole seconds within 1s..3600s");
  else if (timeout > period)
    problems.emplace_back("timeout: must be at most the period");
}

} // namespace

std::vector<std::string> validate(const liveness_probe_config& x) {
  std::vector<std::string> problems;
  if (!is_whole_within(x.initial_delay, 0s))
    problems.emplace_back("initial_delay: must be whole seconds within 0s..3600s");
  check_times(x.period, x.timeout, problems);
  if (x.failure_threshold < 1)
    problems.emplace_back("failure_threshold: must be at least 1");
  return problems;
}

std::vector<std::string> validate(const readiness_probe_config& x) {
  std::vector<std::string> problems;
  check_times(x.period, x.timeout, problems);
  if (x.failure_threshold < 1)
    problems.emplace_back("failure_threshold: must be at least 1");
  if (x.success_threshold < 1)
    problems.emplace_back("success_threshold: must be at least 1");
  return problems;
}

liveness_probe::liveness_probe(const liveness_probe_config& x) noexcept
  : schedule_(x.initial_delay, x.period), threshold_(x.failure_threshold) {}

void liveness_probe::startup_passed(instant now) noexcept {
  schedule_.resume(now);
  failures_ = 0;
}

void liveness_probe::startup_began() noexcept {
  schedule_.pause();
}

bool liveness_probe::observe(bool success) noexcept {
  if (!schedule_.running())
    return false;
  schedule_.advance();
  failures_ = success ? 0 : failures_ + 1;
  if (failures_ < threshold_)
    return false;
  startup_began();
  return true;
}

readiness_probe::readiness_probe(const readiness_probe_config& x) noexcept
  : schedule_(duration::zero(), x.period),
    failure_threshold_(x.failure_threshold),
    success_threshold_(x.success_threshold) {}

void readiness_probe::startup_passed(instant now) noexcept {
  schedule_.resume(now);
  takes_requests_ = true;
  against_ = 0;
}

void readiness_probe::startup_began() noexcept {
  schedule_.pause();
  takes_requests_ = false;
}

std::optional<bool> readiness_probe::observe(bool success) noexcept {
  if (!schedule_.running())
    return std::nullopt;
  schedule_.advance();
  against_ = success == takes_requests_ ? 0 : against_ + 1;
  if (against_ < (success ? success_threshold_ : failure_threshold_))
    return std::nullopt;
  against_ = 0;
  takes_requests_ = success;
  return success;
}

readiness_count::readiness_count(const readiness_probe_config& x) noexcept
  : failure_threshold_(x.failure_threshold), success_threshold_(x.success_threshold) {}

std::optional<health> readiness_count::observe(bool success) noexcept {
  const auto said = success ? health::healthy : health::unhealthy;
  if (said == state_) {
    against_ = 0;
    return std::nullopt;
  }
  const auto needed = success ? success_threshold_ : failure_threshold_;
  if (state_ != health::unknown && ++against_ < needed)
    return std::nullopt;
  against_ = 0;
  state_ = said;
  return said;
}

} // namespace spillover
