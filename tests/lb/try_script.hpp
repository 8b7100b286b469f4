#pragma once

#include "lb/load_balancer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace spillover::test {

/// A load balancer before regions A, B, ... that answer when a test says so; writes down, in milliseconds,
/// what it does: "0 1>A" for a try of request 1 to A, "5 1=ok" for its end.
class try_script : public load_balancer_effects {
public:
  explicit try_script(const load_balancer_config& config, std::uint32_t regions = 2,
                      std::uint64_t seed = 1)
    : subject_(config, regions, random_stream{seed, "clients/lb"}) {}

  void send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
            const record& request) override {
    sent_.push_back({key, attempt, request.request});
    note(request.request, std::string{">"} + static_cast<char>('A' + region));
  }

  void answer(const record& request, outcome how) override {
    note(request.request, "=" + std::string{to_string(how)});
  }

  void call(std::uint32_t key, const connection_call& x) override { calls_.emplace_back(key, x); }

  /// Lets time pass, and the balancer do what is due at its time.
  void until(duration when) {
    const auto end = run_start + when;
    for (auto due = subject_.next_deadline(); due <= end; due = subject_.next_deadline()) {
      now_ = std::max(now_, due);
      subject_.on_deadline(now_, *this);
    }
    now_ = end;
  }

  void request(std::uint64_t number) {
    record x;
    x.what = op::request;
    x.request = number;
    subject_.on_request(now_, x, *this);
  }

  /// Answers a try.
  /// @param which counts all of them, from 0
  void respond(std::size_t which, outcome how) {
    const auto to = sent_.at(which);
    subject_.on_response(now_, to.key, to.attempt, to.request, how, *this);
  }

  /// Answers a call for a connection, or a ping over one; the other end is called 1.
  /// @param which counts all of them, from 0
  void connect(std::size_t which, bool accepted) {
    const auto [key, x] = calls_.at(which);
    subject_.on_connection(now_, key, x.number, accepted, 1, *this);
  }

  /// The other end of connections to a region is no more.
  void lose(std::uint32_t region, bool in_order) {
    subject_.on_connection_lost(now_, region, 1, in_order, *this);
  }

  /// @returns the regions of all calls, e.g. "A B"; a ping is "a".
  [[nodiscard]] std::string calls() const {
    std::string result;
    for (const auto& [key, x] : calls_)
      result.append(result.empty() ? "" : " ")
        .append(1, static_cast<char>((x.ping ? 'a' : 'A') + static_cast<int>(x.region)));
    return result;
  }

  void apply(std::uint32_t region, health state) { subject_.apply(now_, region, state); }

  /// @returns what was written down since the last call.
  std::string told() { return std::exchange(told_, {}); }

  [[nodiscard]] const load_balancer& subject() const noexcept { return subject_; }
  [[nodiscard]] std::size_t sent() const noexcept { return sent_.size(); }
  [[nodiscard]] instant now() const noexcept { return now_; }

  /// @returns which proxy made a try.
  /// @param which counts all of them, from 0
  [[nodiscard]] std::uint32_t proxy_of(std::size_t which) const {
    return subject_.proxy_of(sent_.at(which).key);
  }

  /// @returns tries that ended so in a region.
  [[nodiscard]] std::uint64_t ended(std::uint32_t region, outcome how) const {
    return subject_.attempts(region).ended[static_cast<std::size_t>(how)];
  }

private:
  struct message {
    std::uint32_t key;
    std::uint16_t attempt;
    std::uint64_t request;
  };

  void note(std::uint64_t request, const std::string& what) {
    told_.append(told_.empty() ? "" : ", ")
      .append(std::to_string((now_ - run_start) / std::chrono::milliseconds{1}))
      .append(" ")
      .append(std::to_string(request))
      .append(what);
  }

  load_balancer subject_;
  instant now_ = run_start;
  std::vector<message> sent_;
  std::vector<std::pair<std::uint32_t, connection_call>> calls_;
  std::string told_;
};

} // namespace spillover::test
