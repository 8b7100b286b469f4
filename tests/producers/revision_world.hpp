#pragma once

#include "producers/revision.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spillover::test {

using lines = std::vector<std::string>;

/// Writes down what a revision asks for, one line an effect.
class revision_recorder final : public revision_effects {
public:
  struct ticket {
    std::uint32_t instance;
    std::uint32_t key;
    std::uint64_t serial;
  };

  void dispatch(std::uint32_t instance, std::uint32_t key, std::uint64_t serial,
                const record& request) override {
    tickets[request.request] = {instance, key, serial};
    written.push_back("dispatch " + std::to_string(instance) + name_of(request));
  }

  void answer(const record& request, outcome how) override {
    written.push_back("answer" + name_of(request) + " " + std::string{to_string(how)});
  }

  void start(std::uint32_t instance) override {
    written.push_back("start " + std::to_string(instance));
  }

  void stop(std::uint32_t instance) override {
    written.push_back("stop " + std::to_string(instance));
  }

  void changed(const fleet::change& x) override {
    written.push_back("changed " + std::to_string(x.index) + " " + std::string{to_string(x.before)}
                      + "->" + std::string{to_string(x.after)} + " " + std::string{x.reason});
  }

  void decided(std::string_view policy, std::uint32_t before, const recommendation& x,
               const fleet_size&) override {
    written.push_back("decided " + std::string{policy} + " " + std::to_string(before) + "->"
                      + std::to_string(x.count) + " " + std::string{x.driver});
    inputs = x.inputs;
  }

  void denied(std::uint32_t wanted, const start_quota::answer& x) override {
    written.push_back("denied " + std::to_string(x.granted) + " of " + std::to_string(wanted) + ": "
                      + x.reason);
  }

  void queue_changed(std::uint32_t length) override {
    written.push_back("queue " + std::to_string(length));
  }

  void path_changed(bool activator, std::int64_t) override {
    written.emplace_back(activator ? "path activator" : "path pods");
  }

  lines written;
  /// The last dispatch of each request.
  std::map<std::uint64_t, ticket> tickets;
  /// Of the last decision.
  std::vector<std::pair<std::string, std::int64_t>> inputs;

private:
  static std::string name_of(const record& x) { return " #" + std::to_string(x.request); }
};

/// A revision that is driven by hand; deadlines and seconds come as time passes.
class revision_test : public testing::Test {
protected:
  /// Instances that take `concurrency` requests at a time, start in 2 s and serve in 50 ms; the
  /// concurrency driver leaves full instances alone, unless a test says otherwise.
  static revision_config basic(std::uint32_t concurrency, const autoscaling_config& scaling) {
    revision_config x;
    x.instance.concurrency = concurrency;
    x.instance.cold_start = constant_distribution{std::chrono::seconds{2}};
    x.instance.service_time = constant_distribution{std::chrono::milliseconds{50}};
    x.autoscaling = scaling;
    return x;
  }

  static revision_config fixed_at(std::uint32_t instances, std::uint32_t concurrency) {
    return basic(concurrency, fixed_config{instances});
  }

  static revision_config scaling(std::uint32_t min, std::uint32_t max, std::uint32_t concurrency,
                                 double concurrency_target = 0.95) {
    return basic(concurrency, cloud_run_config{.min_instances = min,
                                               .max_instances = max,
                                               .concurrency_target = concurrency_target});
  }

  /// Begins with `count` instances that serve; what that causes is not kept.
  void make(const revision_config& config, std::uint32_t count) {
    subject_.reset();
    pool_ = {};
    subject_.emplace(config, pool_);
    now_ = run_start;
    out_ = {};
    subject_->begin(now_, count, out_);
    out_.written.clear();
  }

  /// @returns what was written since the last call.
  lines take() { return std::exchange(out_.written, {}); }

  lines request(std::uint64_t number) {
    record x;
    x.what = op::request;
    x.request = number;
    subject_->on_request(now_, x, out_);
    return take();
  }

  lines requests(std::uint64_t first, std::uint64_t last) {
    lines result;
    for (auto i = first; i <= last; ++i)
      for (auto& x : request(i))
        result.push_back(std::move(x));
    return result;
  }

  lines respond(std::uint64_t number, outcome how = outcome::ok) {
    const auto& x = out_.tickets.at(number);
    subject_->on_response(now_, x.key, x.serial, how, out_);
    return take();
  }

  lines ready(std::uint32_t index) {
    subject_->on_ready(now_, index, out_);
    return take();
  }

  lines down(std::uint32_t index) {
    subject_->on_down(now_, index, out_);
    return take();
  }

  lines restart(std::uint32_t index) {
    subject_->restart(now_, index, out_);
    return take();
  }

  /// Lets time pass; of what is due at the same time deadlines come before the second's end.
  lines pass(duration span) {
    const auto until = now_ + span;
    for (;;) {
      const auto second = run_start + std::chrono::seconds{second_of(now_) + 1};
      const auto deadline = std::max(now_, subject_->next_deadline());
      if (std::min(second, deadline) > until)
        break;
      now_ = std::min(second, deadline);
      if (deadline <= second)
        subject_->on_deadline(now_, out_);
      if (deadline < second)
        continue;
      while (subject_->next_deadline() <= now_)
        subject_->on_deadline(now_, out_);
      end_second();
    }
    now_ = until;
    return take();
  }

  void end_second() { sample_ = subject_->on_second(now_, out_); }

  [[nodiscard]] std::uint64_t ended(outcome x) const {
    return subject_->requests().ended[static_cast<std::size_t>(x)];
  }

  void lay_quota(std::uint32_t fault, const quota_fault& what) {
    pool_.quota.lay(fault, what);
    subject_->forget_denials();
  }

  void take_off_quota(std::uint32_t fault) {
    pool_.quota.take_off(fault);
    subject_->forget_denials();
  }

  start_pool pool_;
  std::optional<revision> subject_;
  instant now_ = run_start;
  revision_recorder out_;
  revision_sample sample_; // of the last second
};

} // namespace spillover::test
