#include "producers/instance.hpp"

#include "producers/stretched.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace spillover {

instance::instance(const instance_blueprint& blueprint, std::uint64_t seed, std::string_view path)
  : blueprint_(&blueprint),
    service_random_(seed, std::string{path} + "/service"),
    cpu_(blueprint.cpu),
    failure_random_(seed, std::string{path} + "/failure"),
    probe_random_(seed, std::string{path} + "/probe") {}

void instance::on_request(instant now, std::uint32_t key, std::uint64_t serial,
                          instance_effects& out) {
  // Drawn in every case, so that a fault does not change what later requests need.
  const auto service = blueprint_->service_time.draw(service_random_);
  const auto cpu = std::min(blueprint_->cpu_per_request, service);
  if (ill_)
    take_ill(now, key, serial, cpu, service - cpu, out);
  else if (full())
    line_up({serial, key, cpu, service - cpu}, out);
  else
    take(now, key, serial, cpu, service - cpu, out);
}

void instance::take_ill(instant now, std::uint32_t key, std::uint64_t serial, duration cpu,
                        duration wait, instance_effects& out) {
  const auto& x = condition_;
  if (x.silent) {
    // Nobody is there to refuse one.
    jobs_.add({serial, key, {}});
    return;
  }
  if (x.requests.share > 0 && failure_random_.unit() < x.requests.share) {
    out.respond(key, serial, x.requests.status);
    return;
  }
  if (x.factor != 1) {
    cpu = stretched(cpu, x.factor);
    wait = stretched(wait, x.factor);
  }
  wait += x.by;
  if (full())
    line_up({serial, key, cpu, wait}, out);
  else
    take(now, key, serial, cpu, wait, out);
}

void instance::line_up(const waiting& x, instance_effects& out) {
  if (waiting_count() >= blueprint_->limit.queue)
    out.respond(x.key, x.serial, outcome::unavailable);
  else
    waiting_.push_back(x);
}

void instance::take_next(instant now, instance_effects& out) {
  const auto x = waiting_[first_waiting_++];
  // Moved down rarely enough to cost nothing on average.
  if (first_waiting_ * 2 >= waiting_.size()) {
    waiting_.erase(waiting_.begin(),
                   waiting_.begin() + static_cast<std::ptrdiff_t>(first_waiting_));
    first_waiting_ = 0;
  }
  take(now, x.key, x.serial, x.cpu, x.wait, out);
}

