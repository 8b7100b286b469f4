#pragma once

#include "producers/service.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spillover::test {

using lines = std::vector<std::string>;

/// A service that is driven by hand: instances start in 2 s, requests stay until they are answered.
class service_test : public testing::Test, protected service_effects {
protected:
  static constexpr std::chrono::seconds start_time{2};

  static revision_config of_policy(const autoscaling_config& x, std::uint32_t concurrency = 10) {
    revision_config result;
    result.instance.concurrency = concurrency;
    result.instance.cold_start = constant_distribution{start_time};
    result.instance.service_time = constant_distribution{std::chrono::milliseconds{50}};
    result.autoscaling = x;
    return result;
  }

  static revision_config cloud_run(std::uint32_t min, std::uint32_t max,
                                   std::uint32_t concurrency = 10) {
    return of_policy(cloud_run_config{.min_instances = min, .max_instances = max, .cpu_target = 0},
                     concurrency);
  }

  static revision_config knative(const std::string& initial, const std::string& min) {
    knative_kpa_config x;
    x.knative.annotations = {{"initial-scale", initial}, {"min-scale", min}};
    return of_policy(x);
  }

  void make(const service_config& x) {
    subject_.emplace(x);
    actors_.clear();
    starts_.clear();
    now_ = run_start;
    for (std::uint32_t i = 0; i < x.revisions.size(); ++i)
      actors_.emplace_back(*this, i);
    subject_->begin(now_, *this);
    written_.clear();
  }

  /// @returns what was written since the last call, one line an event.
  lines take() { return std::exchange(written_, {}); }

  /// Sends one request.
  /// @returns the revision that it went to
  std::uint32_t request() {
    const auto number = subject_->choose();
    record x;
    x.what = op::request;
    x.request = ++requests_;
    subject_->at(number).on_request(now_, x, actors_[number]);
    return number;
  }

  void requests(int count) {
    for (int i = 0; i < count; ++i)
      request();
  }

  /// Answers all that instances of a revision have.
  void answer(std::uint32_t number) {
    for (const auto& [key, serial] : std::exchange(actors_[number].held, {}))
      subject_->at(number).on_response(now_, key, serial, outcome::ok, actors_[number]);
  }

  /// Lets time pass; of what is due at the same time the first that was set comes first.
  void pass(duration span) {
    const auto until = now_ + span;
    for (;;) {
      const auto second = run_start + std::chrono::seconds{second_of(now_) + 1};
      auto next = std::min(second, std::max(now_, subject_->next_deadline()));
      if (!starts_.empty())
        next = std::min(next, starts_.front().due);
      if (next > until)
        break;
      now_ = next;
      while (!starts_.empty() && starts_.front().due <= now_)
        end_start();
      while (subject_->next_deadline() <= now_)
        subject_->on_deadline(now_, *this);
      if (now_ == second)
        sample_ = subject_->on_second(now_, *this);
    }
    now_ = until;
  }

  [[nodiscard]] std::uint32_t running(std::uint32_t number) const {
    const auto& n = subject_->at(number).count();
    return n.ready + n.deprioritised;
  }

  void deploy(std::uint32_t number, const rollout_plan& plan = {}) {
    subject_->deploy(now_, number, plan, *this);
  }

  /// What a revision asks for; its instances start by themselves.
  class actor final : public revision_effects {
  public:
    actor(service_test& of, std::uint32_t number) : of_(of), number_(number) {}

    void dispatch(std::uint32_t, std::uint32_t key, std::uint64_t serial, const record&) override {
      held.emplace_back(key, serial);
    }
    void answer(const record&, outcome how) override { ++ended[how]; }
    void start(std::uint32_t instance) override {
      of_.starts_.push_back({of_.now_ + start_time, number_, instance});
    }
    void stop(std::uint32_t) override {}
    void changed(const fleet::change&) override {}
    void decided(std::string_view, std::uint32_t before, const recommendation& x,
                 const fleet_size&) override {
      of_.write(number_, std::to_string(before) + "->" + std::to_string(x.count) + " "
                           + std::string{x.driver});
    }
    void denied(std::uint32_t, const start_quota::answer&) override {}
    void queue_changed(std::uint32_t) override {}
    void path_changed(bool, std::int64_t) override {}

    std::vector<std::pair<std::uint32_t, std::uint64_t>> held;
    std::map<outcome, int> ended;

  private:
    service_test& of_;
    std::uint32_t number_;
  };

  std::optional<service> subject_;
  std::deque<actor> actors_;
  instant now_ = run_start;
  revision_sample sample_;
  std::vector<std::uint32_t> sampled_; // in the order of the seconds
  /// The next starts fail instead.
  bool broken_ = false;

private:
  struct pending_start {
    instant due{};
    std::uint32_t revision = 0;
    std::uint32_t index = 0;
  };

  void end_start() {
    const auto x = starts_.front();
    starts_.pop_front();
    auto& revision = subject_->at(x.revision);
    if (revision.state(x.index) != instance_state::starting)
      return;
    if (broken_) {
      revision.on_down(now_, x.index, actors_[x.revision]);
      subject_->on_start_failed(now_, x.revision, *this);
    } else {
      revision.on_ready(now_, x.index, actors_[x.revision]);
    }
    subject_->follow(now_, *this);
  }

  void write(std::uint32_t number, const std::string& text) {
    written_.push_back(subject_->name_of(number) + " " + text);
  }

  revision_effects& of(std::uint32_t number) override { return actors_[number]; }

  void rollout_stepped(std::uint32_t number, rollout_step step, std::uint32_t instances,
                       std::uint32_t needed, std::string_view why) override {
    write(number, std::string{to_string(step)} + " " + std::to_string(instances) + " of "
                    + std::to_string(needed) + (why.empty() ? "" : ": ") + std::string{why});
  }

  void traffic_changed(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& shares,
                       const std::vector<std::pair<std::string, std::uint32_t>>& tags,
                       std::string_view why) override {
    std::string text{why};
    for (const auto& [number, percent] : shares)
      text += " " + subject_->name_of(number) + "=" + std::to_string(percent);
    for (const auto& [tag, number] : tags)
      text += " " + tag + ":" + subject_->name_of(number);
    written_.push_back(text);
  }

  void sampled(std::uint32_t revision, const revision_sample&) override {
    sampled_.push_back(revision);
  }

  std::deque<pending_start> starts_;
  lines written_;
  std::uint64_t requests_ = 0;
};

} // namespace spillover::test
