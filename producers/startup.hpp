#pragma once

#include "model/distribution.hpp"
#include "model/time.hpp"
#include "producers/health/probe_result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// What a startup probe asks for.
enum class startup_probe_kind : std::uint8_t {
  /// A connection to the container's port; goes on trying until its timeout, so that it succeeds as
  /// soon as the port is open (inferred).
  tcp,
  /// An answer of the application (HTTP, gRPC): an instance that cannot serve yet refuses it at once
  /// (inferred).
  custom,
};

/// How it is found out that a new instance has started; the defaults are those of the product.
struct startup_probe_config {
  startup_probe_kind kind = startup_probe_kind::tcp;

  /// From the start of the container to that of the first probe, whole seconds, 0s..240s.
  duration initial_delay{};

  /// From the start of one probe to the start of the next, whole seconds, 1s..240s.
  duration period = std::chrono::seconds{240};

  /// A probe without success by then has failed; whole seconds, 1s..240s, at most `period`.
  duration timeout = std::chrono::seconds{240};

  /// Failures in a row after which the container is stopped, at least 1; times `period` at most
  /// 600 s.
  std::uint32_t failure_threshold = 1;

  friend bool operator==(const startup_probe_config&, const startup_probe_config&) = default;
};

/// @returns the product's defaults of a probe that a user configures: every 10 s, with a timeout of
///          1 s, three times.
startup_probe_config custom_startup_probe() noexcept;

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const startup_probe_config& x);

/// How a start ends.
struct startup_result {
  /// False when the probe gave up, and the container is stopped.
  bool ready = false;

  /// From the start of the container.
  duration after{};

  friend bool operator==(const startup_result&, const startup_result&) = default;
};

/// Quantises the end of a start to the probes that see it. A connection or an answer takes no
/// time.
///
/// A custom probe succeeds if it begins when the instance can serve already, or later; one on TCP if
/// that is so before its timeout. A start that fails ends with its last probe: a custom one as soon as
/// that began, one on TCP after its timeout.
///
/// @param x valid
/// @param takes time until the instance can in truth serve, at least 0
startup_result probe_start(const startup_probe_config& x, duration takes) noexcept;

/// Follows one start from probe to probe, for an instance that may be ill when a probe meets it.
///
/// A probe on TCP needs an open port only, which illness leaves as it is; a custom one needs an answer.
class startup_course {
public:
  enum class step : std::uint8_t {
    /// Look again at `due()`.
    wait,
    /// The start is over.
    ready,
    /// The probe gave up, and the container is stopped.
    failed,
  };

  /// @param x valid
  /// @param takes time until the instance can in truth serve, at least 0
  startup_course(const startup_probe_config& x, duration takes) noexcept
    : config_(x), next_(probe_start(x, takes)) {}

  /// @returns when `look` is due, from the start of the container on.
  [[nodiscard]] duration due() const noexcept { return next_.after; }

  /// It is `due()`: a probe succeeds unless the instance is ill, or has failed for the last time.
  /// @param met what a custom probe meets now
  step look(probe_result met) noexcept;

  /// It is `due()`, and this instance will never be able to serve.
  step look_in_vain() noexcept;

private:
  startup_probe_config config_;
  startup_result next_;
};

/// How long the boost of the CPU goes on when the instance is ready.
inline constexpr duration boost_after_start = std::chrono::seconds{10};

/// @returns vCPUs while the startup boost holds: up to 1 vCPU 2, up to 2 vCPU 4, up to 8 vCPU 8.
///          Sizes that the product does not have belong to the next larger one (inferred); above 8
///          there is no boost.
/// @param limit vCPUs without it, above 0
double boosted_cpu(double limit) noexcept;

/// @param ready when the start was over, if it was
/// @returns whether the startup boost holds at `now`: during the start and for `boost_after_start`
///          from then on, the end itself not included
bool is_boosted(std::optional<instant> ready, instant now) noexcept;

/// A published cold start of one runtime.
struct cold_start_preset {
  std::string_view runtime;
  lognormal_distribution takes;
};

/// All that there are, in a fixed order.
///
/// Made of published ranges and means: the range's upper end is the 99th percentile, and the median
/// brings the mean to where it was measured (both inferred). Without CPU boost, on 1 vCPU.
std::span<const cold_start_preset> cold_start_presets() noexcept;

/// @returns the cold start of a runtime, e.g. "go", or nothing when there is none of that name.
std::optional<distribution> find_cold_start(std::string_view runtime);

} // namespace spillover
