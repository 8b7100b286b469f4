#pragma once

#include "consumers/push_subscription.hpp"
#include "model/random.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace spillover::test {

/// A world that answers the pushes of a subscription as a script says, in emulated time.
class push_world : public push_effects {
public:
  struct push_sent {
    std::uint64_t request;
    std::uint32_t key;
    instant at;
  };

  /// Decides how a push is answered; is called when it is sent.
  using script = std::function<void(push_world&, const push_sent&)>;

  push_world(const push_subscription_config& config, script answer, std::uint64_t seed = 1)
    : subject(config, {seed, "publications"}), answer_(std::move(answer)) {}

  std::uint64_t push(std::uint32_t key) override {
    sent.push_back({++last_, key, now});
    const auto x = sent.back();
    answer_(*this, x);
    return x.request;
  }

  void ended(std::uint64_t request, instant sent_at, outcome how) override {
    ends.push_back(std::to_string(request) + " " + std::string{to_string(how)} + " "
                   + to_string(now - sent_at));
  }

  void wake(instant due) override {
    at(due, [this] { subject.on_wake(now, *this); });
  }

  /// Answers a push `after` it was sent.
  void respond(const push_sent& x, duration after, outcome how) {
    at(now + after,
       [this, x, how] { late += subject.on_response(now, x.key, x.request, how, *this) ? 0 : 1; });
  }

  void run(duration until) {
    if (!started_)
      subject.start(*this);
    started_ = true;
    while (!events_.empty() && events_.begin()->first.first <= run_start + until) {
      auto next = events_.extract(events_.begin());
      now = next.key().first;
      next.mapped()();
      if (each)
        each();
    }
    now = run_start + until;
  }

  /// Checks that each message is in exactly one place.
  void expect_balance() const {
    const auto& x = subject.counts();
    EXPECT_EQ(x.published,
              x.acked + x.dead_lettered + x.expired + subject.backlog() + subject.outstanding());
  }

  /// @returns when pushes were sent.
  [[nodiscard]] std::vector<duration> times() const {
    std::vector<duration> result;
    for (const auto& x : sent)
      result.push_back(x.at - run_start);
    return result;
  }

  instant now = run_start;
  push_subscription subject;
  std::vector<push_sent> sent;
  /// What was told of each push that ended: number, outcome, latency.
  std::vector<std::string> ends;
  std::uint64_t late = 0;
  /// Called after each event.
  std::function<void()> each;

private:
  void at(instant due, std::function<void()> what) {
    events_.emplace(std::pair{due, ++serial_}, std::move(what));
  }

  script answer_;
  bool started_ = false;
  std::uint64_t serial_ = 0;
  std::uint64_t last_ = 0;
  std::map<std::pair<instant, std::uint64_t>, std::function<void()>> events_;
};

/// Messages that come evenly, until `to`.
inline open_loop_config evenly(double rps, duration to) {
  return {.rate = {{.rps = rps}, {.at = run_start + to, .rps = 0}},
          .waves = {},
          .arrivals = arrival_process::uniform};
}

} // namespace spillover::test
