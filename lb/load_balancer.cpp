#include "lb/load_balancer.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover {

namespace {

// The key that a region sees holds the slot and, above it, the region: an answer that comes when
// its slot has been used again still tells whose it is.
constexpr std::uint32_t slot_bits = 26;
constexpr std::uint32_t slot_mask = (std::uint32_t{1} << slot_bits) - 1;

} // namespace

std::vector<std::string> validate(const load_balancer_config& x) {
  std::vector<std::string> problems;
  if (x.timeout < std::chrono::milliseconds{1} || x.timeout > std::chrono::seconds{86400})
    problems.emplace_back("timeout: must be from 1ms to 86400s");
  if (x.retries > 25)
    problems.emplace_back("retries: must be at most 25");
  for (const auto how : {outcome::ok, outcome::lb_timeout, outcome::client_timeout})
    if (std::find(x.retry_on.begin(), x.retry_on.end(), how) != x.retry_on.end())
      problems.push_back("retry_on: " + std::string{to_string(how)} + " is never tried again");
  return problems;
}

load_balancer::load_balancer(const load_balancer_config& config, std::uint32_t regions,
                             const random_stream& random)
  : config_(config),
    retry_on_(config.retry_on),
    router_(regions, config.unknown),
    random_(random),
    attempts_(regions),
    last_sent_(regions, run_start - duration{1}) {}

void load_balancer::on_request(instant now, const record& request, load_balancer_effects& out) {
  requests_.take();
  const auto due = now + config_.timeout;
  const auto slot = pending_.add({.request = request, .due = due});
  SPILLOVER_CHECK(slot <= slot_mask);
  deadlines_.push(due, slot);
  send(now, slot, out);
}

void load_balancer::on_response(instant now, std::uint32_t key, std::uint16_t attempt,
                                std::uint64_t request, outcome how, load_balancer_effects& out) {
  const auto slot = key & slot_mask;
  const auto region = key >> slot_bits;
  auto* x = pending_.find(slot);
  if (x == nullptr || x->region != region || x->request.request != request
      || attempt_of(*x) != attempt) {
    ++requests_.late;
    // The key comes from outside.
    if (region < attempts_.size())
      ++attempts_[region].late;
    return;
  }
  attempts_[region].end(how);
  if (retry_on_.contains(how) && x->tries <= config_.retries && now < x->due) {
    send(now, slot, out);
  } else {
    deadlines_.settle(slot);
    finish(slot, how, out);
  }
}

void load_balancer::on_deadline(instant now, load_balancer_effects& out) {
  while (const auto slot = deadlines_.pop_due(now)) {
    attempts_[pending_.at(*slot).region].end(outcome::lb_timeout);
    finish(*slot, outcome::lb_timeout, out);
  }
}

instant load_balancer::next_deadline() const noexcept {
  return deadlines_.next();
}

bool load_balancer::apply(std::uint32_t region, health state) {
  const auto before = router_.current();
  router_.set(region, state);
  return router_.current() != before;
}

// Tries of ours are numbered on over the tries of the client, which come with the same number.
std::uint16_t load_balancer::attempt_of(const pending& x) const noexcept {
  return static_cast<std::uint16_t>(x.request.attempt * (config_.retries + 1) + x.tries - 1);
}

void load_balancer::send(instant now, std::uint32_t slot, load_balancer_effects& out) {
  auto& x = pending_.at(slot);
  x.region = router_.pick(random_, x.tried);
  x.tried |= std::uint64_t{1} << x.region;
  ++x.tries;
  attempts_[x.region].take();
  last_sent_[x.region] = now;
  // A copy, because whatever happens out there may move the slots.
  const auto request = x.request;
  out.send(x.region, slot | x.region << slot_bits, attempt_of(x), request);
}

void load_balancer::finish(std::uint32_t slot, outcome how, load_balancer_effects& out) {
  const auto request = pending_.at(slot).request;
  pending_.remove(slot);
  requests_.end(how);
  out.answer(request, how);
}

} // namespace spillover
