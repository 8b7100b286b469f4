#include "lb/priority_channel.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover {

/// Whatever happens to a channel: afterwards the priority in use is chosen, which every change tells.
class priority_channel::operation {
public:
  operation(priority_channel& of, instant now) : of_(of), now_(now), first_(of.changes_.size()) {}

  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  ~operation() {
    of_.choose(now_);
    for (auto i = first_; i < of_.changes_.size(); ++i)
      of_.changes_[i].in_use = of_.in_use_;
    of_.find_next();
  }

private:
  priority_channel& of_;
  instant now_;
  std::size_t first_;
};

priority_channel::priority_channel(const grpc_config& config, std::uint32_t regions,
                                   const random_stream& random)
  : config_(config), random_(random), children_(regions) {}

void priority_channel::set_present(instant now, std::uint32_t region, bool present) {
  auto& x = children_[region];
  if (x.present == present)
    return;
  const operation done{*this, now};
  x.present = present;
  if (!present && x.created)
    x.kept_until = now + kept;
}

std::uint32_t priority_channel::pick(instant now) {
  last_pick_ = now;
  if (!awake_) {
    const operation done{*this, now};
    awake_ = true;
    idle_due_ = now + config_.idle_timeout;
  }
  if (in_use_ == none)
    return none;
  if (children_[in_use_].state == connectivity::idle) {
    const operation done{*this, now};
    begin_round(now, in_use_, connection_reason::wanted);
  }
  if (!usable(in_use_))
    return none;
  ++active_;
  return in_use_;
}

bool priority_channel::on_answer(instant now, std::uint32_t region, std::uint64_t number,
                                 bool accepted, std::uint64_t peer) {
  auto& x = children_[region];
  if (number == 0 || x.number != number)
    return false;
  const operation done{*this, now};
  const auto ping = x.state == connectivity::ready;
  end_call(x, accepted ? outcome::ok : outcome::unavailable);
  if (!accepted) {
    if (ping)
      lose(now, region, connection_reason::keepalive);
    else
      attempt_failed(now, region, connection_reason::refused);
    return true;
  }
  if (config_.keepalive)
    x.ping_at = now + config_.keepalive->interval;
  if (ping)
    return true;
  x.failures = 0;
  x.peer = peer;
  report(now, region, connectivity::ready, connection_reason::accepted);
  return true;
}

void priority_channel::on_lost(instant now, std::uint32_t region, std::uint64_t peer,
                               bool in_order) {
  const auto& x = children_[region];
  if (x.state != connectivity::ready || x.peer != peer)
    return;
  const operation done{*this, now};
  lose(now, region, in_order ? connection_reason::closed : connection_reason::reset);
}

void priority_channel::on_time(instant now) {
  while (next_ <= now) {
    const operation done{*this, now};
    rest_if_idle(now);
    // What is better comes first, so that what is worse is not tried for nothing.
    for (std::uint32_t region = 0; region < children_.size(); ++region)
      if (do_due(now, region))
        break;
  }
}

// Does one thing that is due.
bool priority_channel::do_due(instant now, std::uint32_t region) {
  auto& x = children_[region];
  if (x.kept_until <= now) {
    close(region, connection_reason::unused);
  } else if (x.due <= now) {
    end_call(x, outcome::lb_timeout);
    if (x.state == connectivity::ready)
      lose(now, region, connection_reason::keepalive);
    else
      attempt_failed(now, region, connection_reason::timed_out);
  } else if (x.failover_due <= now) {
    x.failover_due = never;
    note(region, x.state, connection_reason::failover_timeout);
  } else if (x.rests && x.retry_at <= now) {
    begin_round(now, region, connection_reason::wanted);
  } else if (x.ping_at <= now) {
    x.ping_at = never;
    x.due = now + config_.keepalive->timeout;
    call(region, true);
  } else {
    return false;
  }
  return true;
}

void priority_channel::rest_if_idle(instant now) {
  if (idle_due_ > now)
    return;
  if (active_ > 0) {
    idle_due_ = now + config_.idle_timeout;
    return;
  }
  idle_due_ = last_pick_ + config_.idle_timeout;
  if (idle_due_ > now)
    return;
  idle_due_ = never;
  awake_ = false;
  for (std::uint32_t region = 0; region < children_.size(); ++region)
    close(region, connection_reason::idle_timeout);
}

void priority_channel::choose(instant now) {
  if (awake_) {
    choose_awake(now);
    return;
  }
  const auto first =
    std::find_if(children_.begin(), children_.end(), [](const child& x) { return x.present; });
  in_use_ = first == children_.end() ? none : static_cast<std::uint32_t>(first - children_.begin());
}

