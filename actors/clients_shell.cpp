#include "actors/clients_shell.hpp"

#include <utility>

namespace spillover {

clients_shell::clients_shell(caf::actor_config& config, site& where, setup with)
  : shell(config, where, actor_kind::clients, with.id, with.path),
    setup_(std::move(with)),
    clients_(setup_.traffic, setup_.config, where.seed(), path()) {
  // Answers to an earlier process must not look like answers to this one.
  clients_.number_after(std::uint64_t{setup_.incarnation - 1} << 40U);
}

clients_shell::behavior_type clients_shell::make_behavior() {
  return {
    [this](caf::tick_atom) {
      record tick;
      tick.to = id();
      tick.attempt = second_timer;
      events().after(std::chrono::seconds{1}, tick);
      clients_.start(*this, now());
    },
    [this](const close_books&) { close(); },
  };
}

void clients_shell::on_record(const record& x) {
  if (x.what == op::response) {
    clients_.on_response(now(), x.arg, x.request, x.attempt, x.status, *this);
  } else if (x.attempt == second_timer) {
    events().after(std::chrono::seconds{1}, x);
    close_second();
  } else {
    clients_.on_timer(now(), static_cast<std::uint8_t>(x.attempt - first_of_clients), x.arg, *this);
  }
}

void clients_shell::send(std::uint64_t request, std::uint32_t key, std::uint16_t attempt,
                         instant intended) {
  record x;
  x.to = setup_.target;
  x.what = op::request;
  x.request = request;
  x.attempt = attempt;
  x.arg = key;
  x.sent = intended.time_since_epoch().count();
  x.reply_to = id();
  if (auto* tracer = site_.tracer()) [[unlikely]] {
    if (attempt == 0)
      tracer->add({setup_.target, request}, {intended, request_step::intended, 0, path()});
    tracer->add({setup_.target, request}, {now(), request_step::client_sent, attempt, path()});
  }
  events().post(x);
}

void clients_shell::will_retry(std::uint64_t request, outcome how, instant due) {
  if (auto* tracer = site_.tracer()) [[unlikely]]
    tracer->add({setup_.target, request}, {now(), request_step::client_waits, 0, path(), how, due});
}

void clients_shell::ended(const ended_request& x) {
  // A bench that measures the bare way of a request keeps none.
  if (auto* keeper = site_.keeper())
    keeper->add({setup_.consumer, x.number, x.intended, now(), x.how, x.tries});
  if (auto* tracer = site_.tracer()) [[unlikely]]
    tracer->add({setup_.target, x.number}, {now(), request_step::ended, 0, path(), x.how});
}

void clients_shell::wake(instant due, std::uint8_t what, std::uint32_t key) {
  record x;
  x.to = id();
  x.attempt = static_cast<std::uint16_t>(what + first_of_clients);
  x.arg = key;
  events().at(due, x);
}

void clients_shell::close_second() {
  const auto seen = clients_.take_second();
  client_sample x;
  x.started = static_cast<std::uint32_t>(seen.started);
  x.retried = static_cast<std::uint32_t>(seen.retried);
  for (std::size_t how = 0; how < outcome_count; ++how)
    x.ended[how] = static_cast<std::uint32_t>(seen.ended[how]);
  x.latency = seen.latency.sparse();
  record_event({}, std::move(x));
  for (auto& [load, subscription] : clients_.subscriptions()) {
    const auto counted = subscription.take_second();
    const auto small = [](std::uint64_t y) { return static_cast<std::uint32_t>(y); };
    subscription_sample second;
    second.load = load;
    second.published = small(counted.published);
    second.pushes = small(counted.pushes);
    second.redelivered = small(counted.redelivered);
    second.acked = small(counted.acked);
    second.duplicates = small(counted.duplicates);
    second.dead_lettered = small(counted.dead_lettered);
    second.expired = small(counted.expired);
    second.backlog = subscription.backlog();
    second.outstanding = small(subscription.outstanding());
    second.window = subscription.window();
    second.oldest_age_ms =
      static_cast<std::uint64_t>(subscription.oldest_age(now()) / std::chrono::milliseconds{1});
    record_event({}, second);
  }
}

void clients_shell::close() {
  record_books("consumer", "", clients_.requests());
  for (const auto& [load, subscription] : clients_.subscriptions()) {
    const auto& x = subscription.counts();
    record_event({}, subscription_closed{load, x.published, x.acked, x.dead_lettered, x.expired,
                                         subscription.backlog(), subscription.outstanding(),
                                         x.pushes, x.redelivered, x.duplicates});
  }
}

} // namespace spillover
