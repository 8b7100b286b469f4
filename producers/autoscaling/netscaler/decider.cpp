#include "producers/autoscaling/netscaler/decider.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover::netscaler {

decider::decider(const settings& x) : settings_(x), watch_(x) {
  SPILLOVER_CHECK(validate(x).empty());
}

std::span<const step> decider::observe(instant now, const cluster& x) {
  SPILLOVER_CHECK(x.nodes >= x.reporting.nodes().size());
  begin_call(now);
  last_ = {.at = now, .reason = to_string(phase_), .inputs = {}};
  last_.inputs.add("nodes", x.nodes);
  if (phase_ == phase::watching) {
    watch_.observe(now, x.reporting);
    evaluate(x);
  } else {
    last_.inputs.add("lasts_ns", (now - since_).count());
    last_.inputs.add("remaining_ns", (due_ - now).count());
  }
  carry_out(now); // what takes no time
  return told();
}

std::span<const step> decider::advance(instant now) {
  begin_call(now);
  return told();
}

void decider::assign(std::uint32_t node) noexcept {
  if (phase_ == phase::provisioning || phase_ == phase::registering)
    node_ = node;
}

std::span<const step> decider::failed(instant now) {
  begin_call(now);
  if (phase_ == phase::provisioning) {
    tell(step_kind::remove, now, "FAILED")
      .inputs.add("provisioning_time_ns", settings_.provisioning_time.count());
    watch_anew();
  }
  return told();
}

std::span<const step> decider::emptied(instant now) {
  begin_call(now);
  if (phase_ == phase::draining && settings_.drain_ends_when_empty) {
    deprovision(now, "EMPTY");
    carry_out(now);
  }
  return told();
}

traffic decider::traffic_to(std::uint32_t node) const noexcept {
  if (node != node_)
    return traffic::all;
  switch (phase_) {
    case phase::provisioning:
    case phase::registering:
    case phase::deprovisioning: return traffic::none;
    case phase::draining: return traffic::established;
    // Until the load balancer or the clients know, they go on as before.
    case phase::deregistering:
    case phase::watching:
    case phase::cooldown: break;
  }
  return traffic::all;
}

void decider::begin_call(instant now) noexcept {
  SPILLOVER_CHECK(now >= now_);
  now_ = now;
  told_ = 0;
  carry_out(now);
}

void decider::carry_out(instant now) noexcept {
  while (due_ <= now)
    carry_out_next();
}

void decider::carry_out_next() noexcept {
  const auto at = due_;
  switch (phase_) {
    case phase::provisioning:
      tell(step_kind::join, at, "PROVISIONED")
        .inputs.add("provisioning_time_ns", settings_.provisioning_time.count());
      enter(phase::registering, at, settings_.update_time);
      break;
    case phase::registering: {
      auto& inputs = tell(step_kind::register_address, at, "UPDATED").inputs;
      inputs.add("update_time_ns", settings_.update_time.count());
      inputs.add("cooldown_ns", settings_.cooldown.count());
      enter(phase::cooldown, at, settings_.cooldown);
      break;
    }
    case phase::deregistering: {
      const auto dns = settings_.distribution == traffic_distribution::dns;
      auto& inputs = tell(step_kind::drain, at, dns ? "TTL" : "UPDATED").inputs;
      inputs.add(dns ? "dns_ttl_ns" : "update_time_ns", deregistration_time().count());
      inputs.add("drain_connection_timeout_ns", settings_.drain_connection_timeout.count());
      enter(phase::draining, at, settings_.drain_connection_timeout);
      break;
    }
    case phase::draining: deprovision(at, "DRAIN_TIMEOUT"); break;
    case phase::deprovisioning:
      tell(step_kind::remove, at, "DEPROVISIONED")
        .inputs.add("deprovisioning_time_ns", settings_.deprovisioning_time.count());
      watch_anew();
      break;
    case phase::cooldown: watch_anew(); break;
    case phase::watching: SPILLOVER_CHECK_NEVER("nothing is due while watching");
  }
}

void decider::evaluate(const cluster& x) noexcept {
  watch_.list(last_.inputs);
  last_.inputs.add("min_nodes", settings_.min_nodes);
  last_.inputs.add("max_nodes", settings_.max_nodes);
  if (x.reporting.nodes().empty())
    last_.reason = "NO_STATISTICS";
  else if (const auto high = watch_.too_high(); !high.empty()) {
    if (x.nodes >= settings_.max_nodes)
      last_.reason = "MAX";
    else
      scale_out(last_.at, high);
  } else if (const auto low = watch_.too_low(); !low.empty()) {
    if (x.nodes <= settings_.min_nodes)
      last_.reason = "MIN";
    else
      scale_in(last_.at, low, choose(x.reporting.nodes()));
  } else {
    last_.reason = watch_.breached() ? "WATCH_TIME" : "WITHIN";
  }
}

void decider::scale_out(instant now, std::string_view why) noexcept {
  last_.reason = why;
  acting_since_ = now;
  node_ = no_node;
  tell(step_kind::provision, now, why).inputs = last_.inputs;
  enter(phase::provisioning, now, settings_.provisioning_time);
}

void decider::scale_in(instant now, std::string_view why, const node_statistics& victim) noexcept {
  last_.reason = why;
  last_.inputs.add("node", victim.node);
  last_.inputs.add("node_connections", victim.connections);
  acting_since_ = now;
  node_ = victim.node;
  tell(step_kind::deregister_address, now, why).inputs = last_.inputs;
  enter(phase::deregistering, now, deregistration_time());
}

void decider::enter(phase next, instant now, duration lasts) noexcept {
  phase_ = next;
  since_ = now;
  due_ = now + lasts;
  // The action is over; what remains of it is not about its node.
  if (next == phase::cooldown)
    node_ = no_node;
}

void decider::watch_anew() noexcept {
  phase_ = phase::watching;
  due_ = never;
  node_ = no_node;
  watch_.restart();
}

void decider::deprovision(instant now, std::string_view why) noexcept {
  auto& inputs = tell(step_kind::deprovision, now, why).inputs;
  inputs.add("drained_ns", (now - since_).count());
  inputs.add("drain_connection_timeout_ns", settings_.drain_connection_timeout.count());
  enter(phase::deprovisioning, now, settings_.deprovisioning_time);
}

step& decider::tell(step_kind kind, instant at, std::string_view reason) noexcept {
  SPILLOVER_CHECK(told_ < steps_.size());
  auto& result = steps_[told_++];
  result = {.kind = kind, .at = at, .node = node_, .reason = reason, .inputs = {}};
  result.inputs.add("action_ns", (at - acting_since_).count());
  return result;
}

const node_statistics& decider::choose(std::span<const node_statistics> from) const noexcept {
  using node = node_statistics;
  const auto younger = [](const node& x, const node& y) { return x.node > y.node; };
  switch (settings_.victim) {
    case node_choice::youngest: break;
    case node_choice::oldest:
      return *std::min_element(from.begin(), from.end(),
                               [](const node& x, const node& y) { return x.node < y.node; });
    case node_choice::fewest_connections:
      return *std::min_element(from.begin(), from.end(), [&](const node& x, const node& y) {
        return x.connections != y.connections ? x.connections < y.connections : younger(x, y);
      });
  }
  return *std::min_element(from.begin(), from.end(), younger);
}

duration decider::deregistration_time() const noexcept {
  return settings_.distribution == traffic_distribution::dns ? settings_.dns_ttl
                                                             : settings_.update_time;
}

} // namespace spillover::netscaler