void instance::take(instant now, std::uint32_t key, std::uint64_t serial, duration cpu,
                    duration wait, instance_effects& out) {
  const auto index = jobs_.add({serial, key, wait});
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

void instance::on_wait(instant now, std::uint32_t index, std::uint64_t serial,
                       instance_effects& out) {
  const auto* x = jobs_.find(index);
  if (x && x->serial == serial && !(ill_ && condition_.silent))
    finish(now, index, outcome::ok, out);
}

void instance::begin_wait(instant now, std::uint32_t index, instance_effects& out) {
  const auto& x = jobs_.at(index);
  if (x.wait == duration::zero())
    finish(now, index, outcome::ok, out);
  else
    out.wake_wait(now + x.wait, index, x.serial);
}

void instance::finish(instant now, std::uint32_t index, outcome how, instance_effects& out) {
  const auto x = jobs_.at(index);
  jobs_.remove(index);
  out.respond(x.key, x.serial, how);
  if (waiting_count() > 0)
    take_next(now, out);
}

void instance::arm(instance_effects& out) {
  if (const auto due = cpu_.next_end(); due != never)
    out.wake_cpu(due);
}

void instance::afflict(instant now, std::uint32_t fault, const symptom& suffer) {
  const auto was_silent = condition_.silent;
  // By number, because products and sums of doubles depend on their order, and that must not depend
  // on who came first.
  const auto place = std::find_if(faults_.begin(), faults_.end(),
                                  [fault](const laid& x) { return x.fault > fault; });
  faults_.insert(place, {fault, suffer, now, order_++, 0});
  diagnose(now);
  if (condition_.silent && !was_silent)
    cpu_.clear(now);
}

void instance::heal(instant now, std::uint32_t fault, instance_effects& out) {
  const auto found = std::find_if(faults_.begin(), faults_.end(),
                                  [fault](const laid& x) { return x.fault == fault; });
  if (found == faults_.end())
    return;
  const auto was_silent = condition_.silent;
  faults_.erase(found);
  diagnose(now);
  if (was_silent && !condition_.silent) {
    std::vector<std::uint32_t> held;
    jobs_.for_each([&](std::uint32_t index, const job&) { held.push_back(index); });
    for (auto i = std::exchange(first_waiting_, 0); i < waiting_.size(); ++i)
      out.respond(waiting_[i].key, waiting_[i].serial, outcome::lost);
    waiting_.clear();
    for (const auto index : held)
      finish(now, index, outcome::lost, out);
  }
  // With less to share the CPU with, what runs may end earlier.
  arm(out);
}

void instance::diagnose(instant now) {
  condition x;
  // The latest one decides how requests or probes fail.
  const laid* latest[2]{};
  const auto outdoes = [](const laid& y, const laid* z) { return !z || y.order > z->order; };
  for (const auto& y : faults_) {
    const auto& suffer = y.suffer;
    const auto requests = suffer.affects != affected_part::probes;
    const auto probes = suffer.affects != affected_part::requests;
    switch (suffer.become) {
      case ailment::silent:
        x.silent = x.silent || requests;
        x.silent_to_probes = x.silent_to_probes || probes;
        x.unreachable = x.unreachable || probes;
        break;
      case ailment::hung: x.silent = x.silent_to_probes = true; break;
      case ailment::failing:
        if (requests && outdoes(y, latest[0]))
          latest[0] = &y;
        if (probes && outdoes(y, latest[1]))
          latest[1] = &y;
        break;
      case ailment::slow: x.factor *= suffer.factor; break;
      case ailment::waiting: x.by += suffer.by; break;
      case ailment::leaking: x.leaks = true; break;
      case ailment::crashed:
      case ailment::unstartable:
      case ailment::slow_starting: break;
    }
  }
  if (latest[0])
    x.requests = {latest[0]->suffer.error_fraction, latest[0]->suffer.status};
  if (latest[1])
    x.probe_errors = latest[1]->suffer.error_fraction;
  const auto leaked = condition_.leaks;
  condition_ = x;
  ill_ = !faults_.empty();
  if (leaked || x.leaks)
    leak(now);
}

void instance::grow_leaks(instant now) noexcept {
  for (auto& x : faults_)
    x.seconds = std::chrono::floor<std::chrono::seconds>(now - x.since).count();
}

void instance::leak(instant now) {
  double vcpus = 0;
  for (const auto& x : faults_)
    if (x.suffer.become == ailment::leaking)
      vcpus += x.suffer.vcpu_per_minute * static_cast<double>(x.seconds) / 60;
  const auto most = blueprint_->cpu - blueprint_->cpu / 100;
  cpu_.set_background(now, std::min(vcpus, most));
}

void instance::set_cpu(instant now, double vcpus, instance_effects& out) {
  cpu_.set_cpu(now, vcpus);
  // With more to share what runs ends earlier.
  arm(out);
}

probe_result instance::probe() {
  const auto& x = condition_;
  if (x.silent_to_probes)
    return probe_result::silent;
  if (x.probe_errors > 0 && probe_random_.unit() < x.probe_errors)
    return probe_result::failed;
  return probe_result::answered;
}

bool instance::startable() const noexcept {
  return std::none_of(faults_.begin(), faults_.end(),
                      [](const laid& x) { return x.suffer.become == ailment::unstartable; });
}

duration instance::take_cpu(instant now) {
  if (condition_.leaks) {
    grow_leaks(now);
    leak(now);
  }
  const auto used = cpu_.used(now);
  const auto result = used - cpu_taken_;
  cpu_taken_ = used;
  return result;
}

} // namespace spillover
