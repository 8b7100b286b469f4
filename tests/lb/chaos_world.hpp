#pragma once

#include "lb/load_balancer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace spillover::test {

/// A world in which any try may be answered, in any order, twice, late or never, and which keeps books of its
/// own: each request has one end, no two of its tries have the same number, and there are no more of them than
/// retries allow. What happens when, and what else holds, is for those that derive from it.
class chaos_world : public load_balancer_effects {
public:
  /// @param seed of the balancer; the world has streams of its own
  chaos_world(const load_balancer_config& config, std::uint32_t regions, std::uint64_t seed)
    : random_(seed, "chaos"),
      regions_(regions),
      config_(config),
      subject_(config, regions, random_stream{seed, "lb"}),
      sent_(regions) {
    EXPECT_EQ(validate(config), std::vector<std::string>{});
  }

  void send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
            const record& request) override {
    ASSERT_LT(region, regions_);
    ++sent_[region];
    ASSERT_TRUE(open_.contains(request.request)) << "nothing is sent for what has been answered";
    auto& tries = open_[request.request];
    ASSERT_TRUE(tries.insert(attempt).second) << "no two tries have the same number";
    ASSERT_LE(tries.size(), config_.retries + 1);
    under_way_.push_back({region, key, attempt, request.request});
  }

  void answer(const record& request, outcome how) override {
    ASSERT_EQ(open_.erase(request.request), 1u) << "each request has one end";
    ++answered_[static_cast<std::size_t>(how)];
  }

  /// Compares the balancer's books with the world's.
  void balance() const {
    ASSERT_EQ(subject_.requests().taken, number_);
    ASSERT_EQ(subject_.requests().open(), open_.size());
    ASSERT_EQ(subject_.requests().ended, answered_);
    for (std::uint32_t region = 0; region < regions_; ++region)
      ASSERT_EQ(subject_.attempts(region).taken, sent_[region]);
  }

  [[nodiscard]] const load_balancer& subject() const noexcept { return subject_; }

protected:
  struct message {
    std::uint32_t region = 0;
    std::uint32_t key = 0;
    std::uint16_t attempt = 0;
    std::uint64_t request = 0;
  };

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_.below(n)); }

  void begin() {
    record x;
    x.request = ++number_;
    open_[number_] = {};
    subject_.on_request(now_, x, *this);
  }

  /// Takes out any try that is under way; with a chance of one in `stays` it is still there afterwards, to be
  /// answered again.
  std::optional<message> any_try(std::uint32_t stays) {
    if (under_way_.empty())
      return std::nullopt;
    const auto place = under_way_.begin() + below(static_cast<std::uint32_t>(under_way_.size()));
    const auto result = *place;
    if (stays == 0 || below(stays) != 0)
      under_way_.erase(place);
    return result;
  }

  void respond(const message& x, outcome how) {
    subject_.on_response(now_, x.key, x.attempt, x.request, how, *this);
  }

  /// Answers any try, in one of four cases not for the last time.
  void respond() {
    if (const auto x = any_try(4))
      respond(*x, static_cast<outcome>(below(6)));
  }

  /// Any try gets no answer.
  void lose() { any_try(0); }

  [[nodiscard]] std::uint64_t sent() const {
    return std::accumulate(sent_.begin(), sent_.end(), std::uint64_t{});
  }

  random_stream random_;
  std::uint32_t regions_;
  load_balancer_config config_;
  load_balancer subject_;
  instant now_ = run_start;
  std::uint64_t number_ = 0; // of requests
  std::vector<std::uint64_t> sent_;
  std::map<std::uint64_t, std::set<std::uint16_t>> open_; // the tries of each request
  std::array<std::uint64_t, outcome_count> answered_{};
  std::vector<message> under_way_;
};

} // namespace spillover::test
