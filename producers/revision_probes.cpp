#include "producers/revision.hpp"

// What becomes of an instance whose probes fail.

namespace spillover {

void revision::on_start_failed(instant now, std::uint32_t index, revision_effects& out) {
  if (fleet_.state(index) == instance_state::starting)
    end_process(now, index, "startup probe failed", outcome::internal_error, out);
}

void revision::on_liveness_failed(instant now, std::uint32_t index, revision_effects& out) {
  if (fleet_.state(index) != instance_state::starting)
    end_process(now, index, "liveness probe failed", liveness_failure_outcome, out);
}

void revision::on_readiness(instant now, std::uint32_t index, bool takes_requests,
                            revision_effects& out) {
  const auto state = fleet_.state(index);
  auto& own = processes_[index];
  // One that drains gets nothing new in any case.
  const auto serves = state == instance_state::ready || state == instance_state::deprioritised;
  if (!serves || own.set_aside != takes_requests)
    return;
  if (!takes_requests && is_routed_to(index))
    router_->remove(index);
  own.set_aside = !takes_requests;
  own.ready_changed = now;
  if (takes_requests) {
    --set_aside_;
    if (watcher_)
      watcher_->serves(now, index);
  } else {
    ++set_aside_;
    if (watcher_)
      watcher_->retired(index);
  }
  if (is_routed_to(index)) {
    route_to(index, state);
    if (platform_.tunes)
      packer_->set_limit(index, tuned_[index].limit());
    serve_queue(now, out);
  }
  look_at_changes(now, out);
}

} // namespace spillover
