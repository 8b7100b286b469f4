#pragma once

#include "producers/instance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spillover::test {

using lines = std::vector<std::string>;

/// An instance whose timers fire when they are due; notes each answer with its time.
class instance_world final : public instance_effects {
public:
  explicit instance_world(const instance_config& config, own_limit limit = {})
    : blueprint_(config, limit), subject(blueprint_, 1, "near/shop/web/0") {}

  void respond(std::uint32_t key, std::uint64_t serial, outcome how) override {
    // So that both come back together.
    EXPECT_EQ(key, serial + 100);
    answers.push_back("#" + std::to_string(serial) + " " + std::string{to_string(how)} + " "
                      + to_string(now.time_since_epoch()));
  }

  void wake_cpu(instant due) override {
    EXPECT_GE(due, now);
    cpu_ = cpu_ ? std::min(*cpu_, due) : due;
  }

  void wake_wait(instant due, std::uint32_t job, std::uint64_t serial) override {
    EXPECT_GT(due, now);
    waits_.emplace(due, std::pair{job, serial});
  }

  void request(std::uint64_t serial) {
    subject.on_request(now, static_cast<std::uint32_t>(serial + 100), serial, *this);
  }

  void silence(std::uint32_t fault) { subject.afflict(now, fault, {.become = ailment::silent}); }

  void fail(std::uint32_t fault, double fraction, outcome status) {
    subject.afflict(now, fault,
                    {.become = ailment::failing, .error_fraction = fraction, .status = status});
  }

  void suffer(std::uint32_t fault, const symptom& x) { subject.afflict(now, fault, x); }

  void heal(std::uint32_t fault) { subject.heal(now, fault, *this); }

  /// @returns the answers since the last call, after `span` has passed.
  lines pass(duration span) {
    const auto until = now + span;
    while (true) {
      const auto cpu = cpu_.value_or(never);
      const auto wait = waits_.empty() ? never : waits_.begin()->first;
      if (std::min(cpu, wait) > until)
        break;
      now = std::min(cpu, wait);
      if (cpu <= wait) {
        cpu_.reset();
        subject.on_cpu(now, *this);
      } else {
        const auto [job, serial] = waits_.extract(waits_.begin()).mapped();
        subject.on_wait(now, job, serial, *this);
      }
    }
    now = until;
    return std::exchange(answers, {});
  }

private:
  instance_blueprint blueprint_;
  std::optional<instant> cpu_;
  std::multimap<instant, std::pair<std::uint32_t, std::uint64_t>> waits_;

public:
  instant now = run_start;
  instance subject;
  lines answers;
};

/// One vCPU, 50 ms a request.
inline instance_config serves(duration cpu_per_request, double cpu = 1) {
  return {.cpu = cpu,
          .service_time = constant_distribution{std::chrono::milliseconds{50}},
          .cpu_per_request = cpu_per_request};
}

} // namespace spillover::test
