#pragma once

#include "scenario/lint.hpp"

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spillover {

/// Collects the remarks of one check after the other.
class lint_list {
public:
  /// What is added from now on is of this check.
  void begin(const lint_check& x) noexcept { current_ = &x; }

  void add(std::vector<lint_path> places, std::string message);
  void add(lint_path place, std::string message);

  std::vector<lint> take() { return std::move(lints_); }

private:
  const lint_check* current_ = nullptr;
  std::vector<lint> lints_;
};

// What the checks look at.

/// A health source of a published service, and the backend service behind it.
struct source_in_region {
  const published_service_spec& published;
  const composite_health_spec& composite;
  const health_source_spec& source;
  const backend_service_spec& backend;
  /// Place of the source in its list.
  std::size_t index;

  /// @returns e.g. "us-east1/checkout/web".
  [[nodiscard]] std::string path() const { return published.path() + "/" + backend.name; }
  /// @returns the place of a key of the source.
  [[nodiscard]] lint_path in_source(std::string_view key) const;
};

/// Calls `visit` for each source of each published service.
void for_each_source(const scenario& x, const std::function<void(const source_in_region&)>& visit);

/// @returns where a key of a backend service may stand: in its region's override, or in the service.
std::vector<lint_path> in_backend(const published_service_spec& published,
                                  const backend_service_spec& backend,
                                  std::span<const std::string_view> keys);

inline std::vector<lint_path> in_backend(const published_service_spec& published,
                                         const backend_service_spec& backend,
                                         std::initializer_list<std::string_view> keys) {
  return in_backend(published, backend, std::span{keys.begin(), keys.size()});
}

/// Where the policy of a backend service has one of its bounds.
struct bound_place {
  /// As a message calls it, e.g. "max_instances".
  std::string name;
  std::vector<lint_path> places;
};

bound_place minimum_of(const published_service_spec& published,
                       const backend_service_spec& backend);
bound_place maximum_of(const published_service_spec& published,
                       const backend_service_spec& backend);

/// @returns what bounds the instances of a backend service, with what is set for all its revisions together
///          of several revisions, what they have in common.
scaling_bounds bounds_in(const backend_service_spec& x);

/// @returns the service as published in a region, or nullptr.
const published_service_spec* find_published(const scenario& x, std::string_view service,
                                             std::string_view region) noexcept;

/// @returns whether a fault touches something in a region, or a link of it.
bool hits(const fault& x, std::string_view region);

/// @returns whether a probe can fail because of a fault; what is slow, waits or leaks, and what links,
///          quotas and clocks suffer from, no probe ever meets.
bool probes_can_meet(const fault& x);

/// @returns when a fault ends, at most the run's end.
instant end_of(const fault& x, const scenario& in) noexcept;

/// @returns the first fault in time that hits `region` (any when empty) and does not begin in the
///          warm-up, and of which `matches` is true; nullptr without any.
const fault* first_fault(const scenario& x, std::string_view region,
                         const std::function<bool(const fault&)>& matches);

/// @returns a number as people write it, with at most two decimals.
std::string number_text(double x);

/// Requests a second that reach each published service, from the traffic of the consumers; retries
/// left out.
class offered_load {
public:
  explicit offered_load(const scenario& x);

  /// A flow of requests at its highest.
  struct peak {
    double rate = 0;
    instant at{};
  };

  /// @returns the load of a service in a region while every region is healthy.
  /// @param at clamped to the run
  [[nodiscard]] double rate(std::string_view service, std::string_view region, instant at) const;

  /// @returns the highest load of a consumer after the warm-up.
  /// @param consumer its place in the scenario
  [[nodiscard]] double highest(std::size_t consumer) const;

  /// A region that takes over what another one loses (B-29, B-33).
  struct takeover {
    std::string_view service;
    std::string_view lost;
    std::string_view survivor;
    /// Own and taken over, while a fault hits the lost region, or at any time when none does.
    peak load;
    /// Of that, what comes from the lost region.
    double moved = 0;
  };

  /// @returns all of them, where consumers have another region and see health, or eject.
  [[nodiscard]] std::vector<takeover> takeovers() const;

private:
  using curve = std::vector<double>; // by the instants of the grid
  [[nodiscard]] curve curve_of(const consumer_spec& x) const;
  [[nodiscard]] std::vector<bool> looked_at(std::string_view lost) const;

  const scenario& scenario_;
  std::vector<instant> grid_;
  std::vector<curve> consumers_;
};

/// @returns what one draw in a hundred exceeds, or the longest where there are not as many values.
duration slowest_hundredth(const distribution& x);

/// @returns the share of a published service's requests that a backend service gets.
double share_of(const published_service_spec& published,
                const backend_service_spec& backend) noexcept;

// The checks, one function each.

void lint_single_loss(const scenario& x, lint_list& out);
void lint_scale_out(const scenario& x, lint_list& out);
void lint_scale_to_zero(const scenario& x, lint_list& out);
void lint_never_healthy(const scenario& x, lint_list& out);
void lint_extension(const scenario& x, lint_list& out);
void lint_heals_starting(const scenario& x, lint_list& out);
void lint_unexpected_status(const scenario& x, lint_list& out);

void lint_failover_too_slow(const scenario& x, lint_list& out);
void lint_failover_may_be_late(const scenario& x, lint_list& out);

void lint_one_region(const scenario& x, lint_list& out);
void lint_no_health(const scenario& x, lint_list& out);
void lint_impossible_failover(const scenario& x, lint_list& out);
void lint_retry_in_place(const scenario& x, lint_list& out);
void lint_balancer_outlasts_client(const scenario& x, lint_list& out);
void lint_failover_outlasts_request(const scenario& x, lint_list& out);

void lint_capacity_out_of_reach(const scenario& x, lint_list& out);

void lint_cap_spares_all(const scenario& x, lint_list& out);
void lint_cap_spares_some(const scenario& x, lint_list& out);
void lint_ejection_never_happens(const scenario& x, lint_list& out);
void lint_ejection_slow_per_proxy(const scenario& x, lint_list& out);
void lint_proxies_alike(const scenario& x, lint_list& out);

void lint_too_few_slots(const scenario& x, lint_list& out);
void lint_too_little_cpu(const scenario& x, lint_list& out);
void lint_cold_start(const scenario& x, lint_list& out);

void lint_count_out_of_reach(const scenario& x, lint_list& out);

void lint_revision_never_deployed(const scenario& x, lint_list& out);
void lint_tag_without_revision(const scenario& x, lint_list& out);
void lint_rollout_beyond_end(const scenario& x, lint_list& out);
void lint_action_in_warm_up(const scenario& x, lint_list& out);

void lint_short_errors_window(const scenario& x, lint_list& out);
void lint_window_in_warm_up(const scenario& x, lint_list& out);
void lint_load_beyond_end(const scenario& x, lint_list& out);
void lint_expectation_beyond_end(const scenario& x, lint_list& out);
void lint_fault_in_warm_up(const scenario& x, lint_list& out);
void lint_fault_outlasts_run(const scenario& x, lint_list& out);
void lint_failback_without_end(const scenario& x, lint_list& out);

} // namespace spillover
