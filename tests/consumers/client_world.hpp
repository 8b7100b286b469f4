#pragma once

#include "consumers/client.hpp"
#include "model/random.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace spillover::test {

/// A world that answers clients as a script says, in emulated time.
class client_world : public client_effects {
public:
  struct try_sent {
    std::uint64_t request;
    std::uint32_t key;
    std::uint16_t attempt;
    instant intended;
    instant at;
  };

  /// Decides how a try is answered; is called when it is sent.
  using script = std::function<void(client_world&, const try_sent&)>;

  client_world(const std::vector<load_config>& loads, const client_config& config, script answer,
               std::uint64_t seed = 1)
    : subject(loads, config, seed, "clients"), answer_(std::move(answer)) {}

  void send(std::uint64_t request, std::uint32_t key, std::uint16_t attempt,
            instant intended) override {
    sent.push_back({request, key, attempt, intended, now});
    // By value, as the script may cause more to be sent.
    const auto x = sent.back();
    answer_(*this, x);
  }

  void wake(instant due, std::uint8_t what, std::uint32_t key) override {
    ++wakes[what];
    at(due, [this, what, key] {
      --wakes[what];
      subject.on_timer(now, what, key, *this);
    });
  }

  void will_retry(std::uint64_t request, outcome how, instant due) override {
    retries.push_back(std::to_string(request) + " " + std::string{to_string(how)} + " "
                      + to_string(due - now));
  }

  void ended(const ended_request& x) override {
    ends.push_back(std::to_string(x.number) + " " + std::string{to_string(x.how)} + " "
                   + to_string(now - x.intended) + " in " + std::to_string(x.tries));
  }

  /// Answers a try `after` it was sent.
  void respond(const try_sent& x, duration after, outcome how) {
    at(now + after,
       [this, x, how] { subject.on_response(now, x.key, x.request, x.attempt, how, *this); });
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

  [[nodiscard]] std::uint64_t ended(outcome x) const {
    return subject.requests().ended[static_cast<std::size_t>(x)];
  }

  instant now = run_start;
  clients subject;
  std::vector<try_sent> sent;
  /// What was told of each try that is followed by another: request, outcome, wait.
  std::vector<std::string> retries;
  /// What was told of each request that ended: number, outcome, latency, tries.
  std::vector<std::string> ends;
  /// How many timers of each kind are set.
  std::map<std::uint8_t, int> wakes;
  /// Called after each event.
  std::function<void()> each;

private:
  void at(instant due, std::function<void()> what) {
    events_.emplace(std::pair{due, ++serial_}, std::move(what));
  }

  script answer_;
  bool started_ = false;
  std::uint64_t serial_ = 0;
  std::map<std::pair<instant, std::uint64_t>, std::function<void()>> events_;
};

/// @returns a script that answers every try with `how` after `delay`.
inline client_world::script always(outcome how, duration delay) {
  return
    [=](client_world& world, const client_world::try_sent& x) { world.respond(x, delay, how); };
}

} // namespace spillover::test
