#include "actors/instance_shell.hpp"

namespace spillover {

instance_shell::instance_shell(caf::actor_config& config, site& where, const setup& with,
                               revision_actor revision)
  : shell(config, where, actor_kind::instance, with.id, with.path),
    cpu_alarm_(with.id, cpu_timer),
    revision_id_(with.revision_id),
    index_(with.index),
    // A process starts its draws anew, so its incarnation is part of the streams' name.
    instance_(*with.blueprint, where.seed(), with.path + "#" + std::to_string(with.incarnation)),
    incarnation_(with.incarnation),
    revision_(std::move(revision)),
    blueprint_(with.blueprint),
    serving_(with.warm),
    tells_readiness_count_(with.tells_readiness_count),
    probe_alarm_(with.id, probe_timer) {
  random_stream random{where.seed(),
                       with.path + "#" + std::to_string(with.incarnation) + "/cold_start"};
  cold_start_ = cold_start_under(with.terms, with.blueprint->cold_start.draw(random));
}

instance_shell::behavior_type instance_shell::make_behavior() {
  if (blueprint_->liveness_probe || blueprint_->readiness_probe)
    probes_ =
      std::make_unique<container_probes>(blueprint_->liveness_probe, blueprint_->readiness_probe);
  if (serving_)
    begin_to_serve();
  else
    begin_start();
  return {
    [this](const probe& x) { return answer_probe(x); },
    [this](const affliction& x) {
      if (x.active)
        instance_.afflict(now(), x.fault, x.suffer);
      else
        instance_.heal(now(), x.fault, *this);
    },
    [this](caf::tick_atom) { look_at_start(); },
  };
}

void instance_shell::begin_start() {
  began_ = now();
  if (blueprint_->boosted_cpu > blueprint_->cpu)
    instance_.set_cpu(now(), blueprint_->boosted_cpu, *this);
  if (blueprint_->startup_probe)
    start_.emplace(*blueprint_->startup_probe, cold_start_);
  delayed_send(this, start_ ? start_->due() : cold_start_, caf::tick_atom::value);
}

void instance_shell::look_at_start() {
  if (start_) {
    const auto step =
      instance_.startable() ? start_->look(instance_.probe()) : start_->look_in_vain();
    if (step == startup_course::step::wait)
      delayed_send(this, began_ + start_->due() - now(), caf::tick_atom::value);
    if (step == startup_course::step::failed)
      tell_failure(true);
    if (step != startup_course::step::ready)
      return;
  } else if (!instance_.startable()) {
    // The revision watches the process, and does with it as with any that ended.
    quit(caf::make_error(caf::sec::runtime_error, "cannot start"));
    return;
  }
  serving_ = true;
  if (blueprint_->boosted_cpu > blueprint_->cpu) {
    record x;
    x.to = id();
    x.attempt = boost_timer;
    events().after(boost_after_start, x);
  }
  begin_to_serve();
  send(revision_, instance_ready{index_, incarnation_});
}

void instance_shell::begin_to_serve() {
  if (!probes_)
    return;
  probes_->startup_passed(now());
  probe_alarm_.set(events(), probes_->next());
}

void instance_shell::tell_failure(bool at_start) {
  send(revision_, container_failed{index_, incarnation_, at_start});
  // Until the revision ends this process, nothing more comes of it.
  probes_.reset();
}

void instance_shell::on_timer(const record& x) {
  if (x.attempt == boost_timer) {
    instance_.set_cpu(now(), blueprint_->cpu, *this);
    return;
  }
  probe_alarm_.fired();
  if (probes_)
    run_probes();
}

void instance_shell::run_probes() {
  const auto found = probes_->on_time(now(), [this] { return instance_.probe(); });
  const auto counts = tells_readiness_count_ ? found.counts : std::nullopt;
  if (found.takes_requests || counts)
    send(revision_, instance_readiness{index_, incarnation_, found.takes_requests, counts});
  if (found.restart)
    tell_failure(false);
  else
    probe_alarm_.set(events(), probes_->next());
}

void instance_shell::on_record(const record& x) {
  switch (x.what) {
    case op::request: instance_.on_request(now(), x.arg, x.request, *this); break;
    case op::timer:
      if (x.attempt == cpu_timer) {
        cpu_alarm_.fired();
        instance_.on_cpu(now(), *this);
      } else if (x.attempt == wait_timer) {
        instance_.on_wait(now(), x.arg, x.request, *this);
      } else {
        on_timer(x);
      }
      break;
    case op::sample: {
      record answer;
      answer.to = revision_id_;
      answer.what = op::usage;
      answer.arg = index_;
      answer.request = static_cast<std::uint64_t>(instance_.take_cpu(now()).count());
      events().post(answer);
      break;
    }
    case op::connect: answer_connect(x); break;
    case op::response:
    case op::connected:
    case op::usage: SPILLOVER_CHECK_NEVER("not for an instance");
  }
}

void instance_shell::on_exit() {
  shell::on_exit();
  revision_ = nullptr;
}

void instance_shell::respond(std::uint32_t key, std::uint64_t serial, outcome how) {
  record x;
  x.to = revision_id_;
  x.what = op::response;
  x.status = how;
  x.arg = key;
  x.request = serial;
  if (auto* tracer = site_.tracer()) [[unlikely]]
    tracer->add_at_instance({id(), serial},
                            {now(), request_step::instance_answered, 0, path(), how});
  events().post(x);
}

void instance_shell::wake_cpu(instant due) {
  cpu_alarm_.set(events(), due);
}

void instance_shell::wake_wait(instant due, std::uint32_t index, std::uint64_t serial) {
  record x;
  x.to = id();
  x.attempt = wait_timer;
  x.arg = index;
  x.request = serial;
  if (auto* tracer = site_.tracer()) [[unlikely]]
    tracer->add_at_instance({id(), serial},
                            {now(), request_step::cpu_done, 0, path(), outcome::ok, due});
  events().at(due, x);
}

// As a probe that only connects would be answered, and a ping as one that wants an answer, but that a ping says
// nothing of how well requests go.
void instance_shell::answer_connect(const record& x) {
  const auto ping = x.attempt == static_cast<std::uint16_t>(connection_step::ping);
  record answer = x;
  answer.to = revision_id_;
  answer.what = op::connected;
  answer.status = outcome::ok;
  if (!serving_)
    answer.status = outcome::unavailable;
  else if ((ping ? instance_.probe() : instance_.connect()) == probe_result::silent)
    answer.status = outcome::lost;
  events().post(answer);
}

caf::result<probe_answer> instance_shell::answer_probe(const probe& x) {
  // A process that is still starting refuses the connection.
  if (!serving_)
    return probe_answer{probe_result::refused};
  const auto met = x.connects_only ? instance_.connect() : instance_.probe();
  if (met != probe_result::silent)
    return probe_answer{met};
  // A promise that is dropped answers nothing: the prober waits until its timeout.
  return make_response_promise<probe_answer>();
}

} // namespace spillover
