#include "producers/revision.hpp"

// How a revision follows its autoscaler, or whoever holds it.

namespace spillover {

void revision::hold(instant now, std::uint32_t count, std::string_view why, revision_effects& out) {
  held_ = {count, why};
  // What somebody holds is kept whether it has requests or not.
  tally_.keep(now, count);
  evaluate(now, out);
}

void revision::abandon(instant now, std::string_view why, revision_effects& out) {
  hold(now, 0, why, out);
  apply(now, fleet_.remove_all(now), out);
}

void revision::set_bounds(instant now, const scaling_bounds& x, revision_effects& out) {
  const auto before = scaler_->bounds();
  scaler_->set_bounds(x);
  const auto after = scaler_->bounds();
  if (!held_)
    tally_.keep(now, after.min);
  // At once.
  if (!held_ && (after.min != before.min || after.max != before.max))
    evaluate(now, out);
}

std::uint32_t revision::wanted_for(instant now, std::span<const second_usage> seconds,
                                   std::uint32_t recommended) {
  for (const auto& x : seconds)
    scaler_->observe(x);
  return scaler_->decide(now, {recommended, recommended, 0, true}).count;
}

void revision::evaluate(instant now, revision_effects& out) {
  carry_out(now, held_ ? recommendation{} : scaler_->decide(now, size()), out);
}

void revision::carry_out(instant now, const recommendation& wish, revision_effects& out) {
  const auto before = fleet_.recommended();
  const auto x =
    held_ ? recommendation{held_->count, held_->why, {{"instances", held_->count}}} : wish;
  if (x.count != before || x.step)
    out.decided(scaler_->policy(), before, x, size());
  apply(now, fleet_.recommend(x.count, now), out);
  if (config_.routing.spread_over_minimum && packer_)
    for (const auto index : present_)
      if (fleet_.state(index) == instance_state::deprioritised)
        move_to(index, tier_of(instance_state::deprioritised));
  if (const auto missing = fleet_.missing(); missing > 0)
    for (auto granted = grant(now, missing, denied_evaluation_, out); granted > 0; --granted)
      start_instance(now, out);
  follow_path(out);
  serve_queue(now, out);
}

void revision::look_at_changes(instant now, revision_effects& out) {
  if (!scaler_->looks_at_changes())
    return;
  // What follows from a look may change the instances again.
  while (size().running != seen_running_) {
    seen_running_ = size().running;
    carry_out(now, scaler_->look(now, size()), out);
  }
}

void revision::find_pods(instant now, revision_effects& out) {
  while (const auto index = finder_->found(now))
    see(*index);
  serve_queue(now, out);
}

void revision::see(std::uint32_t index) {
  processes_[index].unseen = false;
  if (is_routed_to(index))
    route_to(index, fleet_.state(index));
}

void revision::follow_path(revision_effects& out) {
  if (!watcher_ || watcher_->proxies() == proxied_)
    return;
  proxied_ = !proxied_;
  if (finder_ && !proxied_)
    for (const auto index : finder_->take_all())
      see(index);
  const auto limit = config_.instance.concurrency;
  if (!proxied_)
    pods_->follow(platform_.routing, 0);
  else if (limit == 0)
    pods_->follow(spread::two_random, 0);
  else
    pods_->follow(limit <= 3 ? spread::first_available : spread::round_robin, limit);
  out.path_changed(proxied_, watcher_->excess_burst_capacity());
}

} // namespace spillover
