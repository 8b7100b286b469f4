#include "producers/zone_placement.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spillover {
namespace {

TEST(ZonePlacement, TakesTheZoneWithTheFewestMembersAndTheFirstOfEqualOnes) {
  struct {
    const char* why;
    std::uint32_t zones;
    const char* steps; // "." places one more, "-b" takes one out of b, "!b" loses b, "+" loses none
    const char* placed;
  } const cases[] = {
    {"they go round", 3, ".......", "abcabca"},
    {"one zone takes all", 1, "...", "aaa"},
    {"26 zones", 26, "...........................", "abcdefghijklmnopqrstuvwxyza"},
    {"the gap is filled first", 3, "......-b-b..", "abcabcbb"},
    {"of two gaps the first by name", 3, "......-c-a..", "abcabcac"},
    {"a lost zone gets none", 3, ".!b....", "acaca"},
    {"and is filled up when it is back", 3, ".!b...+..", "acacbb"},
    {"the last zone that is left takes all", 3, "!a!b...", "ccc"},
    {"with all of them lost none is left out", 2, "!a!b...", "aba"},
    {"the only zone is lost", 1, "!a..", "aa"},
    {"a zone that is not there does not count as left", 2, "!a!b!c..", "ab"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    zone_placement subject{x.zones};
    zone_set lost = 0;
    std::string placed;
    const std::string steps{x.steps};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i] == '.')
        placed += zone_name(subject.place(lost));
      else if (steps[i] == '+')
        lost = 0;
      else if (steps[i] == '!')
        lost |= zone_set{1} << *zone_number(steps.substr(++i, 1));
      else
        subject.leave(*zone_number(steps.substr(++i, 1)));
    }
    EXPECT_EQ(placed, x.placed);
  }
}

TEST(ZonePlacement, ZonesAreCalledByLetters) {
  for (std::uint32_t zone = 0; zone < max_zones; ++zone)
    EXPECT_EQ(zone_number(zone_name(zone)), zone);
  for (const auto* name : {"", "A", "ab", "1", "{"})
    EXPECT_EQ(zone_number(name), std::nullopt) << name;
}

} // namespace
} // namespace spillover
