#pragma once

#include "model/health.hpp"
#include "model/record.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// How an instance is asked whether it still works.
struct liveness_probe_config {
  /// From the end of the start to the first probe, whole seconds, 0s..3600s.
  duration initial_delay{};

  /// From the start of one probe to the start of the next, whole seconds, 1s..3600s.
  duration period = std::chrono::seconds{10};

  /// A probe without success by then has failed; whole seconds, 1s..3600s, at most `period`.
  duration timeout = std::chrono::seconds{1};

  /// Failures in a row that restart the container, at least 1.
  std::uint32_t failure_threshold = 3;

  friend bool operator==(const liveness_probe_config&, const liveness_probe_config&) = default;
};

/// How an instance is asked whether it can take new requests (A-63, a preview). The ranges of its times
/// are those of liveness (inferred).
struct readiness_probe_config {
  /// From the start of one probe to the start of the next, whole seconds, 1s..3600s.
  duration period = std::chrono::seconds{10};

  /// A probe without success by then has failed; whole seconds, 1s..3600s, at most `period`.
  duration timeout = std::chrono::seconds{1};

  /// Failures in a row after which the instance gets no new request, at least 1.
  std::uint32_t failure_threshold = 3;

  /// Successes in a row after which it gets new ones again, at least 1.
  std::uint32_t success_threshold = 2;

  friend bool operator==(const readiness_probe_config&, const readiness_probe_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const liveness_probe_config& x);

/// As above.
std::vector<std::string> validate(const readiness_probe_config& x);

/// How the requests end that an instance holds when a failed liveness probe stops it.
inline constexpr outcome liveness_failure_outcome = outcome::unavailable;

/// When the probes of one kind begin. There are none while the instance starts.
class probe_schedule {
public:
  probe_schedule(duration initial_delay, duration period) noexcept
    : initial_delay_(initial_delay), period_(period) {}

  /// The start is over; probes begin.
  void resume(instant now) noexcept { due_ = now + initial_delay_; }

  /// No more probes, until the next start is over.
  void pause() noexcept { due_ = never; }

  /// The probe that was due has its result.
  void advance() noexcept { due_ += period_; }

  [[nodiscard]] bool running() const noexcept { return due_ != never; }

  /// @returns when the next probe begins, or `never`.
  [[nodiscard]] instant due() const noexcept { return due_; }

private:
  duration initial_delay_;
  duration period_;
  instant due_ = never;
};

/// Restarts an instance that does not work any more. Off until the startup probe has passed, and
/// again while it runs after a restart.
class liveness_probe {
public:
  /// @param x valid
  explicit liveness_probe(const liveness_probe_config& x) noexcept;

  /// The startup probe has passed: the first probe begins after the initial delay.
  void startup_passed(instant now) noexcept;

  /// The container starts anew, for whatever reason, or ends: no probes, and no failures so far.
  void startup_began() noexcept;

  /// @returns when the next probe begins, or `never` while it is off.
  [[nodiscard]] instant next_probe() const noexcept { return schedule_.due(); }

  /// Takes the result of the probe that began at `next_probe()` into account. One that comes while the
  /// probe is off belongs to an earlier container, and says nothing; the caller drops one that comes
  /// when the next container has started.
  ///
  /// @param success false also when there was no answer within the timeout
  /// @returns whether the container must be restarted; the probe is off then. The instance's requests
  ///          end with `liveness_failure_outcome`
  [[nodiscard]] bool observe(bool success) noexcept;

private:
  probe_schedule schedule_;
  std::uint32_t threshold_;
  std::uint32_t failures_ = 0; // in a row
};

/// Keeps new requests from an instance that cannot take them. It is not stopped, and goes on
/// with those that it has. Off until the startup probe has passed, and while it runs again.
class readiness_probe {
public:
  /// @param x valid
  explicit readiness_probe(const readiness_probe_config& x) noexcept;

  /// The startup probe has passed: the first probe begins at once, and new requests come whatever its
  /// result will be.
  void startup_passed(instant now) noexcept;

  /// The container starts anew, for whatever reason, or ends: no probes, and no new requests.
  void startup_began() noexcept;

  /// @returns when the next probe begins, or `never` while it is off.
  [[nodiscard]] instant next_probe() const noexcept { return schedule_.due(); }

  /// Takes the result of the probe that began at `next_probe()` into account. One that comes while the
  /// probe is off belongs to an earlier container, and says nothing; the caller drops one that comes
  /// when the next container has started.
  ///
  /// @param success false also when there was no answer within the timeout
  /// @returns what `takes_requests()` became, if it changed
  std::optional<bool> observe(bool success) noexcept;

  /// @returns whether the instance may get new requests.
  [[nodiscard]] bool takes_requests() const noexcept { return takes_requests_; }

private:
  probe_schedule schedule_;
  std::uint32_t failure_threshold_;
  std::uint32_t success_threshold_;
  std::uint32_t against_ = 0; // results in a row that say the opposite of `takes_requests_`
  bool takes_requests_ = false;
};

/// What an instance counts as for Cloud Run's service health (B-68). It does not count before its
/// readiness probe had a result, which decides alone, although a new instance takes requests whatever
/// that is; from then on the thresholds of the probe hold.
class readiness_count {
public:
  /// @param x valid
  explicit readiness_count(const readiness_probe_config& x) noexcept;

  /// Takes the next result of the probe into account.
  /// @returns what the instance counts as from now on, healthy or unhealthy, if that changed
  std::optional<health> observe(bool success) noexcept;

private:
  std::uint32_t failure_threshold_;
  std::uint32_t success_threshold_;
  std::uint32_t against_ = 0; // results in a row that say the opposite of `state_`
  health state_ = health::unknown;
};

} // namespace spillover
