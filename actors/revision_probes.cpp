#include "actors/revision_shell.hpp"

// What instances tell of their probes.

namespace spillover {

void revision_shell::on_failed(const container_failed& x) {
  auto& p = processes_[x.index];
  // One that ended in the meantime has been dealt with.
  if (!p.who || p.incarnation != x.incarnation)
    return;
  cause_ = site_.reason_to_fail(p.path);
  if (x.at_start)
    p.latest = cause_;
  stop(x.index);
  for (const auto fault : afflictions_.ended(x.index))
    site_.heal(p.path, fault);
  if (x.at_start)
    revision_.on_start_failed(now(), x.index, *this);
  else
    revision_.on_liveness_failed(now(), x.index, *this);
  restart_after(x.index,
                processes_[x.index].backoff.fail(now(), setup_.config.instance.restart_backoff));
  deadline_alarm_.set(events(), revision_.next_deadline());
}

void revision_shell::on_readiness(const instance_readiness& x) {
  auto& p = processes_[x.index];
  const auto& probe = setup_.config.instance.readiness_probe;
  if (!p.who || p.incarnation != x.incarnation || !probe)
    return;
  const auto cause = x.takes_requests ? site_.log().latest(p.path) : site_.reason_to_fail(p.path);
  const auto results = x.takes_requests ? probe->success_threshold : probe->failure_threshold;
  p.latest = site_.record_event(
    p.path, cause,
    readiness_changed{x.takes_requests, std::string{x.takes_requests ? "readiness probe passed "
                                                                     : "readiness probe failed "}
                                          .append(std::to_string(results))
                                          .append(results == 1 ? " time" : " times in a row")});
  revision_.on_readiness(now(), x.index, x.takes_requests, *this);
  deadline_alarm_.set(events(), revision_.next_deadline());
}

} // namespace spillover
