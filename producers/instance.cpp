#include "producers/instance.hpp"

#include <algorithm>
#include <string>

namespace spillover {

instance::instance(const instance_blueprint& blueprint, std::uint64_t seed, std::string_view path)
  : blueprint_(&blueprint),
    cpu_(blueprint.cpu),
    service_random_(seed, std::string{path} + "/service"),
    failure_random_(seed, std::string{path} + "/failure") {}

void instance::on_request(instant now, std::uint32_t key, std::uint64_t serial,
                          instance_effects& out) {
  // Drawn in every case, so that a fault does not change what later requests need.
  const auto service = blueprint_->service_time.draw(service_random_);
  const auto cpu = std::min(blueprint_->cpu_per_request, service);
  if (silenced_ != 0) {
    jobs_.add({serial, key, {}});
    return;
  }
  if (const auto* x = failing(); x && failure_random_.unit() < x->error_fraction) {
    out.respond(key, serial, x->status);
    return;
  }
  const auto index = jobs_.add({serial, key, service - cpu});
  if (cpu == duration::zero()) {
    begin_wait(now, index, out);
    return;
  }
  cpu_.add(now, index, cpu);
  arm(out);
}

void instance::on_cpu(instant now, instance_effects& out) {
  while (const auto index = cpu_.take_ended(now))
    begin_wait(now, *index, out);
  arm(out);
}

void instance::on_wait(std::uint32_t index, std::uint64_t serial, instance_effects& out) {
  const auto* x = jobs_.find(index);
  if (x && x->serial == serial && silenced_ == 0)
    finish(index, outcome::ok, out);
}

void instance::begin_wait(instant now, std::uint32_t index, instance_effects& out) {
  const auto& x = jobs_.at(index);
  if (x.wait == duration::zero())
    finish(index, outcome::ok, out);
  else
    out.wake_wait(now + x.wait, index, x.serial);
}

void instance::finish(std::uint32_t index, outcome how, instance_effects& out) {
  const auto x = jobs_.at(index);
  jobs_.remove(index);
  out.respond(x.key, x.serial, how);
}

void instance::arm(instance_effects& out) {
  if (const auto due = cpu_.next_end(); due != never)
    out.wake_cpu(due);
}

void instance::afflict(instant now, std::uint32_t fault, const symptom& suffer) {
  faults_.push_back({fault, suffer});
  if (suffer.become == ailment::silent && silenced_++ == 0)
    cpu_.clear(now);
}

void instance::heal(std::uint32_t fault, instance_effects& out) {
  const auto found = std::find_if(faults_.begin(), faults_.end(),
                                  [fault](const laid& x) { return x.fault == fault; });
  if (found == faults_.end())
    return;
  const auto was_silent = found->suffer.become == ailment::silent;
  faults_.erase(found);
  if (!was_silent || --silenced_ != 0)
    return;
  std::vector<std::uint32_t> held;
  jobs_.for_each([&](std::uint32_t index, const job&) { held.push_back(index); });
  for (const auto index : held)
    finish(index, outcome::lost, out);
}

const symptom* instance::failing() const noexcept {
  const auto found = std::find_if(faults_.rbegin(), faults_.rend(), [](const laid& x) {
    return x.suffer.become == ailment::failing;
  });
  return found == faults_.rend() ? nullptr : &found->suffer;
}

instance::probe_answer instance::probe() {
  if (silenced_ != 0)
    return probe_answer::silence;
  if (const auto* x = failing(); x && failure_random_.unit() < x->error_fraction)
    return probe_answer::error;
  return probe_answer::healthy;
}

duration instance::take_cpu(instant now) {
  const auto used = cpu_.used(now);
  const auto result = used - cpu_taken_;
  cpu_taken_ = used;
  return result;
}

} // namespace spillover
