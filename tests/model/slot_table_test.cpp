#include "model/slot_table.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <map>

namespace {

using namespace spillover;

TEST(SlotTable, UsesTheKeyThatWasFreedLast) {
  slot_table<int> table;
  EXPECT_EQ(table.add(10), 0u);
  EXPECT_EQ(table.add(11), 1u);
  table.remove(0);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(99), nullptr);
  EXPECT_EQ(table.add(12), 0u);
  EXPECT_EQ(table.at(0), 12);
  EXPECT_EQ(table.size(), 2u);
}

TEST(SlotTable, HoldsWhatAMapWouldHold) {
  random_stream random{1, "slots"};
  slot_table<std::uint64_t> table;
  std::map<std::uint32_t, std::uint64_t> reference;
  for (int step = 0; step < 20'000; ++step) {
    if (random.below(2) == 0) {
      const auto value = random.bits();
      ASSERT_TRUE(reference.emplace(table.add(value), value).second);
    } else if (!reference.empty()) {
      const auto entry = reference.lower_bound(static_cast<std::uint32_t>(random.below(200)));
      if (entry != reference.end()) {
        table.remove(entry->first);
        reference.erase(entry);
      }
    }
  }
  std::map<std::uint32_t, std::uint64_t> held;
  table.for_each([&](auto key, auto value) { held.emplace(key, value); });
  EXPECT_EQ(held, reference);
  EXPECT_EQ(table.size(), reference.size());
}

TEST(SlotTableDeath, ATakenOutValueIsABug) {
  slot_table<int> table;
  EXPECT_DEATH(table.at(0), "check failed");
}

} // namespace
