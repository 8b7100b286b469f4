#include "actors/published_service_shell.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

std::vector<std::uint32_t> weights_of(const std::vector<published_service_shell::backend>& x) {
  std::vector<std::uint32_t> result;
  result.reserve(x.size());
  for (const auto& backend : x)
    result.push_back(backend.weight);
  return result;
}

} // namespace

published_service_shell::published_service_shell(caf::actor_config& config, site& where, setup with,
                                                 std::vector<consumer> consumers)
  : shell(config, where, actor_kind::published_service, with.id, with.path),
    setup_(std::move(with)),
    consumers_(std::move(consumers)),
    split_(weights_of(setup_.backends)),
    meter_(setup_.backends.size()) {
  endpoints_.region = path().substr(0, path().find('/'));
  endpoints_.incarnation = setup_.incarnation;
  for (const auto& x : consumers_) {
    jitter_.emplace_back(where.seed(), path() + "/propagation/" + x.name);
    endpoint_jitter_.emplace_back(where.seed(), path() + "/endpoints/" + x.name);
  }
}

published_service_shell::behavior_type published_service_shell::make_behavior() {
  if (setup_.timing)
    delayed_send(this, setup_.timing->resend, caf::tick_atom::value);
  // That there is none is told as well.
  if (std::any_of(consumers_.begin(), consumers_.end(),
                  [](const consumer& x) { return x.wants_endpoints; }))
    tell_at_next_tick();
  return {
    [this](const service_health& x) {
      state_ = x;
      state_->incarnation = setup_.incarnation;
      publish();
    },
    [this](const propagate& x) { send(consumers_[x.consumer].link, x.state); },
    [this](caf::tick_atom) {
      delayed_send(this, setup_.timing->resend, caf::tick_atom::value);
      if (state_)
        publish();
    },
    [this](const endpoint_report& x) { count(x); },
    [this](const utilization_report& x) { measure(x); },
    [this](const publish_endpoints& x) { tell_endpoints(x); },
    [this](const propagate_endpoints& x) { send(consumers_[x.consumer].link, x.state); },
    [this](const close_books&) {
      for (const auto& x : consumers_)
        record_books("service", x.name, x.tries);
      close_connections();
    },
  };
}

void published_service_shell::publish() {
  const auto spread = static_cast<std::uint64_t>(setup_.timing->propagation_jitter.count());
  for (std::uint32_t i = 0; i < consumers_.size(); ++i) {
    const auto jitter = duration{static_cast<duration::rep>(jitter_[i].below(spread + 1))};
    delayed_send(this, setup_.timing->propagation + jitter, propagate{i, *state_});
  }
}

void published_service_shell::on_record(const record& x) {
  if (x.what >= op::connect) [[unlikely]] {
    on_connection(x);
    return;
  }
  record next = x;
  auto& from = consumer_at(x.reply_to);
  if (site_.tracer()) [[unlikely]]
    trace(x);
  if (x.what == op::request) {
    from.tries.take();
    next.to = from.tagged == nobody ? setup_.backends[split_.next()].revision : from.tagged;
    events().post(next);
    return;
  }
  from.tries.end(x.status);
  // Dropped by a silent instance: nothing goes back, the consumer waits until its own timeout.
  if (x.status == outcome::lost)
    return;
  // The load balancer learns from which of its PSC NEGs the answer comes.
  next.reply_to = id();
  from.answers.send(events(), next);
}

void published_service_shell::trace(const record& x) {
  const auto what =
    x.what == op::request ? request_step::service_took : request_step::service_answered;
  site_.tracer()->add({x.reply_to, x.request}, {now(), what, x.attempt, path(), x.status});
}

published_service_shell::consumer& published_service_shell::consumer_at(entity_id load_balancer) {
  const auto found =
    std::find_if(consumers_.begin(), consumers_.end(),
                 [load_balancer](const consumer& x) { return x.answers.to == load_balancer; });
  SPILLOVER_CHECK(found != consumers_.end());
  return *found;
}

void published_service_shell::on_exit() {
  shell::on_exit();
  consumers_.clear();
}

} // namespace spillover