// As gRFC A56 has it: the first that is READY or IDLE, or is given time to connect; otherwise the first that is
// CONNECTING; otherwise the last.
void priority_channel::choose_awake(instant now) {
  auto connecting = none;
  auto last = none;
  for (std::uint32_t region = 0; region < children_.size(); ++region) {
    auto& x = children_[region];
    if (!x.present)
      continue;
    if (!x.created) {
      x.created = true;
      begin_round(now, region, connection_reason::started);
    }
    x.kept_until = never;
    if (x.state == connectivity::ready || x.state == connectivity::idle)
      return use(now, region, true);
    if (x.failover_due != never)
      return use(now, region, false);
    if (x.state == connectivity::connecting && connecting == none)
      connecting = region;
    last = region;
  }
  in_use_ = connecting != none ? connecting : last;
}

void priority_channel::use(instant now, std::uint32_t region, bool leave_lower) {
  in_use_ = region;
  for (auto i = region + 1; leave_lower && i < children_.size(); ++i)
    if (children_[i].created && children_[i].kept_until == never)
      children_[i].kept_until = now + kept;
}

void priority_channel::begin_round(instant now, std::uint32_t region, connection_reason why) {
  auto& x = children_[region];
  auto pause = config_.back_off.base_interval;
  for (std::uint32_t i = 0; i < x.failures && pause < config_.back_off.max_interval; ++i)
    pause = pause * config_.back_off.multiplier / 100;
  pause = std::min(pause, config_.back_off.max_interval);
  const auto most = pause.count() * config_.back_off.jitter / 100;
  const auto drawn = random_.below(2 * static_cast<std::uint64_t>(most) + 1);
  x.pause = pause + duration{static_cast<duration::rep>(drawn) - most};
  x.retry_at = now + x.pause;
  x.rests = false;
  x.address = 0;
  attempt(now, region, why);
}

void priority_channel::attempt(instant now, std::uint32_t region, connection_reason why) {
  auto& x = children_[region];
  ++x.address;
  x.due = now + std::max(config_.connect_timeout, x.pause);
  call(region, false);
  // One that failed stays so until it is READY.
  if (!x.failed)
    report(now, region, connectivity::connecting, why);
}

void priority_channel::attempt_failed(instant now, std::uint32_t region, connection_reason why) {
  auto& x = children_[region];
  if (x.address < config_.addresses) {
    attempt(now, region, why);
    return;
  }
  ++x.failures;
  x.rests = true;
  if (!x.failed)
    report(now, region, connectivity::transient_failure, why);
}

void priority_channel::call(std::uint32_t region, bool ping) {
  auto& x = children_[region];
  x.number = ++numbers_;
  x.counted.take();
  calls_.push_back({region, ping, x.number, ping ? x.peer : 0});
}

void priority_channel::end_call(child& x, outcome how) noexcept {
  x.counted.end(how);
  x.number = 0;
  x.due = never;
}

void priority_channel::report(instant now, std::uint32_t region, connectivity after,
                              connection_reason why) {
  auto& x = children_[region];
  const auto before = x.state;
  x.state = after;
  x.failed = after == connectivity::transient_failure;
  if (after != connectivity::connecting)
    x.failover_due = never;
  else if (before != connectivity::connecting
           || config_.failover_timer_restarts == timer_restart::always
           || (config_.failover_timer_restarts == timer_restart::when_over
               && x.failover_due == never))
    x.failover_due = now + config_.failover_timeout;
  note(region, before, why);
}

void priority_channel::note(std::uint32_t region, connectivity before, connection_reason why) {
  const auto& x = children_[region];
  changes_.push_back({region, before, x.state, why, x.address, none});
}

// Waits for a request before it connects anew.
void priority_channel::lose(instant now, std::uint32_t region, connection_reason why) {
  auto& x = children_[region];
  if (x.number != 0)
    end_call(x, outcome::lb_timeout);
  x.ping_at = never;
  report(now, region, connectivity::idle, why);
}

void priority_channel::close(std::uint32_t region, connection_reason why) {
  auto& x = children_[region];
  if (!x.created)
    return;
  if (x.number != 0)
    end_call(x, outcome::lb_timeout);
  const auto before = x.state;
  x = child{.present = x.present, .address = x.address, .counted = x.counted};
  if (before != connectivity::idle)
    note(region, before, why);
}

void priority_channel::find_next() noexcept {
  next_ = idle_due_;
  for (const auto& x : children_) {
    next_ = std::min({next_, x.kept_until, x.due, x.failover_due, x.ping_at});
    if (x.rests)
      next_ = std::min(next_, x.retry_at);
  }
}

} // namespace spillover
