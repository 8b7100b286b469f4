#include "model/random.hpp"
#include "tests/producers/autoscaling/hpa/hpa_world.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace {

using namespace spillover;
using namespace spillover::hpa;
using namespace std::chrono_literals;

std::int32_t below(random_stream& random, std::uint64_t n) {
  return static_cast<std::int32_t>(random.below(n));
}

scaling_rules random_rules(random_stream& random) {
  using enum select_policy;
  constexpr select_policy selections[] = {max, min, disabled, max, min};
  scaling_rules x{.stabilization_window = below(random, 5) * 20s,
                  .select = selections[random.below(5)]};
  for (auto count = 1 + below(random, 3); count > 0; --count)
    x.policies.push_back({random.below(2) == 0 ? policy_type::pods : policy_type::percent,
                          1 + below(random, 60), (1 + below(random, 90)) * 1s});
  return x;
}

settings random_settings(random_stream& random) {
  settings x;
  x.max_replicas = 1 + below(random, 60);
  x.min_replicas = below(random, static_cast<std::uint64_t>(x.max_replicas) + 1);
  x.sync_period = (1 + below(random, 20)) * 1s;
  x.behavior = scaling_behavior{random_rules(random), random_rules(random)};
  return x;
}

// The same rules told another way: by the number of replicas that was in force at each time, instead
// of by the changes since.
class retold {
public:
  retold(settings x, std::int32_t replicas) : settings_(std::move(x)) {
    in_force_[instant::min()] = replicas;
  }

  std::int32_t decide(instant now, std::int32_t proposed) {
    const auto present = in_force_.rbegin()->second;
    if (proposed_.empty())
      proposed_[now - 1ns] = present; // what it finds is a proposal, and the older of two
    auto next = present;
    if (present == 0 && settings_.min_replicas > 0)
      return 0;
    if (present > settings_.max_replicas || present < settings_.min_replicas) {
      next = std::clamp(present, settings_.min_replicas, settings_.max_replicas);
    } else {
      proposed_[now] = proposed;
      next = normalized(now, present, proposed);
    }
    in_force_[now] = next;
    return next;
  }

private:
  std::int32_t normalized(instant now, std::int32_t present, std::int32_t proposed) const {
    const auto& up = settings_.behavior->scale_up;
    const auto& down = settings_.behavior->scale_down;
    auto lowest = proposed;
    auto highest = proposed;
    for (const auto& [at, value] : proposed_) {
      if (now - at < *up.stabilization_window)
        lowest = std::min(lowest, value);
      if (now - at < *down.stabilization_window)
        highest = std::max(highest, value);
    }
    if (lowest > present)
      return std::min({lowest, allowed(now, present, up, 1), settings_.max_replicas});
    if (highest < present)
      return std::max({highest, allowed(now, present, down, -1), settings_.min_replicas});
    return present;
  }

  // What the policies allow, `sign` 1 up and -1 down; never against that direction.
  std::int32_t allowed(instant now, std::int32_t present, const scaling_rules& rules,
                       int sign) const {
    if (rules.select == select_policy::disabled)
      return present;
    std::vector<double> changes;
    for (const auto& x : rules.policies) {
      const auto start = std::prev(in_force_.upper_bound(now - x.period))->second;
      const auto step = x.type == policy_type::pods ? double(x.value) : start * (x.value / 100.0);
      // Rounded to whole replicas towards more of them up, and towards 0 down.
      const auto exact = start + sign * step;
      const auto count = sign > 0 ? std::ceil(exact) : std::trunc(exact);
      changes.push_back(sign * (count - present));
    }
    const auto [least, most] = std::minmax_element(changes.begin(), changes.end());
    const auto change = std::max(0.0, rules.select == select_policy::max ? *most : *least);
    return present + sign * static_cast<std::int32_t>(change);
  }

  settings settings_;
  std::map<instant, std::int32_t> in_force_;
  std::map<instant, std::int32_t> proposed_;
};

// Percentages in quarters, of which a double holds each count exactly; and a longest period that both
// directions share, so that no step is forgotten that the other direction would ask for.
settings comparable_settings(random_stream& random) {
  auto x = random_settings(random);
  for (auto* rules : {&x.behavior->scale_up, &x.behavior->scale_down})
    for (auto& policy : rules->policies)
      if (policy.type == policy_type::percent)
        policy.value = 25 * (1 + policy.value % 8);
  const auto longest = (1 + below(random, 90)) * 1s;
  for (auto* rules : {&x.behavior->scale_up, &x.behavior->scale_down}) {
    for (auto& policy : rules->policies)
      policy.period = std::min<duration>(policy.period, longest);
    rules->policies.back().period = longest;
  }
  return x;
}

