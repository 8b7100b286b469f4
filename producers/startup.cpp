#include "producers/startup.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <array>

namespace spillover {

namespace {

using namespace std::chrono_literals;

constexpr std::array<cold_start_preset, 6> presets{{
  {"cpp", {80ms, 300ms}},
  {"rust", {80ms, 300ms}},
  {"go", {120ms, 250ms}},
  {"python", {1750ms, 3s}},
  {"nodejs", {2800ms, 7s}},
  {"model_server", {36s, 66s}},
}};

/// @returns how often `period` fits wholly or in part into `x`; 0 unless that is above 0.
std::int64_t rounded_up(duration x, duration period) noexcept {
  return x <= 0s ? 0 : (x - duration{1}) / period + 1;
}

bool is_whole(duration x) noexcept {
  return x % 1s == duration::zero();
}

} // namespace

startup_probe_config custom_startup_probe() noexcept {
  return {.kind = startup_probe_kind::custom,
          .initial_delay = 0s,
          .period = 10s,
          .timeout = 1s,
          .failure_threshold = 3};
}

std::vector<std::string> validate(const startup_probe_config& x) {
  std::vector<std::string> problems;
  if (x.initial_delay < 0s || x.initial_delay > 240s || !is_whole(x.initial_delay))
    problems.emplace_back("initial_delay: must be whole seconds within 0s..240s");
  const auto has_period = x.period >= 1s && x.period <= 240s && is_whole(x.period);
  if (!has_period)
    problems.emplace_back("period: must be whole seconds within 1s..240s");
  if (x.timeout < 1s || x.timeout > 240s || !is_whole(x.timeout))
    problems.emplace_back("timeout: must be whole seconds within 1s..240s");
  else if (x.timeout > x.period)
    problems.emplace_back("timeout: must be at most the period");
  if (x.failure_threshold < 1)
    problems.emplace_back("failure_threshold: must be at least 1");
  else if (has_period && x.failure_threshold > 600s / x.period)
    problems.emplace_back("failure_threshold: times the period must be at most 600s");
  return problems;
}

startup_result probe_start(const startup_probe_config& x, duration takes) noexcept {
  SPILLOVER_CHECK(takes >= 0s);
  const auto is_tcp = x.kind == startup_probe_kind::tcp;
  // The first probe that succeeds. One on TCP, which must see the port open *before* its timeout
  // is over, misses it when it ends at that very moment.
  const auto first = is_tcp
                       ? rounded_up(takes + duration{1} - x.timeout - x.initial_delay, x.period)
                       : rounded_up(takes - x.initial_delay, x.period);
  if (first < x.failure_threshold) {
    const auto begin = x.initial_delay + first * x.period;
    return {true, std::max(begin, takes)};
  }
  const auto last = x.initial_delay + (x.failure_threshold - 1) * x.period;
  return {false, is_tcp ? last + x.timeout : last};
}

startup_course::step startup_course::look(probe_result met) noexcept {
  if (!next_.ready)
    return step::failed;
  if (config_.kind == startup_probe_kind::tcp || met == probe_result::answered)
    return step::ready;
  const auto began = next_.after;
  if ((began - config_.initial_delay) / config_.period + 1 < config_.failure_threshold) {
    next_.after = began + config_.period;
    return step::wait;
  }
  if (met != probe_result::silent)
    return step::failed;
  next_ = {false, began + config_.timeout};
  return step::wait;
}

startup_course::step startup_course::look_in_vain() noexcept {
  const auto end = probe_start(config_, std::chrono::years{100});
  if (!next_.ready || next_.after >= end.after)
    return step::failed;
  next_ = end;
  return step::wait;
}

double boosted_cpu(double limit) noexcept {
  SPILLOVER_CHECK(limit > 0);
  if (limit <= 1)
    return 2;
  if (limit <= 2)
    return 4;
  return std::max(limit, 8.0);
}

bool is_boosted(std::optional<instant> ready, instant now) noexcept {
  return !ready || now < *ready + boost_after_start;
}

std::span<const cold_start_preset> cold_start_presets() noexcept {
  return presets;
}

std::optional<distribution> find_cold_start(std::string_view runtime) {
  const auto* const it = std::find_if(presets.begin(), presets.end(),
                                      [=](const auto& x) { return x.runtime == runtime; });
  if (it == presets.end())
    return std::nullopt;
  return it->takes;
}

} // namespace spillover
