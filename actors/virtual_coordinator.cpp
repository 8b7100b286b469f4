#include "actors/virtual_coordinator.hpp"

#include <caf/actor_cast.hpp>
#include <caf/monitorable_actor.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

// CAF takes the time 0 for "unset", so its clock runs one nanosecond ahead of ours.
constexpr std::chrono::nanoseconds clock_offset{1};

// Messages an actor may take in one go. Small, so that records posted by a handler do not wait for
// a long mailbox.
constexpr std::size_t throughput = 16;

/// Takes the place of CAF's printer, which would be an actor with a thread of its own.
class no_printer final : public caf::monitorable_actor {
public:
  explicit no_printer(caf::actor_config& config) : caf::monitorable_actor(config) {}
  using caf::monitorable_actor::enqueue;
  void enqueue(caf::mailbox_element_ptr, caf::execution_unit*) override {}
};

} // namespace

virtual_coordinator::virtual_coordinator(caf::actor_system& system)
  : abstract_coordinator(system), caf::execution_unit(&system), self_id_(lane_.allocate()) {
  lane_.bind(self_id_, *this);
}

virtual_coordinator::~virtual_coordinator() = default;

void virtual_coordinator::load_into(caf::actor_system_config& config) {
  config.load<virtual_coordinator>();
}

virtual_coordinator& virtual_coordinator::of(caf::actor_system& system) {
  return dynamic_cast<virtual_coordinator&>(system.scheduler());
}

caf::actor_system::module* virtual_coordinator::make(caf::actor_system& system,
                                                     caf::detail::type_list<>) {
  return new virtual_coordinator(system);
}

void virtual_coordinator::run_until(instant to) {
  settle();
  if (halted_)
    to = lane_.now();
  while (lane_.next_due() <= to) {
    lane_.deliver_timer();
    settle();
    if (halted_)
      to = lane_.now();
  }
  lane_.advance(to);
}

void virtual_coordinator::settle() {
  do {
    while (lane_.deliver_posted()) {}
  } while (run_job());
}

bool virtual_coordinator::run_job() {
  if (jobs_.empty())
    return false;
  auto* job = jobs_.front();
  jobs_.pop_front();
  switch (job->resume(this, throughput)) {
    case caf::resumable::resume_later: jobs_.push_back(job); break;
    case caf::resumable::done:
    case caf::resumable::awaiting_message: caf::intrusive_ptr_release(job); break;
    case caf::resumable::shutdown_execution_unit: break;
  }
  return true;
}

void virtual_coordinator::drop_timers() {
  cancel_all();
}

void virtual_coordinator::enqueue(caf::resumable* job) {
  jobs_.push_back(job);
}

void virtual_coordinator::exec_later(caf::resumable* job) {
  jobs_.push_back(job);
}

bool virtual_coordinator::detaches_utility_actors() const {
  return false;
}

void virtual_coordinator::start() {
  // Not the base class's: it would spawn the printer.
  caf::actor_config config;
  utility_actors_[printer_id] = caf::make_actor<no_printer, caf::actor>(
    system().next_actor_id(), system().node(), &system(), config);
}

void virtual_coordinator::stop() {
  settle();
  cancel_all();
  for (auto& x : utility_actors_)
    x = nullptr;
}

caf::actor_clock::time_point virtual_coordinator::now() const noexcept {
  return time_point{lane_.now().time_since_epoch() + clock_offset};
}

void virtual_coordinator::set(time_point due, alarm x) {
  std::uint32_t index = 0;
  if (free_alarms_.empty()) {
    index = static_cast<std::uint32_t>(alarms_.size());
    alarms_.emplace_back();
  } else {
    index = free_alarms_.back();
    free_alarms_.pop_back();
  }
  if (x.cancellable)
    cancellable_[x.who->id()].push_back(index);
  record r;
  r.to = self_id_;
  r.arg = index;
  x.timer = lane_.at(instant{due.time_since_epoch() - clock_offset}, r);
  alarms_[index] = std::move(x);
}

