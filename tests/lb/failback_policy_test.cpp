#include "lb/failback_policy.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

const failback_config after60{.back = failback_mode::after, .back_span = 60s};
const failback_config over100{.back = failback_mode::over, .back_span = 100s, .steps = 4};
const failback_config by_hand{.back = failback_mode::manual};
const failback_config leave60{.leave = failover_mode::after, .leave_span = 60s};
const failback_config frozen{.leave = failover_mode::manual};

/// What happens to regions A and B, e.g. "10 A-" for A UNHEALTHY at 10 s: + is HEALTHY, ? UNKNOWN, > an
/// operator's failover of it, < one's failback; "10 on" and "10 off" switch automatic failover.
struct happening {
  int at = 0;
  std::string_view what = "";
};

void carry_out(failback_policy& x, const happening& y) {
  const auto now = run_start + std::chrono::seconds{y.at};
  if (y.what == "on" || y.what == "off")
    return x.set_automatic(now, y.what == "on");
  const auto region = static_cast<std::uint32_t>(y.what[0] - 'A');
  switch (y.what[1]) {
    case '+': return x.set(now, region, health::healthy);
    case '-': return x.set(now, region, health::unhealthy);
    case '?': return x.set(now, region, health::unknown);
    case '>': return x.fail_over(now, region);
    default: static_cast<void>(x.fail_back(now, region));
  }
}

char letter(health x) {
  return x == health::healthy ? 'H' : x == health::unhealthy ? 'U' : 'K';
}

/// What is shown of A and B with the share of each that has not all, e.g. "H25 H".
std::string shown(const failback_policy& x) {
  std::string result;
  for (std::uint32_t i = 0; i < 2; ++i) {
    result += i == 0 ? "" : " ";
    result += letter(x.shown(i));
    if (x.share(i) < 100)
      result += std::to_string(x.share(i));
  }
  return result;
}

/// Lets it all happen, and says what is shown from each time on at which that changed.
std::string history(const failback_config& config, const std::vector<happening>& all, int end) {
  failback_policy x{config, 2};
  x.set(run_start, 0, health::healthy);
  x.set(run_start, 1, health::healthy);
  std::string result;
  std::string before = shown(x);
  auto next = all.begin();
  for (int second = 0; second <= end; ++second) {
    const auto now = run_start + std::chrono::seconds{second};
    if (x.next() <= now)
      x.on_time(now);
    for (; next != all.end() && next->at == second; ++next)
      carry_out(x, *next);
    if (auto after = shown(x); after != before) {
      result += (result.empty() ? "" : ", ") + std::to_string(second);
      result.append(" ").append(after);
      before = std::move(after);
    }
  }
  return result;
}

struct shown_case {
  const char* why;
  failback_config config = {};
  std::vector<happening> all = {};
  const char* expected = "";
};

void expect_histories(const std::vector<shown_case>& cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(history(x.config, x.all, 200), x.expected);
  }
}

TEST(FailbackPolicy, ShowsRegionsAsItsSettingsWantIt) {
  expect_histories({
    {"the defaults show every state as it is",
     {},
     {{10, "A-"}, {20, "A+"}, {30, "B-"}},
     "10 U H, 20 H H, 30 H U"},
    {"a region comes back once it was healthy for the hold",
     after60,
     {{10, "A-"}, {20, "A+"}},
     "10 U H, 80 H H"},
    {"a relapse begins the hold anew",
     after60,
     {{10, "A-"}, {20, "A+"}, {70, "A-"}, {90, "A+"}},
     "10 U H, 150 H H"},
    {"unknown neither ends the hold nor begins one",
     after60,
     {{10, "A-"}, {20, "A+"}, {30, "A?"}, {40, "A+"}},
     "10 U H, 80 H H"},
    {"whoever waits is used while nobody else can be, whichever began to wait first",
     after60,
     {{10, "A-"}, {20, "A+"}, {30, "B-"}, {40, "B+"}},
     "10 U H, 30 H U, 40 H H, 80 H U, 100 H H"},
    {"the share grows in equal steps to the whole",
     over100,
     {{10, "A-"}, {20, "A+"}},
     "10 U H, 20 U0 H, 45 H25 H, 70 H50 H, 95 H75 H, 120 H H"},
    {"a relapse on the way ends it, and the next return begins at nothing",
     over100,
     {{10, "A-"}, {20, "A+"}, {50, "A-"}, {60, "A+"}},
     "10 U H, 20 U0 H, 45 H25 H, 50 U H, 60 U0 H, 85 H25 H, 110 H50 H, 135 H75 H, 160 H H"},
    {"by hand nothing comes back until an operator says so",
     by_hand,
     {{10, "A-"}, {20, "A+"}, {100, "A<"}},
     "10 U H, 100 H H"},
    {"what an operator brings back unhealthy would be left at once",
     by_hand,
     {{10, "A-"}, {100, "A<"}, {120, "A+"}, {130, "A<"}},
     "10 U H, 130 H H"},
    {"an outage below the hold moves nobody", leave60, {{10, "A-"}, {53, "A+"}}, ""},
    {"a longer one does when the hold is over",
     leave60,
     {{10, "A-"}, {90, "A+"}},
     "70 U H, 90 H H"},
    {"each relapse has a hold of its own",
     leave60,
     {{10, "A-"}, {60, "A+"}, {65, "A-"}, {120, "A+"}},
     ""},
  });
}

