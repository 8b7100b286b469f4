#include "lb/load_balancer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

// What a load balancer does with tries that are known one by one: their time limits, hedging, pauses before
// retries, waiting for connections, and the end of draining. Order and rules are those of Envoy's router.

namespace spillover {

bool load_balancer::waits_for_connections() const noexcept {
  return guards_ && config_.circuit_breakers->protocol == upstream_protocol::http1;
}

// Sends a try to the region that was chosen for it, or lets it wait for a connection there.
void load_balancer::make_try(instant now, std::uint32_t slot, std::uint32_t region, outcome before,
                             load_balancer_effects& out) {
  auto& table = keeper_->table;
  auto& counts = keeper_->counts[region];
  auto& x = pending_.at(slot);
  const auto not_made = [&](outcome how) {
    proxies_[x.proxy].router->ended(region);
    refuse(slot, how, out);
  };
  if (guards_ && hold_back(x, region))
    return not_made(before);
  const auto place = place_of(x.proxy, region);
  // Nobody overtakes those who wait already.
  const auto limited = waits_for_connections();
  const auto waits = waits_for_channel(x.proxy, region)
                     || (limited
                         && (table.waiting(place) > 0
                             || proxies_[x.proxy].flows[region].requests
                                  >= config_.circuit_breakers->max_connections));
  if (limited && waits && table.waiting(place) >= config_.circuit_breakers->max_pending_requests) {
    ++counts.overflow;
    refused_.take();
    refused_.end(outcome::unavailable);
    return not_made(outcome::unavailable);
  }
  if (guards_ && !waits && !has_room(x.proxy, region))
    return not_made(outcome::unavailable);
  const auto again = x.tries > 0;
  counts.hedged += table.first_of(slot) == try_table::none ? 0 : 1;
  x.tried.insert(region);
  ++x.tries;
  const auto key = table.add({.slot = slot,
                              .region = region,
                              .proxy = x.proxy,
                              .attempt = attempt_of(x),
                              .before = before,
                              .again = again});
  if (guards_)
    proxies_[x.proxy].flows[region].retries += again ? 1 : 0;
  if (!waits)
    return launch(now, key, out);
  ++counts.queued;
  table.enqueue(place, key);
  out.try_noticed(region, attempt_of(x), x.request, try_notice::queued);
}

void load_balancer::launch(instant now, std::uint32_t key, load_balancer_effects& out) {
  auto& x = keeper_->table.at(key);
  x.sent = true;
  if (guards_)
    ++proxies_[x.proxy].flows[x.region].requests;
  if (const auto& limit = config_.per_try_timeout)
    keeper_->table.deadlines().push(now + *limit, key);
  attempts_[x.region].take();
  last_sent_[x.region] = now;
  // Copies, because whatever happens out there may move both.
  const auto request = pending_.at(x.slot).request;
  const auto [region, attempt] = std::pair{x.region, x.attempt};
  out.send(region, key_of(x.slot, region), attempt, request);
}

bool load_balancer::take_answer(instant now, std::uint32_t slot, std::uint32_t region,
                                std::uint16_t attempt, outcome how, load_balancer_effects& out) {
  const auto key = keeper_->table.find(slot, region, attempt);
  if (key == try_table::none)
    return false;
  const auto x = keeper_->table.at(key);
  end_try(key, how);
  if (watches_)
    observe(now, x.proxy, region, how, out);
  judge(now, x, how, how, out);
  use_connections(now, out);
  return true;
}

// Decides what follows from the end of a try: another one, waiting for others, or the request's end.
void load_balancer::judge(instant now, const request_try& x, outcome counts_as, outcome how,
                          load_balancer_effects& out) {
  const auto& request = pending_.at(x.slot);
  if (retry_on_.contains(counts_as)) {
    if (!x.replaced && request.tries <= config_.retries && now < request.due)
      return retry(now, x.slot, how, out);
    if (keeper_->table.busy(x.slot)) {
      keeper_->beside.end(how);
      return;
    }
  }
  deadlines_.settle(x.slot);
  end_others(x.slot);
  finish(x.slot, how, out);
}

void load_balancer::retry(instant now, std::uint32_t slot, outcome before,
                          load_balancer_effects& out) {
  if (!config_.retry_back_off)
    return send(now, slot, before, out);
  const auto& pause = *config_.retry_back_off;
  auto most = pause.base_interval;
  for (auto n = pending_.at(slot).tries; n > 1 && most < pause.max_interval; --n)
    most *= 2;
  most = std::min(most, pause.max_interval);
  const auto drawn = keeper_->pauses.below(static_cast<std::uint64_t>(most.count()));
  keeper_->table.rest(slot, now + duration{static_cast<duration::rep>(drawn)}, before);
}

// Takes a try out of everything that counts it; `how` is for the books, if it ever left.
void load_balancer::end_try(std::uint32_t key, outcome how) {
  auto& table = keeper_->table;
  const auto x = table.at(key);
  const auto place = place_of(x.proxy, x.region);
  auto& proxy = proxies_[x.proxy];
  if (x.sent) {
    attempts_[x.region].end(how);
    if (config_.per_try_timeout && !x.timed_out)
      table.deadlines().settle(key);
    if (waits_for_connections())
      table.freed().push_back(place);
  } else {
    table.leave_queue(place, key);
    ++keeper_->fates[x.region].left;
  }
  if (guards_) {
    proxy.flows[x.region].requests -= x.sent ? 1 : 0;
    proxy.flows[x.region].retries -= x.again ? 1 : 0;
  }
  proxy.router->ended(x.region);
  table.remove(key);
}

// The time of the whole request is over.
void load_balancer::give_up(instant now, std::uint32_t slot, load_balancer_effects& out) {
  auto& table = keeper_->table;
  std::uint32_t courses = 0;
  for (auto key = table.first_of(slot); key != try_table::none; key = table.first_of(slot)) {
    const auto x = table.at(key);
    ++courses;
    keeper_->fates[x.region].given_up += x.sent ? 1 : 0;
    end_try(key, outcome::lb_timeout);
    // One whose own time was over has been reported.
    if (watches_ && x.sent && !x.timed_out)
      observe(now, x.proxy, x.region, outcome::lb_timeout, out);
  }
  courses += table.stop_rest(slot) ? 1 : 0;
  // One of them is the request's own.
  for (; courses > 1; --courses)
    keeper_->beside.end(outcome::lb_timeout);
  finish(slot, outcome::lb_timeout, out);
}

void load_balancer::end_others(std::uint32_t slot) {
  auto& table = keeper_->table;
  for (auto key = table.first_of(slot); key != try_table::none; key = table.first_of(slot)) {
    const auto& x = table.at(key);
    keeper_->counts[x.region].cancelled += x.sent ? 1 : 0;
    end_try(key, outcome::lb_timeout);
    keeper_->beside.end(outcome::lb_timeout);
  }
  if (table.stop_rest(slot))
    keeper_->beside.end(outcome::lb_timeout);
}

// The time of a try is over. With hedging it goes on, and one more is made while retries are left, whatever
// is tried again otherwise: no answer has been seen yet that could say.
void load_balancer::end_try_in_time(instant now, std::uint32_t key, load_balancer_effects& out) {
  auto& x = keeper_->table.at(key);
  x.timed_out = true;
  ++keeper_->counts[x.region].timed_out;
  const auto& request = pending_.at(x.slot);
  const auto goes_on = config_.hedge_on_per_try_timeout;
  keeper_->fates[x.region].overdue += goes_on ? 1 : 0;
  x.replaced = goes_on && request.tries <= config_.retries && now < request.due;
  const auto before = x;
  out.try_noticed(x.region, x.attempt, request.request,
                  goes_on ? try_notice::overdue : try_notice::timed_out);
  if (!goes_on)
    end_try(key, outcome::lb_timeout);
  if (watches_)
    observe(now, before.proxy, before.region, outcome::lb_timeout, out);
  if (!goes_on) {
    judge(now, before, outcome::gateway_timeout, outcome::lb_timeout, out);
  } else if (before.replaced) {
    keeper_->beside.take();
    retry(now, before.slot, outcome::lb_timeout, out);
  }
}

// Draining is over. Says nothing to outlier detection, because the region has no part in it.
void load_balancer::cut_off(instant now, std::uint32_t place, load_balancer_effects& out) {
  auto& table = keeper_->table;
  std::vector<std::uint32_t> keys;
  table.for_each([&](std::uint32_t key, const request_try& x) {
    if (x.sent && place_of(x.proxy, x.region) == place)
      keys.push_back(key);
  });
  // A try is taken out by its own turn only, so that no key means another one meanwhile.
  for (const auto key : keys) {
    const auto x = table.at(key);
    ++keeper_->counts[x.region].cut;
    out.try_noticed(x.region, x.attempt, pending_.at(x.slot).request, try_notice::cut);
    end_try(key, outcome::lb_timeout);
    if (retry_on_.contains(outcome::bad_gateway) || !table.busy(x.slot))
      judge(now, x, outcome::bad_gateway, outcome::bad_gateway, out);
    else
      keeper_->beside.end(outcome::bad_gateway);
  }
  if (waits_for_connections())
    table.freed().push_back(place);
}

// Lets those go who wait for a connection that has come free; elsewhere if their region may not be used any
// more.
void load_balancer::use_connections(instant now, load_balancer_effects& out) {
  auto& table = keeper_->table;
  const auto regions = static_cast<std::uint32_t>(attempts_.size());
  for (auto& freed = table.freed(); !freed.empty();) {
    const auto place = freed.back();
    const auto region = place % regions;
    freed.pop_back();
    auto& proxy = proxies_[place / regions];
    while (table.waiting(place) > 0 && may_leave_queue(place)) {
      const auto key = table.front(place);
      if (proxy.router->usable(region)) {
        table.leave_queue(place, key);
        ++keeper_->fates[region].connected;
        launch(now, key, out);
        continue;
      }
      const auto x = table.at(key);
      end_try(key, outcome::unavailable);
      --pending_.at(x.slot).tries;
      send(now, x.slot, x.before, out);
    }
  }
}

void load_balancer::on_due(instant now, load_balancer_effects& out) {
  auto& table = keeper_->table;
  for (;;) {
    if (const auto slot = deadlines_.pop_due(now))
      give_up(now, *slot, out);
    else if (next_channel_ <= now)
      follow_channels(now, out);
    // Not before all of them are out whose time is over.
    else if (!table.freed().empty())
      use_connections(now, out);
    else if (const auto key = table.deadlines().pop_due(now))
      end_try_in_time(now, *key, out);
    else if (const auto pause = table.pop_rest(now))
      send(now, pause->slot, pause->before, out);
    else if (const auto place = table.pop_drained(now))
      cut_off(now, *place, out);
    else
      return;
  }
}

try_fate_count load_balancer::fates(std::uint32_t region) const {
  if (!keeper_)
    return {};
  auto result = keeper_->fates[region];
  for (std::uint32_t proxy = 0; proxy < proxies_.size(); ++proxy)
    result.waiting += keeper_->table.waiting(place_of(proxy, region));
  return result;
}

course_count load_balancer::courses() const noexcept {
  course_count result{requests_, requests_.open()};
  if (!keeper_)
    return result;
  result.counted.taken += keeper_->beside.taken;
  for (std::size_t how = 0; how < outcome_count; ++how)
    result.counted.ended[how] += keeper_->beside.ended[how];
  result.going_on = keeper_->table.going_on();
  return result;
}

void load_balancer::note_usable(instant now) {
  if (!config_.connection_draining_timeout)
    return;
  const auto until = now + *config_.connection_draining_timeout;
  for (std::uint32_t proxy = 0; proxy < proxies_.size(); ++proxy)
    for (std::uint32_t region = 0; region < attempts_.size(); ++region)
      keeper_->table.set_usable(place_of(proxy, region), proxies_[proxy].router->usable(region),
                                until);
}

} // namespace spillover
