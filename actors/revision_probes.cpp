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
  for (const auto fault : afflictions_.ended(x.index))
    site_.heal(p.path, fault);
  const auto number = p.revision;
  const auto index = p.index;
  const auto& config = setup_.config.revisions[number].config.instance.restart_backoff;
  const auto wait = p.backoff.fail(now(), config);
  auto& out = members_[number];
  out.stop(index);
  if (x.at_start)
    service_.at(number).on_start_failed(now(), index, out);
  else
    service_.at(number).on_liveness_failed(now(), index, out);
  // A deployment may give the revision up for this: then there is nothing to start again.
  if (x.at_start)
    service_.on_start_failed(now(), number, *this);
  restart_after(x.index, wait);
  follow();
  arm();
}

void revision_shell::on_readiness(const instance_readiness& x) {
  auto& p = processes_[x.index];
  const auto& probe = setup_.config.revisions[p.revision].config.instance.readiness_probe;
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
  service_.at(p.revision).on_readiness(now(), p.index, x.takes_requests, members_[p.revision]);
  arm();
}

} // namespace spillover
