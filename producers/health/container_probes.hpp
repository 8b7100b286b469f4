#pragma once

#include "producers/health/liveness.hpp"
#include "producers/health/probe_result.hpp"

#include <functional>
#include <optional>

namespace spillover {

/// The liveness and the readiness probe of one container, from the end of its start on.
/// Silence fails a probe when its timeout is over, an error at once.
class container_probes {
public:
  /// What probes found out at one instant.
  struct finding {
    /// The container must be restarted; there are no probes any more.
    bool restart = false;
    /// Whether it gets new requests from now on, if that changed.
    std::optional<bool> takes_requests = std::nullopt;
    /// What it counts as for service health from now on, if that changed (B-68).
    std::optional<health> counts = std::nullopt;
    friend bool operator==(const finding&, const finding&) = default;
  };

  /// Either may be missing.
  container_probes(const std::optional<liveness_probe_config>& liveness,
                   const std::optional<readiness_probe_config>& readiness);

  /// The container can serve: probes begin.
  void startup_passed(instant now) noexcept;

  /// @returns when `on_time` has work next, or `never`.
  [[nodiscard]] instant next() const noexcept;

  /// Does what is due by `now`, liveness first.
  /// @param ask what a probe meets now; called once for each probe that begins
  finding on_time(instant now, const std::function<probe_result()>& ask);

private:
  /// One kind of probe.
  template <class Probe>
  struct watch {
    Probe probe;
    duration timeout{};
    instant silent_until = never; // a probe got no answer so far, and fails then
    [[nodiscard]] instant next() const noexcept {
      return silent_until != never ? silent_until : probe.next_probe();
    }
    std::optional<bool> step(const std::function<probe_result()>& ask);
  };

  std::optional<watch<liveness_probe>> liveness_;
  std::optional<watch<readiness_probe>> readiness_;
  std::optional<readiness_count> count_; // of the results of readiness
};

} // namespace spillover
