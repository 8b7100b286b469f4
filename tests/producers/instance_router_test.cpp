#include "producers/instance_router.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <map>

namespace spillover {
namespace {

using tier = instance_router::tier;

TEST(InstanceRouter, TakesTheLeastBusyAndOfThoseTheOldest) {
  instance_router x{2};
  EXPECT_EQ(x.dispatch(), std::nullopt);
  x.add(5, tier::ready);
  x.add(3, tier::ready);
  x.add(9, tier::ready);
  EXPECT_EQ(x.dispatch(), 3u);
  EXPECT_EQ(x.dispatch(), 5u);
  x.finish(3);
  EXPECT_EQ(x.dispatch(), 3u);
  EXPECT_EQ(x.dispatch(), 9u);
  EXPECT_EQ(x.dispatch(), 3u);
  EXPECT_EQ(x.dispatch(), 5u);
  EXPECT_EQ(x.dispatch(), 9u);
  EXPECT_EQ(x.dispatch(), std::nullopt) << "all are full";
  EXPECT_EQ(x.in_flight(), 6u);
  x.finish(9);
  EXPECT_EQ(x.dispatch(), 9u);
}

TEST(InstanceRouter, A_24_DeprioritisedOnesGetARequestOnlyWhenEveryReadyOneIsFull) {
  instance_router x{2};
  x.add(0, tier::deprioritised);
  x.add(1, tier::ready);
  EXPECT_EQ(x.dispatch(), 1u);
  EXPECT_EQ(x.dispatch(), 1u);
  EXPECT_EQ(x.dispatch(), 0u);
  x.finish(1);
  EXPECT_EQ(x.dispatch(), 1u);
  x.move(0, tier::ready);
  EXPECT_EQ(x.dispatch(), 0u);
}

TEST(InstanceRouter, CountsWhatOneThatComesBackStillHas) {
  instance_router x{2};
  x.add(0, tier::ready);
  x.add(1, tier::ready);
  EXPECT_EQ(x.dispatch(), 0u);
  x.remove(0);
  x.add(0, tier::ready);
  EXPECT_EQ(x.dispatch(), 1u) << "0 has one already";
  EXPECT_EQ(x.dispatch(), 0u);
  x.remove(0);
  x.add(0, tier::deprioritised);
  EXPECT_EQ(x.dispatch(), 1u);
  EXPECT_EQ(x.dispatch(), std::nullopt) << "full it came back";
  x.finish(0);
  EXPECT_EQ(x.dispatch(), 0u);
  EXPECT_EQ(x.in_flight(), 4u);
}

TEST(InstanceRouter, KeepsCountsWhenInstancesMoveOrLeave) {
  instance_router x{3};
  x.add(0, tier::ready);
  x.add(1, tier::ready);
  EXPECT_EQ(x.dispatch(), 0u);
  EXPECT_EQ(x.dispatch(), 1u);
  x.move(0, tier::deprioritised);
  EXPECT_EQ(x.in_flight(0), 1u);
  EXPECT_EQ(x.dispatch(), 1u);
  EXPECT_EQ(x.dispatch(), 1u);
  EXPECT_EQ(x.dispatch(), 0u);
  x.remove(1);
  EXPECT_EQ(x.in_flight(1), 3u);
  x.finish(1);
  EXPECT_EQ(x.in_flight(1), 2u);
  EXPECT_EQ(x.dispatch(), 0u);
  EXPECT_EQ(x.dispatch(), std::nullopt);
  EXPECT_EQ(x.in_flight(), 5u);
  x.forget(1);
  EXPECT_EQ(x.in_flight(), 3u);
  EXPECT_EQ(x.in_flight(1), 0u);
  x.add(1, tier::ready);
  EXPECT_EQ(x.dispatch(), 1u) << "it serves again after a restart";
}

TEST(InstanceRouter, FullInstancesMoveToo) {
  instance_router x{1};
  x.add(0, tier::ready);
  EXPECT_EQ(x.dispatch(), 0u);
  x.move(0, tier::deprioritised);
  EXPECT_EQ(x.dispatch(), std::nullopt);
  x.finish(0);
  EXPECT_EQ(x.dispatch(), 0u);
  x.remove(0);
  EXPECT_EQ(x.in_flight(0), 1u);
}

TEST(InstanceRouter, FindsInstancesThatCameBeforeTheTreesGrew) {
  instance_router x{2};
  x.add(1, tier::ready);
  EXPECT_EQ(x.dispatch(), 1u);
  for (const std::uint32_t index : {4'096u, 262'144u, 17'000'000u})
    x.add(index, tier::ready);
  EXPECT_EQ(x.dispatch(), 4'096u);
  EXPECT_EQ(x.dispatch(), 262'144u);
  EXPECT_EQ(x.dispatch(), 17'000'000u);
  EXPECT_EQ(x.dispatch(), 1u);
}

/// The same by looking at every instance.
class plain_router {
public:
  struct instance {
    bool eligible = false;
    tier where = tier::ready;
    std::uint32_t in_flight = 0;
    std::uint32_t limit = 0;
  };

  std::optional<std::uint32_t> dispatch() {
    std::optional<std::uint32_t> best;
    const auto better = [](const instance& x, const instance& y) {
      return x.where != y.where ? x.where < y.where : x.in_flight < y.in_flight;
    };
    for (const auto& [index, x] : all)
      if (x.eligible && x.in_flight < x.limit && (!best || better(x, all[*best])))
        best = index;
    if (best)
      ++all[*best].in_flight;
    return best;
  }

  /// @returns one that `accept` takes, by chance.
  template <class F>
  std::optional<std::uint32_t> any(random_stream& random, F&& accept) const {
    std::vector<std::uint32_t> found;
    for (const auto& [index, x] : all)
      if (accept(x))
        found.push_back(index);
    if (found.empty())
      return std::nullopt;
    return found[random.below(found.size())];
  }

  std::map<std::uint32_t, instance> all;
};

/// Random operations on both; indices grow by up to `stride`.
void compare(std::uint32_t limit, std::uint32_t stride, int steps) {
  random_stream random{limit, "instance_router"};
  instance_router router{limit};
  plain_router model;
  std::uint32_t next = 0;
  const auto some_tier = [&] { return random.below(3) == 0 ? tier::deprioritised : tier::ready; };
  const auto eligible = [](const plain_router::instance& x) { return x.eligible; };
  for (int i = 0; i < steps; ++i) {
    const auto what = random.below(100);
    if (what < 4 && model.all.size() < 60) {
      next += 1 + static_cast<std::uint32_t>(random.below(stride));
      const auto where = some_tier();
      router.add(next, where);
      model.all[next] = {true, where, 0, limit};
    } else if (what < 7) {
      if (const auto index = model.any(random, eligible)) {
        const auto where = some_tier();
        router.move(*index, where);
        model.all[*index].where = where;
      }
    } else if (what < 9) {
      if (const auto index = model.any(random, eligible)) {
        router.remove(*index);
        model.all[*index].eligible = false;
      }
    } else if (what < 11) {
      if (const auto index = model.any(random, [](const auto& x) { return !x.eligible; })) {
        router.forget(*index);
        model.all.erase(*index);
      }
    } else if (what < 15) {
      if (const auto index = model.any(random, eligible)) {
        model.all[*index].limit = 1 + static_cast<std::uint32_t>(random.below(limit));
        router.set_limit(*index, model.all[*index].limit);
      }
    } else if (what < 60) {
      ASSERT_EQ(router.dispatch(), model.dispatch()) << "step " << i;
    } else if (const auto index =
                 model.any(random, [](const auto& x) { return x.in_flight > 0; })) {
      router.finish(*index);
      --model.all[*index].in_flight;
    }
    std::uint64_t total = 0;
    for (const auto& [index, x] : model.all) {
      ASSERT_EQ(router.in_flight(index), x.in_flight) << "step " << i;
      total += x.in_flight;
    }
    ASSERT_EQ(router.in_flight(), total) << "step " << i;
  }
}

TEST(InstanceRouter, AgreesWithAPlainSearch) {
  for (const std::uint32_t limit : {1u, 2u, 7u, 80u, 1000u}) {
    SCOPED_TRACE(limit);
    compare(limit, 1, 15'000);
  }
}

TEST(InstanceRouter, AgreesWithAPlainSearchWhileIndicesGrow) {
  for (const std::uint32_t limit : {1u, 3u, 80u}) {
    SCOPED_TRACE(limit);
    compare(limit, 3'000, 15'000);
  }
}

} // namespace
} // namespace spillover
