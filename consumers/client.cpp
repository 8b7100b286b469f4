#include "consumers/client.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover {

namespace {

// A client whose answer took no time waits this long, so that time passes even where nothing takes any.
constexpr duration instant_answer_pause = std::chrono::milliseconds{1};

} // namespace

std::vector<std::string> validate(const closed_loop_config& x) {
  std::vector<std::string> problems;
  if (x.clients < 1 || x.clients > 1'000'000)
    problems.emplace_back("clients: must be from 1 to 1000000");
  for (const auto& problem : validate(x.think_time))
    problems.push_back("think_time." + problem);
  if (x.from < run_start)
    problems.emplace_back("from: must be at least 0s");
  if (x.ramp_up < duration::zero())
    problems.emplace_back("ramp_up: must be at least 0s");
  if (x.to && *x.to <= x.from)
    problems.emplace_back("to: must be after from");
  return problems;
}

std::vector<std::string> validate(const client_config& x) {
  std::vector<std::string> problems;
  if (x.timeout && *x.timeout <= duration::zero())
    problems.emplace_back("timeout: must be above 0s");
  if (x.retries > 25)
    problems.emplace_back("retries: must be at most 25");
  if (x.backoff_base < duration::zero())
    problems.emplace_back("backoff_base: must be at least 0s");
  if (x.backoff_max < x.backoff_base)
    problems.emplace_back("backoff_max: must be at least backoff_base");
  if (!(x.backoff_jitter >= 0 && x.backoff_jitter <= 1))
    problems.emplace_back("backoff_jitter: must be from 0 to 1");
  if (std::find(x.retry_on.begin(), x.retry_on.end(), outcome::ok) != x.retry_on.end())
    problems.emplace_back("retry_on: ok is never tried again");
  return problems;
}

clients::clients(const std::vector<load_config>& loads, const client_config& config,
                 std::uint64_t seed, std::string_view path)
  : config_(config),
    retry_on_(config.retry_on),
    back_off_random_(seed, std::string{path} + "/backoff") {
  loops_.reserve(loads.size());
  for (const auto& load : loads) {
    const auto place = static_cast<std::uint32_t>(loops_.size());
    const auto name = std::string{path} + "/load" + std::to_string(place);
    if (const auto* open = std::get_if<open_loop_config>(&load)) {
      loops_.emplace_back(open_loop{arrivals{*open, random_stream{seed, name + "/arrivals"}}});
    } else if (const auto* trace = std::get_if<trace_config>(&load)) {
      loops_.emplace_back(
        open_loop{trace_arrivals{*trace, random_stream{seed, name + "/arrivals"}}});
    } else if (const auto* push = std::get_if<push_subscription_config>(&load)) {
      loops_.emplace_back(pushing{static_cast<std::uint32_t>(subscriptions_.size())});
      subscriptions_.push_back({place, {*push, random_stream{seed, name + "/publications"}}});
    } else {
      const auto& closed = std::get<closed_loop_config>(load);
      loops_.emplace_back(closed_loop{sampler{closed.think_time}, closed.to.value_or(never)});
      add_clients(closed, place, seed, name);
    }
  }
}

void clients::add_clients(const closed_loop_config& x, std::uint32_t loop, std::uint64_t seed,
                          const std::string& path) {
  clients_.reserve(clients_.size() + x.clients);
  for (std::uint32_t i = 0; i < x.clients; ++i)
    clients_.push_back({.random = {seed, path + "/client" + std::to_string(i)},
                        .due = x.from + x.ramp_up / x.clients * i,
                        .loop = loop});
}

void clients::start(client_effects& out, instant now) {
  for (std::uint32_t load = 0; load < loops_.size(); ++load) {
    auto* loop = std::get_if<open_loop>(&loops_[load]);
    if (loop == nullptr)
      continue;
    do
      loop->due = loop->next();
    while (loop->due < now);
    if (loop->due != never)
      out.wake(loop->due, static_cast<std::uint8_t>(timer::arrival), load);
  }
  for (std::uint32_t place = 0; place < clients_.size(); ++place)
    think(std::max(clients_[place].due, now), place, duration::zero(), out);
  start_pushes(out);
}

void clients::on_timer(instant now, std::uint8_t what, std::uint32_t key, client_effects& out) {
  switch (static_cast<timer>(what)) {
    case timer::arrival: return on_arrival(now, key, out);
    case timer::think: return begin(now, clients_[key].due, key, out);
    case timer::timeout: return on_deadlines(now, out);
    case timer::retry: return on_retry(now, key, out);
    case timer::push: return on_push_timer(now, key, out);
  }
  SPILLOVER_CHECK(false);
}

