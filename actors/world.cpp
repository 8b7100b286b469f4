#include "actors/world.hpp"

#include "actors/world_parts.hpp"

#include <caf/actor_registry.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace spillover {

site::observer world::parts::watching(site::observer seen) {
  if (watch.idle())
    return seen;
  return [this, seen = std::move(seen)](const event& x) {
    if (seen)
      seen(x);
    // What is recorded while the books are closed stops nothing any more.
    if (closing)
      return;
    auto reason = watch.see(x);
    if (!reason)
      return;
    stop_reason = std::move(reason);
    stop_cause = x.id;
    // What else is due at this instant happens still, so that up to here the run is the one without
    // the condition.
    coordinator.halt();
  };
}

void world::parts::stop() {
  stopping = true;
  // The wires between actors form cycles, so every one is told to end; each drops its handles then.
  for (const auto& x : residents)
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  coordinator.settle();
  coordinator.drop_timers();
  coordinator.settle();
  director = nullptr;
  clients.clear();
  bookkeepers.clear();
  balancers.clear();
  revisions.clear();
  probers.clear();
  sources.clear();
  services.clear();
  links.clear();
  residents.clear();
}

world::world(const scenario& x, site::observer seen)
  : parts_(std::make_unique<parts>(x, std::nullopt, std::move(seen))) {
  parts_->here.record_event("director", {},
                            run_started{x.name, x.description, x.seed, x.lasts, x.warm_up});
  parts_->build();
  parts_->coordinator.settle();
  for (const auto& c : parts_->clients)
    caf::anon_send(c, caf::tick_atom::value);
}

world::world(const scenario& x, const world_part& part, site::observer seen)
  : parts_(std::make_unique<parts>(x, part, std::move(seen))) {
  auto& p = *parts_;
  const auto own = p.number_of(part.site);
  p.log.number_from(own, part.directs()
                           ? std::max(part.first_event, first_free_event(x.faults.size()))
                           : part.first_event);
  p.here.keep_silent(part.late);
  p.build();
  p.list_acceptable();
  p.coordinator.settle();
  if (part.late)
    p.order_absence(true);
  p.coordinator.settle();
}

void world::go_live() {
  auto& p = *parts_;
  SPILLOVER_CHECK(p.part);
  p.here.keep_silent(false);
  if (p.part->directs())
    p.here.record_event_as(
      {0, 1}, "director", {},
      run_started{p.spec.name, p.spec.description, p.spec.seed, p.spec.lasts, p.spec.warm_up});
  if (p.part->late)
    p.order_absence(false);
  for (const auto& c : p.clients)
    caf::anon_send(c, caf::tick_atom::value);
  p.coordinator.settle();
}

// Nothing runs in a region that is not there yet.
void world::parts::order_absence(bool absent) {
  for (const auto& [path, revision] : revisions) {
    const instance_fault all{.of = path, .suffer = {.become = ailment::crashed}};
    caf::anon_send(revision, instance_order{absence, absent, all, {.everyone = true}, {}});
  }
}

void world::parts::list_acceptable() {
  for (const auto& x : spec.consumers)
    for (const auto& region : x.regions) {
      const auto service = services.at(region + "/" + x.service).id;
      const auto balancer = balancer_ids.at(x.name);
      if (holds(region))
        acceptable.push_back({op::request, service, balancer});
      if (holds(x.name))
        acceptable.push_back({op::response, balancer, service});
      if (!makes_connections(x.load_balancer))
        continue;
      if (holds(region))
        acceptable.push_back({op::connect, service, balancer});
      if (holds(x.name))
        acceptable.push_back({op::connected, balancer, service});
    }
}

bool world::may_take(const record& x) const noexcept {
  // A handful: a process holds one site.
  const auto& known = parts_->acceptable;
  return std::any_of(known.begin(), known.end(), [&x](const parts::way& y) {
    return y.what == x.what && y.to == x.to && y.reply_to == x.reply_to;
  });
}

void world::take(const record& x, instant due) {
  parts_->coordinator.events().at(due, x);
}

