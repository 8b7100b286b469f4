#include "producers/autoscaling/kpa/collector.hpp"
#include "producers/autoscaling/kpa/decider.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace {

using namespace spillover;
using namespace spillover::kpa;
using namespace std::chrono_literals;

/// A load, second by second, and pods that follow what is decided.
struct experiment {
  /// Requests in flight in a second, counted from the first request.
  std::function<double(int)> load;
  /// Pods that serve at a second, of those wanted two seconds before.
  std::function<std::uint32_t(int, std::uint32_t)> ready;
  /// 0: decisions at even seconds, 1: at odd ones.
  int phase = 0;
  std::int32_t min = 0;
  std::int32_t max = 1000;
  /// Seconds from the decision for zero to no pod.
  int zero_delay = 0;
  /// Seconds of silence before, in which a warm pod was scraped.
  int idle_before = 0;
};

using change = std::pair<int, std::uint32_t>;

class player {
public:
  explicit player(const experiment& x)
    : x_(x), subject_(at(-x.idle_before), target_7(), x.min > 0 ? 1U : 0U) {}

  std::vector<change> play(int seconds) {
    for (auto s = -x_.idle_before; s < seconds; ++s) {
      collector_.record(at(s), {.concurrency = s < 0 ? 0.0 : x_.load(s)});
      if (zero_at_ == s)
        want(s, 0);
      if ((s % 2 + 2) % 2 == x_.phase)
        decide(s);
      past_.push_back(wanted_);
    }
    return changes_;
  }

private:
  static settings target_7() {
    settings x;
    x.total = 10;
    x.target = 7;
    return x;
  }

  // The windows lie on whole seconds of a clock that is never below 0.
  static instant at(int second) { return run_start + 1h + std::chrono::seconds{second}; }

  void decide(int second) {
    const auto before = past_.size() < 2 ? wanted_ : past_[past_.size() - 2];
    const auto ready = x_.ready(second, std::min(before, wanted_));
    const auto said = subject_.evaluate(at(second), {collector_.read(at(second)), ready});
    if (!said.valid)
      return;
    const auto count = std::clamp(said.desired, x_.min, x_.max);
    if (count > 0)
      want(second, static_cast<std::uint32_t>(count));
    else if (zero_at_ < 0 && wanted_ > 0)
      zero_at_ = second + x_.zero_delay;
  }

  void want(int second, std::uint32_t count) {
    zero_at_ = -1;
    if (count == wanted_)
      return;
    wanted_ = count;
    if (second >= 0)
      changes_.emplace_back(second, count);
  }

  experiment x_;
  collector collector_{target_7()};
  decider subject_;
  std::uint32_t wanted_ = x_.min > 0 ? 1 : 0;
  int zero_at_ = -1;
  std::vector<std::uint32_t> past_; // wanted, by second
  std::vector<change> changes_;
};

/// `first` in the first six seconds, then `rest`, for half a minute in all.
std::function<double(int)> half_a_minute(double first, double rest) {
  return [first, rest](int second) { return second < 6 ? first : second < 30 ? rest : 0; };
}

/// As the log of use case 1 has it: one pod after two seconds, all seven after six.
std::uint32_t seven_pods(int second, std::uint32_t wanted) {
  if (second < 2)
    return 0;
  const std::uint32_t most = second < 3 ? 1 : second < 4 ? 3 : second < 6 ? 4 : 7;
  return std::min(most, wanted);
}

TEST(KpaReplay, GC_19_AWarmPodAndFiftyRequestsAtATime) {
  player x{{.load = half_a_minute(50, 50),
            .ready = [](int, std::uint32_t wanted) { return wanted; },
            .min = 1,
            .max = 3,
            .idle_before = 120}};
  EXPECT_EQ(x.play(200), (std::vector<change>{{0, 2}, {2, 3}, {92, 1}}));
}

experiment from_zero(double first, double rest, int zero_delay) {
  return {
    .load = half_a_minute(first, rest), .ready = seven_pods, .phase = 1, .zero_delay = zero_delay};
}

TEST(KpaReplay, GC_20_FromZeroWithFortyFiveThenFortyTwoAtATime) {
  EXPECT_EQ(player{from_zero(45, 42, 3)}.play(200),
            (std::vector<change>{{1, 7}, {65, 3}, {69, 2}, {79, 1}, {92, 0}}));
}

TEST(KpaReplay, GC_21_TheLastPodStaysForAsLongAsZeroTakes) {
  for (const auto& [delay, last] : {std::pair{30, 119}, std::pair{62, 151}})
    EXPECT_EQ(player{from_zero(45, 42, delay)}.play(200).back(), (change{last, 0})) << delay;
}

TEST(KpaReplay, GC_22_AnEvenLoadMissesTheLog) {
  EXPECT_EQ(player{from_zero(48, 48, 3)}.play(200),
            (std::vector<change>{{1, 7}, {65, 3}, {73, 2}, {81, 1}, {92, 0}}));
  // Eight pods are wanted, whenever the last one begins to serve.
  EXPECT_EQ(player{from_zero(50, 50, 3)}.play(200),
            (std::vector<change>{{1, 8}, {67, 3}, {73, 2}, {81, 1}, {92, 0}}));
}

} // namespace
