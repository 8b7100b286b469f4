#include "actors/link_shell.hpp"

#include <utility>

namespace spillover {

link_shell::link_shell(caf::actor_config& config, site& where, setup with,
                       health_listener_actor listener)
  : shell(config, where, actor_kind::link, nobody, with.path),
    setup_(std::move(with)),
    listener_(std::move(listener)) {}

link_shell::behavior_type link_shell::make_behavior() {
  return {
    [this](const service_health& x) { carry(x); },
    [this](const service_endpoints& x) { carry(x); },
    [this](const link_order& x) { obey(x); },
    [this](const close_books&) { close(); },
  };
}

template <class Message>
void link_shell::carry(const Message& x) {
  SPILLOVER_CHECK(listener_);
  const auto way = setup_.planes[static_cast<std::size_t>(plane::health)]->decide(now());
  for (const auto& delay : {way.first, way.second}) {
    if (!delay)
      continue;
    if (*delay == duration::zero())
      send(listener_, x);
    else
      delayed_send(listener_, *delay, x);
  }
}

void link_shell::close() {
  for (const auto which : {plane::data, plane::health}) {
    const auto& model = *setup_.planes[static_cast<std::size_t>(which)];
    books_closed x;
    x.account = "link";
    x.counterpart = to_string(which);
    x.taken = model.taken();
    x.ended[static_cast<std::size_t>(outcome::lost)] = model.lost();
    x.in_flight = model.taken() - model.lost();
    x.duplicated = model.duplicated();
    record_event({}, std::move(x));
  }
}

void link_shell::obey(const link_order& x) {
  record_event(
    x.cause, fault_applied{x.fault, x.active, 1, 1, std::string{to_string(x.what.suffer.become)}});
  for (const auto which : {plane::data, plane::health}) {
    const auto hit = which == plane::data ? x.what.data : x.what.health;
    if (!hit)
      continue;
    auto& model = *setup_.planes[static_cast<std::size_t>(which)];
    if (x.active)
      model.add_fault(x.fault, x.what.suffer);
    else
      model.remove_fault(x.fault);
  }
}

void link_shell::on_exit() {
  shell::on_exit();
  listener_ = nullptr;
}

} // namespace spillover
