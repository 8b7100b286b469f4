#include "producers/health/container_probes.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

container_probes::container_probes(const std::optional<liveness_probe_config>& liveness,
                                   const std::optional<readiness_probe_config>& readiness) {
  if (liveness)
    liveness_.emplace(watch<liveness_probe>{liveness_probe{*liveness}, liveness->timeout});
  if (readiness) {
    readiness_.emplace(watch<readiness_probe>{readiness_probe{*readiness}, readiness->timeout});
    count_.emplace(*readiness);
  }
}

void container_probes::startup_passed(instant now) noexcept {
  if (liveness_)
    liveness_->probe.startup_passed(now);
  if (readiness_)
    readiness_->probe.startup_passed(now);
}

instant container_probes::next() const noexcept {
  return std::min(liveness_ ? liveness_->next() : never, readiness_ ? readiness_->next() : never);
}

/// Begins the probe that is due, or ends the one that got no answer.
/// @returns whether it succeeded, or nothing while there is no answer
template <class Probe>
std::optional<bool> container_probes::watch<Probe>::step(const std::function<probe_result()>& ask) {
  if (std::exchange(silent_until, never) != never)
    return false;
  const auto met = ask();
  if (met == probe_result::silent) {
    silent_until = probe.next_probe() + timeout;
    return std::nullopt;
  }
  return met == probe_result::answered;
}

container_probes::finding container_probes::on_time(instant now,
                                                    const std::function<probe_result()>& ask) {
  finding result;
  while (liveness_ && liveness_->next() <= now)
    if (const auto success = liveness_->step(ask); success && liveness_->probe.observe(*success)) {
      readiness_.reset();
      result.restart = true;
      return result;
    }
  while (readiness_ && readiness_->next() <= now)
    if (const auto success = readiness_->step(ask)) {
      if (const auto change = count_->observe(*success))
        result.counts = change;
      if (const auto change = readiness_->probe.observe(*success))
        result.takes_requests = change;
    }
  return result;
}

} // namespace spillover