TEST(FailbackPolicy, ShowsRegionsAsOperatorsWantIt) {
  expect_histories({
    {"without automatic failover states change nothing", frozen, {{10, "A-"}, {20, "B-"}}, ""},
    {"switched off in the middle it stops where it is",
     {},
     {{10, "A-"}, {15, "off"}, {20, "A+"}, {30, "B-"}},
     "10 U H"},
    {"switched on again it follows the states as they are then",
     {},
     {{10, "A-"}, {15, "off"}, {20, "A+"}, {30, "B-"}, {40, "on"}},
     "10 U H, 40 H U"},
    {"an operator's failover holds whatever the state",
     {},
     {{10, "A>"}, {20, "A-"}, {30, "A+"}, {40, "A<"}},
     "10 U H, 40 H H"},
    {"an operator moves regions with failover off, healthy or not",
     frozen,
     {{10, "A-"}, {20, "A>"}, {30, "A<"}},
     "20 U H, 30 H H"},
    {"nobody is healthy: the router is to fail open",
     after60,
     {{10, "A-"}, {20, "B-"}},
     "10 U H, 20 U U"},
  });
}

TEST(FailbackPolicy, TellsWhatItMakesOfARegion) {
  failback_policy x{after60, 2};
  x.set(run_start + 10s, 0, health::unhealthy);
  EXPECT_EQ(x.remark(0), "");
  x.set(run_start + 20s, 0, health::healthy);
  ASSERT_EQ(x.changes().size(), 1u);
  EXPECT_EQ(x.changes()[0], 0u);
  EXPECT_EQ(x.remark(0), "held until 80s");
  EXPECT_EQ(x.next(), run_start + 80s);
  x.on_time(run_start + 80s);
  ASSERT_EQ(x.changes().size(), 1u);
  EXPECT_EQ(x.changes()[0], 0u);
  EXPECT_EQ(x.remark(0), "");
  x.fail_over(run_start + 90s, 0);
  EXPECT_EQ(x.remark(0), "drained");
  failback_policy y{leave60, 1};
  y.set(run_start + 10s, 0, health::unhealthy);
  EXPECT_EQ(y.remark(0), "kept until 70s");
  // Cut to milliseconds, and without zeros at the end.
  failback_policy z{leave60, 1};
  z.set(run_start + 10'120'456'789ns, 0, health::unhealthy);
  EXPECT_EQ(z.remark(0), "kept until 70.12s");
}

// What waits is used while whatever else is HEALTHY is ejected: else requests would go to ejected regions.
TEST(FailbackPolicy, AnEjectedRegionIsNoneThatCouldBeUsed) {
  failback_policy x{by_hand, 2};
  x.set(run_start, 0, health::healthy);
  x.set(run_start, 1, health::healthy);
  x.set(run_start + 10s, 0, health::unhealthy);
  x.set(run_start + 20s, 0, health::healthy);
  EXPECT_EQ(shown(x), "U H") << "it waits for an operator";
  x.set_ejected(1, true);
  EXPECT_EQ(shown(x), "H H");
  EXPECT_EQ(x.remark(0), "waits, used all the same");
  x.set_ejected(1, false);
  EXPECT_EQ(shown(x), "U H");
}

TEST(FailbackPolicy, ASpanThatStepsDoNotDivideEndsOnTime) {
  failback_policy x{{.back = failback_mode::over, .back_span = 10ns, .steps = 3}, 2};
  x.set(run_start, 0, health::unhealthy);
  x.set(run_start, 0, health::healthy);
  std::vector<std::int64_t> at;
  while (x.next() != never) {
    at.push_back(x.next().time_since_epoch().count());
    x.on_time(x.next());
  }
  EXPECT_EQ(at, (std::vector<std::int64_t>{3, 6, 10}));
  EXPECT_EQ(x.share(0), 100u);
}

TEST(FailbackPolicy, RefusesWhatIsOutOfRange) {
  struct {
    const char* why;
    failback_config config = {};
    const char* expected = "";
  } const cases[] = {
    {"no time", {.back_span = 0s}, "failback: the time must be from 1ms to 86400s"},
    {"above a day", {.leave_span = 86'401s}, "failover: the time must be from 1ms to 86400s"},
    {"no step", {.steps = 0}, "failback: steps must be from 1 to 100"},
    {"too many", {.steps = 101}, "failback: steps must be from 1 to 100"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(validate(x.config), std::vector<std::string>{x.expected});
  }
  EXPECT_TRUE(validate(failback_config{}).empty());
}

} // namespace