void virtual_coordinator::drop(std::uint32_t index) {
  alarms_[index] = alarm{};
  free_alarms_.push_back(index);
}

void virtual_coordinator::on_record(const record& x) {
  auto due = std::move(alarms_[x.arg]);
  drop(x.arg);
  if (due.cancellable) {
    const auto found = cancellable_.find(due.who->id());
    if (found != cancellable_.end()) {
      std::erase(found->second, x.arg);
      if (found->second.empty())
        cancellable_.erase(found);
    }
  }
  switch (due.kind) {
    case alarm_kind::none: break;
    case alarm_kind::message: due.who->enqueue(std::move(due.content), this); break;
    case alarm_kind::request:
      due.who->get()->eq_impl(due.request, due.who, this, caf::sec::request_timeout);
      break;
    case alarm_kind::timeout:
      due.who->get()->eq_impl(caf::make_message_id(), due.who, this,
                              caf::timeout_msg{due.type, due.timeout});
      break;
  }
}

void virtual_coordinator::set_ordinary_timeout(time_point due, caf::abstract_actor* self,
                                               caf::atom_value type, std::uint64_t id) {
  cancel_ordinary_timeout(self, type);
  set_multi_timeout(due, self, type, id);
}

void virtual_coordinator::set_multi_timeout(time_point due, caf::abstract_actor* self,
                                            caf::atom_value type, std::uint64_t id) {
  alarm x;
  x.kind = alarm_kind::timeout;
  x.who = caf::actor_cast<caf::strong_actor_ptr>(self);
  x.type = type;
  x.timeout = id;
  x.cancellable = true;
  set(due, std::move(x));
}

void virtual_coordinator::set_request_timeout(time_point due, caf::abstract_actor* self,
                                              caf::message_id id) {
  // CAF 0.17.6 never cancels a request's timeout once it was answered, so these are not kept for
  // cancelling; the late error meets no handler and is dropped by the requester.
  alarm x;
  x.kind = alarm_kind::request;
  x.who = caf::actor_cast<caf::strong_actor_ptr>(self);
  x.request = id;
  set(due, std::move(x));
}

void virtual_coordinator::drop_if(caf::abstract_actor* self, const auto& condition) {
  const auto found = cancellable_.find(self->id());
  if (found == cancellable_.end())
    return;
  std::erase_if(found->second, [&](std::uint32_t index) {
    if (!condition(alarms_[index]))
      return false;
    lane_.cancel(alarms_[index].timer);
    drop(index);
    return true;
  });
  if (found->second.empty())
    cancellable_.erase(found);
}

void virtual_coordinator::cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) {
  drop_if(self, [type](const alarm& x) { return x.type == type; });
}

void virtual_coordinator::cancel_request_timeout(caf::abstract_actor*, caf::message_id) {}

void virtual_coordinator::cancel_timeouts(caf::abstract_actor* self) {
  drop_if(self, [](const alarm&) { return true; });
}

void virtual_coordinator::schedule_message(time_point due, caf::strong_actor_ptr receiver,
                                           caf::mailbox_element_ptr content) {
  alarm x;
  x.kind = alarm_kind::message;
  x.who = std::move(receiver);
  x.content = std::move(content);
  set(due, std::move(x));
}

void virtual_coordinator::schedule_message(time_point, caf::group, caf::strong_actor_ptr,
                                           caf::message) {
  SPILLOVER_CHECK_NEVER("groups are not used");
}

void virtual_coordinator::cancel_all() {
  // Alarms hold strong references, so dropping one may end an actor that comes back to cancel its
  // own: take them out of our hands first.
  const auto dropped = std::exchange(alarms_, {});
  for (const auto& x : dropped)
    if (x.kind != alarm_kind::none)
      lane_.cancel(x.timer);
  free_alarms_.clear();
  cancellable_.clear();
}

} // namespace spillover