void clients::on_response(instant now, std::uint32_t key, std::uint64_t request,
                          std::uint16_t attempt, outcome how, client_effects& out) {
  const auto* x = pending_.find(key);
  if (x == nullptr || x->number != request || x->attempt != attempt || x->waiting) {
    if (!on_push_response(now, key, request, how, out))
      ++books_.late;
    return;
  }
  if (config_.timeout)
    deadlines_.settle(key);
  end_try(now, key, how, out);
}

clients::account clients::take_second() {
  auto result = second_;
  second_.started = 0;
  second_.retried = 0;
  second_.ended.fill(0);
  second_.latency.clear();
  return result;
}

void clients::on_arrival(instant now, std::uint32_t load, client_effects& out) {
  auto& loop = std::get<open_loop>(loops_[load]);
  const auto intended = loop.due;
  // From the time that was due, not from `now`: a late timer shifts no later arrival.
  loop.due = loop.next();
  if (loop.due != never)
    out.wake(loop.due, static_cast<std::uint8_t>(timer::arrival), load);
  begin(now, intended, no_client, out);
}

void clients::on_deadlines(instant now, client_effects& out) {
  wake_is_set_ = false;
  while (const auto key = deadlines_.pop_due(now))
    end_try(now, *key, outcome::client_timeout, out);
  wake_at_deadline(out);
}

void clients::on_retry(instant now, std::uint32_t key, client_effects& out) {
  auto& x = pending_.at(key);
  SPILLOVER_CHECK(x.waiting);
  x.waiting = false;
  ++second_.retried;
  send(now, key, out);
}

void clients::think(instant from, std::uint32_t place, duration least, client_effects& out) {
  auto& x = clients_[place];
  const auto& loop = std::get<closed_loop>(loops_[x.loop]);
  x.due = from + std::max(least, loop.think_time.draw(x.random));
  if (x.due >= loop.to)
    return;
  out.wake(x.due, static_cast<std::uint8_t>(timer::think), place);
}

void clients::begin(instant now, instant intended, std::uint32_t place, client_effects& out) {
  books_.take();
  ++second_.started;
  const auto key = pending_.add({.number = ++last_number_, .intended = intended, .client = place});
  send(now, key, out);
}

void clients::send(instant now, std::uint32_t key, client_effects& out) {
  const auto x = pending_.at(key);
  if (config_.timeout) {
    deadlines_.push(now + *config_.timeout, key);
    wake_at_deadline(out);
  }
  out.send(x.number, key, x.attempt, x.intended);
}

void clients::end_try(instant now, std::uint32_t key, outcome how, client_effects& out) {
  auto& x = pending_.at(key);
  if (retry_on_.contains(how) && x.attempt < config_.retries) {
    ++x.attempt;
    x.waiting = true;
    const auto due = now + back_off(x.attempt);
    out.will_retry(x.number, how, due);
    out.wake(due, static_cast<std::uint8_t>(timer::retry), key);
  } else {
    finish(now, key, how, out);
  }
}

void clients::finish(instant now, std::uint32_t key, outcome how, client_effects& out) {
  const auto x = pending_.at(key);
  pending_.remove(key);
  books_.end(how);
  ++second_.ended[static_cast<std::size_t>(how)];
  if (how == outcome::ok)
    second_.latency.add(now - x.intended);
  out.ended({x.number, x.intended, how, static_cast<std::uint16_t>(x.attempt + 1)});
  if (x.client != no_client)
    think(now, x.client, now == x.intended ? instant_answer_pause : duration::zero(), out);
}

void clients::wake_at_deadline(client_effects& out) {
  if (wake_is_set_ || deadlines_.next() == never)
    return;
  wake_is_set_ = true;
  out.wake(deadlines_.next(), static_cast<std::uint8_t>(timer::timeout), 0);
}

// Draws one number in every case, so that other settings of the jitter keep later draws.
duration clients::back_off(std::uint32_t tries) noexcept {
  // Shifting the limit down instead of the base up cannot overflow.
  const auto doublings = tries - 1;
  const auto wait = config_.backoff_base.count() > config_.backoff_max.count() >> doublings
                      ? config_.backoff_max
                      : config_.backoff_base * (std::int64_t{1} << doublings);
  const auto factor = 1 - config_.backoff_jitter * back_off_random_.unit();
  return duration{static_cast<duration::rep>(static_cast<double>(wait.count()) * factor + 0.5)};
}

} // namespace spillover
