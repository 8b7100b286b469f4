#pragma once

#include "producers/autoscaling/autoscaler.hpp"

#include <memory>

namespace spillover {

/// Which generation of Cloud Run's rules is followed.
enum class cloud_run_variant : std::uint8_t {
  /// A band of 10 % around the target in which nothing changes.
  tolerance10,
  /// More instances only from 90 % of the capacity up. A target other than 60 % belongs to a
  /// later generation, and brings the band with it.
  trigger90,
  /// The oldest: always what the last minute asks for.
  one_minute,
};

/// Cloud Run's autoscaler (A-5..A-20).
struct cloud_run_config {
  /// Name in the scenario file.
  static constexpr std::string_view policy = "cloud_run";

  cloud_run_variant variant = cloud_run_variant::tolerance10;

  /// Kept warm whatever the load; at most `max_instances`.
  std::uint32_t min_instances = 0;

  /// Upper bound per revision, 1..10000.
  std::uint32_t max_instances = 100;

  /// Share of the instances' vCPUs that the CPU driver aims at: 0.1..0.95, or 0 to turn the driver
  /// off. Both drivers cannot be off.
  double cpu_target = 0.6;

  /// Share of the instances' concurrency that the concurrency driver aims at; the same range.
  double concurrency_target = 0.6;

  /// Time between evaluations, whole seconds, 1s..60s; not documented, inferred.
  duration evaluation = std::chrono::seconds{5};

  /// Keep the band around the target; false follows the source's literal formula. Only
  /// `tolerance10` has one to leave out.
  bool dead_band = true;

  /// Tune each instance's concurrency by its CPU (A-42..A-46), and let the mean limit be a driver with
  /// the variant that has it, `tolerance10`.
  bool adaptive_concurrency = false;

  friend bool operator==(const cloud_run_config&, const cloud_run_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const cloud_run_config& x);

/// @param cpu vCPUs of one instance, above 0
/// @param concurrency requests that one instance takes at a time, at least 1
std::unique_ptr<autoscaler> make_cloud_run(const cloud_run_config& x, double cpu,
                                           std::uint32_t concurrency);

/// What one driver makes of its usage: N inside the band, else usage / (capacity x target) rounded
/// up, with a relative slack of 1e-9 before rounding and comparing (G-2).
///
/// @param usage what all instances use together, in the unit of `capacity`
/// @param capacity of one instance, above 0
/// @param target within (0, 1]
/// @param recommended N
std::uint32_t tolerance10(double usage, double capacity, double target, std::uint32_t recommended,
                          bool dead_band);

/// What one driver makes of its usage: usage / (capacity x target) rounded up, with the same slack,
/// but more than N only when 90 % of the capacity of N instances is in use.
///
/// The parameters are those of `tolerance10`.
std::uint32_t trigger90(double usage, double capacity, double target, std::uint32_t recommended);

} // namespace spillover
