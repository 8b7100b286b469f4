#include "producers/health/prober_roster.hpp"

#include "producers/health/health_check.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace spillover;

constexpr event_id by(std::uint32_t fault) {
  return {1, 100 + fault};
}

// Each prober: '-' lost, '.' well, or the digit of the fault that cuts it off.
std::string states(const prober_roster& x) {
  std::string result;
  for (std::uint32_t i = 0; i < x.size(); ++i)
    if (!x.probes(i))
      result += '-';
    else
      result += x.cut_off_by(i) ? static_cast<char>('0' + x.cut_off_by(i)->number - 100) : '.';
  return result;
}

// Faults: 0 loses one prober, 1 loses all, 2 cuts two off, 3 cuts all off, 4 loses nine.
void apply(prober_roster& subject, char sign, char digit) {
  const auto fault = static_cast<std::uint32_t>(digit - '0');
  if (sign == '-') {
    subject.lift(fault);
    return;
  }
  const std::optional<std::uint32_t> counts[] = {1, std::nullopt, 2, std::nullopt, 9};
  const auto become = fault == 2 || fault == 3 ? prober_ailment::cut_off : prober_ailment::lost;
  subject.lay(fault, become, counts[fault], by(fault));
}

TEST(ProberRoster, FaultsStackAndComeOffInAnyOrder) {
  const struct {
    const char* why;
    std::string steps;
    const char* expected;
    std::uint32_t probing;
  } cases[] = {
    {"all well", "", "...", 3},
    {"the lowest numbers are hit", "+0", "-..", 2},
    {"all without a count", "+1", "---", 0},
    {"a count above all hits all", "+4", "---", 0},
    {"cut off still probes", "+2", "22.", 3},
    {"lost and cut off is lost", "+2+0", "-2.", 2},
    {"in either order", "+0+2", "-2.", 2},
    {"the first that cuts off is the cause", "+2+3", "223", 3},
    {"the other when it is over", "+2+3-2", "333", 3},
    {"one of two losses is over", "+0+1-1", "-..", 2},
    {"all over", "+0+2+3-2-3-0", "...", 3},
    {"what is not there comes off without a trace", "-2+0-3", "-..", 2},
    {"a fault may come again", "+0-0+0", "-..", 2},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    prober_roster subject{3};
    for (std::size_t i = 0; i < x.steps.size(); i += 2)
      apply(subject, x.steps[i], x.steps[i + 1]);
    EXPECT_EQ(states(subject), x.expected);
    EXPECT_EQ(subject.probing(), x.probing);
  }
}

TEST(ProberRoster, SaysHowManyAFaultHits) {
  prober_roster subject{3};
  EXPECT_EQ(subject.lay(0, prober_ailment::lost, 2, by(0)), 2u);
  EXPECT_EQ(subject.lay(1, prober_ailment::cut_off, 7, by(1)), 3u);
  EXPECT_EQ(subject.lift(1), 3u);
  EXPECT_EQ(subject.lift(1), 0u);
  EXPECT_EQ(subject.lift(0), 2u);
}

TEST(ProberRosterDeath, LayingAFaultOnTwiceIsABug) {
  prober_roster subject{3};
  subject.lay(0, prober_ailment::lost, 1, by(0));
  EXPECT_DEATH(subject.lay(0, prober_ailment::lost, 1, by(0)), "check failed");
}

// Results of probers, by number: '+' or '-', and '!' before one that comes while too few probe.
// Prints the state after each.
std::string states_after(const std::string& results) {
  endpoint_tracker subject{{.healthy_threshold = 1, .unhealthy_threshold = 1}, health::healthy};
  std::string said;
  bool quorate = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i] == '!') {
      quorate = false;
      continue;
    }
    const auto prober = static_cast<std::uint32_t>(results[i] - '0');
    subject.observe(prober, results[++i] == '+' ? probe_result::answered : probe_result::refused,
                    quorate);
    quorate = true;
    said += subject.state() == health::healthy ? 'H' : 'U';
  }
  return said;
}

TEST(EndpointTracker, KeepsItsStateWhileTooFewProbe) {
  const struct {
    const char* why;
    const char* results;
    const char* expected;
  } cases[] = {
    {"two of three agree", "0-1-", "HU"},
    {"not while too few probe", "0-!1-", "HH"},
    {"the next result that counts decides, though it says nothing new", "0-!1-0-", "HHU"},
    {"whoever brings it", "0-!1-1-", "HHU"},
    {"even one that thinks otherwise", "0-!1-2+", "HHU"},
    {"one that changed its mind meanwhile does not count", "0-!1-!1+0-", "HHHH"},
    {"recovery waits as well", "0-1-2-!0+!1+2+", "HUUUUH"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(states_after(x.results), x.expected);
  }
}

} // namespace
