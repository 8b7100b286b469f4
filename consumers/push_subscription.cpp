#include "consumers/push_subscription.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

// A message whose push failed at the instant of its sending comes again so much later, so that time
// passes even where nothing takes any.
constexpr duration instant_answer_pause = std::chrono::milliseconds{1};

} // namespace

std::vector<std::string> validate(const push_subscription_config& x) {
  using std::chrono::seconds;
  auto problems = validate(x.publish);
  if (x.ack_deadline < seconds{10} || x.ack_deadline > seconds{600})
    problems.emplace_back("ack_deadline: must be from 10s to 600s");
  if (x.retry) {
    if (x.retry->min_backoff < duration::zero() || x.retry->min_backoff > seconds{600})
      problems.emplace_back("retry.min_backoff: must be from 0s to 600s");
    if (x.retry->max_backoff < x.retry->min_backoff || x.retry->max_backoff > seconds{600})
      problems.emplace_back("retry.max_backoff: must be from min_backoff to 600s");
  }
  if (x.retention < std::chrono::minutes{10} || x.retention > std::chrono::hours{31 * 24})
    problems.emplace_back("retention: must be from 10m to 744h");
  if (x.max_delivery_attempts && (*x.max_delivery_attempts < 5 || *x.max_delivery_attempts > 100))
    problems.emplace_back("max_delivery_attempts: must be from 5 to 100");
  for (auto& problem : validate(x.window))
    problems.push_back(std::move(problem));
  return problems;
}

push_subscription::push_subscription(const push_subscription_config& config,
                                     const random_stream& random)
  : config_(config), publications_(config.publish, random), window_(config.window) {}

void push_subscription::start(push_effects& out) {
  next_publication_ = publications_.next();
  wake_when_due(run_start, out);
}

void push_subscription::on_wake(instant now, push_effects& out) {
  if (now >= wake_)
    wake_ = never;
  while (const auto key = deadlines_.pop_due(now))
    end(now, *key, outcome::client_timeout, out);
  while (next_publication_ <= now)
    publish(next_publication_);
  send(now, out);
  wake_when_due(now, out);
}

bool push_subscription::on_response(instant now, std::uint32_t key, std::uint64_t request,
                                    outcome how, push_effects& out) {
  const auto* x = outstanding_.find(key);
  if (x == nullptr || x->request != request) {
    counts_.duplicates += how == outcome::ok ? 1 : 0;
    return false;
  }
  deadlines_.settle(key);
  end(now, key, how, out);
  send(now, out);
  wake_when_due(now, out);
  return true;
}

push_counts push_subscription::take_second() noexcept {
  const auto before = std::exchange(told_, counts_);
  return {counts_.published - before.published,     counts_.pushes - before.pushes,
          counts_.redelivered - before.redelivered, counts_.acked - before.acked,
          counts_.duplicates - before.duplicates,   counts_.dead_lettered - before.dead_lettered,
          counts_.expired - before.expired};
}

duration push_subscription::oldest_age(instant now) const noexcept {
  return messages_.empty() ? duration::zero() : now - messages_.front().published;
}

void push_subscription::publish(instant at) {
  // From the time that was due, so that a late timer makes no message younger.
  due_.push_back(first_ + messages_.size());
  messages_.push_back({.published = at});
  ++waiting_;
  ++counts_.published;
  next_publication_ = publications_.next();
}

void push_subscription::end(instant now, std::uint32_t key, outcome how, push_effects& out) {
  const auto x = outstanding_.at(key);
  outstanding_.remove(key);
  out.ended(x.request, x.sent, how);
  if (how == outcome::ok) {
    window_.acknowledge(now, now - x.sent);
    ++counts_.acked;
    forget(x.message);
  } else {
    window_.fail(now, x.sent);
    return_message(now, x);
  }
}

void push_subscription::return_message(instant now, const push& failed) {
  const auto id = failed.message;
  auto& x = at(id);
  if (now >= x.published + config_.retention) {
    ++counts_.expired;
    forget(id);
    return;
  }
  if (config_.max_delivery_attempts && x.pushes >= *config_.max_delivery_attempts) {
    ++counts_.dead_lettered;
    forget(id);
    return;
  }
  x.is = state::waiting;
  ++waiting_;
  const auto least = now == failed.sent ? instant_answer_pause : duration::zero();
  const auto wait = std::max(least, config_.retry ? backoff(x.pushes) : duration::zero());
  if (wait > duration::zero())
    delayed_.push({now + wait, ++order_, id});
  else
    due_.push_back(id);
}

void push_subscription::forget(std::uint64_t id) {
  at(id).is = state::done;
  while (!messages_.empty() && messages_.front().is == state::done) {
    messages_.pop_front();
    ++first_;
  }
}

// A message under way may still be acknowledged; when it is not, it is dropped then.
void push_subscription::expire(instant now) {
  for (expires_ = std::max(expires_, first_); expires_ < first_ + messages_.size();
       expires_ = std::max(expires_ + 1, first_)) {
    const auto& x = at(expires_);
    if (x.is == state::done)
      continue;
    if (x.published + config_.retention > now)
      return;
    if (x.is == state::waiting) {
      --waiting_;
      ++counts_.expired;
      forget(expires_);
    }
  }
}

void push_subscription::send(instant now, push_effects& out) {
  expire(now);
  while (!delayed_.empty() && delayed_.top().due <= now) {
    due_.push_back(delayed_.top().message);
    delayed_.pop();
  }
  while (!due_.empty()) {
    const auto id = due_.front();
    if (waits(id)) {
      if (outstanding_.size() >= window_.size() || now < window_.paused_until())
        return;
      auto& x = at(id);
      x.is = state::outstanding;
      --waiting_;
      ++counts_.pushes;
      counts_.redelivered += x.pushes++ > 0 ? 1 : 0;
      const auto key = outstanding_.add({.message = id, .sent = now});
      deadlines_.push(now + config_.ack_deadline, key);
      outstanding_.at(key).request = out.push(key);
    }
    due_.pop_front();
  }
}

void push_subscription::wake_when_due(instant now, push_effects& out) {
  auto due = std::min(next_publication_, deadlines_.next());
  if (!delayed_.empty())
    due = std::min(due, delayed_.top().due);
  if (!due_.empty() && window_.paused_until() > now)
    due = std::min(due, window_.paused_until());
  if (expires_ < first_ + messages_.size())
    due = std::min(due, at(expires_).published + config_.retention);
  if (due >= wake_ || due == never)
    return;
  wake_ = due;
  out.wake(due);
}

duration push_subscription::backoff(std::uint32_t pushes) const noexcept {
  auto result = config_.retry->min_backoff;
  for (std::uint32_t i = 1; i < pushes && result < config_.retry->max_backoff; ++i) {
    if (result == duration::zero())
      break;
    result *= 2;
  }
  return std::min(result, config_.retry->max_backoff);
}

} // namespace spillover