template <class Message>
void world::parts::tell_balancer(const Message& x) {
  for (const auto& consumer : spec.consumers) {
    const auto& regions = consumer.regions;
    if (holds(consumer.name)
        && std::find(regions.begin(), regions.end(), x.region) != regions.end())
      caf::anon_send(balancers.at(consumer.name), x);
  }
}

void world::take(const service_health& x) {
  parts_->tell_balancer(x);
}

void world::take(const service_endpoints& x) {
  parts_->tell_balancer(x);
}

void world::add_fault(std::uint32_t number, const fault& what, event_id cause) {
  caf::anon_send(parts_->director, fault_added{number, what, cause});
}

void world::lift_fault(std::uint32_t number) {
  caf::anon_send(parts_->director, fault_due{number, false});
}

event_id world::note(std::string_view entity, event_id cause, payload what) {
  return parts_->here.record_event(entity, cause, std::move(what));
}

latency_histogram world::take_lateness() {
  return parts_->pace ? parts_->pace->take_late() : latency_histogram{};
}

std::uint64_t world::close_part() {
  parts_->close_books();
  return parts_->on_the_way();
}

world::~world() {
  parts_->stop();
}

void world::trace(const std::string& consumer, std::uint64_t number) {
  const auto found = parts_->balancer_ids.find(consumer);
  SPILLOVER_CHECK(found != parts_->balancer_ids.end());
  SPILLOVER_CHECK(now() == run_start && records() == 0);
  parts_->tracer.follow({found->second, number}, consumer);
  parts_->here.trace_requests(parts_->tracer);
}

const request_tracer& world::traced() const noexcept {
  return parts_->tracer;
}

kept_requests world::kept() const {
  kept_requests result;
  for (const auto& x : parts_->spec.consumers)
    result.consumers.push_back(x.name);
  result.requests = parts_->keeper.kept();
  return result;
}

void world::run_until(instant to) {
  SPILLOVER_CHECK(to <= run_start + parts_->spec.lasts);
  if (parts_->pace)
    parts_->pace->run_until(to);
  else
    parts_->coordinator.run_until(to);
}

void world::pace(double speed) {
  SPILLOVER_CHECK(now() == run_start && records() == 0);
  pace(wall_clock{wall_clock::real::now(), speed}, {});
}

void world::pace(const wall_clock& clock, pacer_hooks with) {
  parts_->pace.emplace(parts_->coordinator, clock, std::move(with));
}

void world::wake() const noexcept {
  if (parts_->pace)
    parts_->pace->wake();
}

void world::interrupt() noexcept {
  if (parts_->pace)
    parts_->pace->stop();
}

latency_histogram world::lateness() const {
  return parts_->pace ? parts_->pace->late() : latency_histogram{};
}

void world::finish() {
  if (parts_->stop_reason)
    parts_->here.record_event("director", parts_->stop_cause, run_stopped{*parts_->stop_reason});
  parts_->close_books();
  parts_->here.record_event("director", {}, run_ended{parts_->on_the_way()});
}

void world::parts::close_books() {
  closing = true;
  for (const auto& x : bookkeepers)
    caf::anon_send(x, spillover::close_books{});
  coordinator.settle();
}

std::uint64_t world::parts::on_the_way() const {
  return coordinator.events().pending([](const record& x) {
    return x.what == op::request || x.what == op::response || x.what == op::connect
           || x.what == op::connected;
  });
}

void world::stop(std::string reason) {
  if (!parts_->stop_reason)
    parts_->stop_reason = std::move(reason);
}

bool world::stopped() const noexcept {
  return parts_->stop_reason.has_value();
}

instant world::now() const noexcept {
  return parts_->here.now();
}

const event_log& world::log() const noexcept {
  return parts_->log;
}

const std::map<std::string, actor_kind>& world::actors() const noexcept {
  return parts_->here.census();
}

std::uint64_t world::records() const noexcept {
  return parts_->coordinator.events().delivered();
}

std::size_t world::running() const {
  return parts_->system.registry().running();
}

const std::vector<std::string>& world::casualties() const noexcept {
  return parts_->casualties;
}

} // namespace spillover
