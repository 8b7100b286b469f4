#include "producers/startup.hpp"
#include "scenario/lint_checks.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

namespace spillover {

namespace {

/// A backend service in one region.
struct backend_in_region {
  const published_service_spec& published;
  const backend_service_spec& backend;

  [[nodiscard]] std::string path() const { return published.path() + "/" + backend.name; }
};

void for_each_backend(const scenario& x,
                      const std::function<void(const backend_in_region&)>& visit) {
  for (const auto& published : x.published_services)
    for (const auto& backend : published.backend_services)
      visit({published, backend});
}

/// How long the slowest hundredth of the starts takes until a startup probe says that it is over.
duration slow_start(const backend_service_spec& x) {
  const auto fixed = platform_of(x.autoscaling, x.instance).start_time;
  const auto takes = fixed ? *fixed : slowest_hundredth(x.instance.cold_start);
  const auto& probe = x.instance.startup_probe;
  return probe ? probe_start(*probe, takes).after : takes;
}

bool succeeds(const health_check_config& x) {
  return !has_path(x.protocol)
         || std::find(x.expected_statuses.begin(), x.expected_statuses.end(), x.path_status)
              != x.expected_statuses.end();
}

void add_unexpected(const backend_in_region& at, const health_check_config& check,
                    std::initializer_list<std::string_view> keys, std::string_view outcome,
                    lint_list& out) {
  if (succeeds(check))
    return;
  std::string expected;
  for (const auto status : check.expected_statuses)
    expected.append(expected.empty() ? "" : ", ").append(std::to_string(status));
  std::string message = at.path();
  message.append(": a well instance answers ")
    .append(std::to_string(check.path_status))
    .append(" on ")
    .append(check.path)
    .append(", and a success is ")
    .append(expected)
    .append(", so that ")
    .append(outcome)
    .append("; add it to expected_statuses, or ask for another path");
  out.add(in_backend(at.published, at.backend, keys), std::move(message));
}

} // namespace

/// Auto-healing makes an instance anew that is still starting, or has just begun to serve: its initial
/// delay, or the failures that it waits for, are over before a slow start and the successes that follow
/// it (B-67). The next start is no faster. Way out: a longer initial_delay.
void lint_heals_starting(const scenario& x, lint_list& out) {
  for_each_backend(x, [&out](const backend_in_region& at) {
    if (!at.backend.auto_healing)
      return;
    const auto& own = *at.backend.auto_healing;
    const auto& check = own.health_check;
    const auto one = check.first_result_decides;
    const auto failures = one ? 1 : check.unhealthy_threshold;
    const auto successes = one ? 1 : check.healthy_threshold;
    // Probes of a process that is starting are refused at once; the first may come late by an interval.
    const auto patience = std::max<duration>(own.initial_delay, check.interval * (failures - 1));
    const auto start = slow_start(at.backend);
    const auto needed = start + check.interval * successes;
    if (start > duration::zero() && patience < start + check.interval * (successes - 1))
      out.add(in_backend(at.published, at.backend, {"auto_healing", "initial_delay"}),
              at.path() + ": auto-healing waits " + number_text(seconds_of(patience))
                + " s after an instance's start, and one start in a hundred takes "
                + number_text(seconds_of(start)) + " s or more, after which a check needs "
                + std::to_string(successes) + (successes == 1 ? " success " : " successes ")
                + to_string(check.interval)
                + " apart: it may be made anew before it is found healthy, again and again; set "
                  "initial_delay to "
                + number_text(seconds_of(needed)) + "s or more");
  });
}

/// What a health check asks for is answered with a status that it does not take, so that no instance is
/// ever healthy (B-35). Way out: expected_statuses, or another path.
void lint_unexpected_status(const scenario& x, lint_list& out) {
  for_each_backend(x, [&out](const backend_in_region& at) {
    add_unexpected(at, at.backend.health_check, {"health_check", "path_status"},
                   "no endpoint is ever healthy", out);
    if (at.backend.auto_healing)
      add_unexpected(at, at.backend.auto_healing->health_check,
                     {"auto_healing", "health_check", "path_status"},
                     "auto-healing makes every instance anew", out);
  });
}

} // namespace spillover