TEST(HpaProperties, AgreesWithItsRulesToldAnotherWay) {
  std::map<limit, int> seen;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    random_stream random{seed, "hpa/retold"};
    const auto x = comparable_settings(random);
    auto replicas = below(random, static_cast<std::uint64_t>(x.max_replicas) + 4);
    scripted subject{x};
    retold expected{subject.config(), replicas};
    auto wish = replicas;
    auto now = run_start;
    for (int i = 0; i < 150; ++i, now += x.sync_period) {
      if (random.below(4) == 0)
        wish = below(random, 80);
      const auto said = subject.decide(now, replicas, wish);
      ASSERT_EQ(said.desired, expected.decide(now, wish)) << "seed " << seed << " step " << i;
      ++seen[said.bounded_by];
      ++seen[said.stabilized_by];
      replicas = said.desired;
    }
  }
  EXPECT_EQ(seen.size(), 7u) << "each limit was met";
}

TEST(HpaProperties, StaysWithinItsBoundsAndPolicies) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    random_stream random{seed, "hpa/bounds"};
    auto x = random_settings(random);
    x.follows = random.below(2) == 0 ? generation::newer : generation::older;
    if (random.below(3) == 0)
      x.behavior.reset();
    auto replicas = below(random, static_cast<std::uint64_t>(x.max_replicas) + 4);
    scripted subject{x};
    for (auto now = run_start; now < run_start + 20min; now += x.sync_period) {
      const auto said = subject.decide(now, replicas, below(random, 80));
      ASSERT_LE(said.desired, x.max_replicas);
      ASSERT_GE(said.desired, said.from == basis::scaling_disabled ? 0 : x.min_replicas);
      if (said.from == basis::metrics && said.desired > replicas) {
        ASSERT_LE(said.desired, said.rate_limit.value_or(-1));
      }
      if (said.from == basis::metrics && said.desired < replicas && x.behavior) {
        ASSERT_GE(said.desired, said.rate_limit.value_or(1000));
      }
      ASSERT_EQ(said.bounded_by != limit::none, said.desired != said.stabilized);
      ASSERT_EQ(said.stabilized_by != limit::none, said.stabilized != said.proposed);
      replicas = said.desired;
    }
  }
}

fleet random_fleet(random_stream& random) {
  std::string words;
  for (auto count = 1 + below(random, 12); count > 0; --count) {
    constexpr const char* kinds[] = {"", "", "", "", "u", "?", "p"};
    const std::string kind = kinds[random.below(7)];
    words.append(kind);
    if (kind.empty() || kind == "u")
      words.append(std::to_string(random.below(150)));
    words.append(" ");
  }
  return fleet_of(words, 137);
}

TEST(HpaProperties, MoreUsageNeverAsksForFewerReplicas) {
  int more = 0;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    random_stream random{seed, "hpa/monotone"};
    auto x = cpu_settings(1 + below(random, 120),
                          random.below(2) == 0 ? generation::newer : generation::older);
    if (random.below(2) == 0)
      x.metrics[0].type = target_type::average_value;
    auto pods = random_fleet(random);
    const auto replicas = static_cast<std::int32_t>(pods.pods.size());
    const auto ask = [&] {
      return propose(steady, x, x.metrics[0], pods.seen(replicas), pods.reading());
    };
    const auto before = ask();
    pods.samples[random.below(pods.samples.size())].value += below(random, 200);
    const auto after = ask();
    ASSERT_EQ(before.failed, after.failed);
    ASSERT_GE(after.replicas, before.replicas) << "seed " << seed;
    more += after.replicas > before.replicas ? 1 : 0;
  }
  EXPECT_GT(more, 500);
}

TEST(HpaProperties, TheOrderOfThePodsDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    random_stream random{seed, "hpa/order"};
    const auto x = cpu_settings(1 + below(random, 120));
    auto pods = random_fleet(random);
    const auto ask = [&] { return propose(steady, x, x.metrics[0], pods.seen(5), pods.reading()); };
    const auto before = ask();
    std::reverse(pods.pods.begin(), pods.pods.end());
    std::reverse(pods.samples.begin(), pods.samples.end());
    ASSERT_EQ(ask(), before) << "seed " << seed;
  }
}

// Whatever a load does, once it stays, the replicas do.
TEST(HpaProperties, SettlesUnderASteadyLoad) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    random_stream random{seed, "hpa/steady"};
    auto x = cpu_settings(20 + below(random, 80));
    x.max_replicas = 500;
    decider subject{x};
    auto replicas = 1 + below(random, 40);
    const auto load = 100 + below(random, 4000); // percent of one pod's request
    std::int32_t last_change = 0;
    for (std::int32_t i = 0; i < 100; ++i) {
      std::string words;
      for (std::int32_t k = 0; k < replicas; ++k)
        words.append(std::to_string(load / replicas)).append(" ");
      const auto pods = fleet_of(words);
      const std::vector readings{pods.reading()};
      const auto said = decide(subject, steady + i * x.sync_period, pods.seen(replicas, readings));
      if (said.desired != replicas)
        last_change = i;
      replicas = said.desired;
    }
    ASSERT_LT(last_change, 40) << "seed " << seed;
    ASSERT_GE(static_cast<double>(replicas) * static_cast<double>(x.metrics[0].target) * 1.1,
              load - replicas)
      << "seed " << seed << ": enough, up to the tolerance and the fractions cut off";
  }
}

} // namespace
