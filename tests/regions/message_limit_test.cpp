#include "regions/message_limit.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

// When messages that come at these times pass, or "refused".
std::string passing(std::uint32_t per_second, duration longest_wait,
                    const std::vector<duration>& times) {
  message_limit subject{per_second, longest_wait};
  std::string result;
  for (const auto at : times) {
    const auto wait = subject.admit(run_start + at);
    result += (result.empty() ? "" : " ") + (wait ? to_string(at + *wait) : "refused");
  }
  return result;
}

TEST(MessageLimit, LetsMessagesPassEvenly) {
  const struct {
    const char* why;
    std::uint32_t per_second;
    duration longest_wait;
    std::vector<duration> times;
    const char* expected;
  } cases[] = {
    {"the first passes at once", 10, 0s, {5s}, "5s"},
    {"one that comes in time does not wait", 10, 0s, {0s, 100ms, 200ms}, "0s 100ms 200ms"},
    {"one that comes early waits", 10, 1s, {0s, 0s, 150ms}, "0s 100ms 200ms"},
    {"the longest wait is allowed", 10, 100ms, {0s, 0s}, "0s 100ms"},
    {"a longer wait is refused", 10, 100ms - 1ns, {0s, 0s}, "0s refused"},
    {"who is refused takes nobody's place", 10, 50ms, {0s, 0s, 60ms}, "0s refused 100ms"},
    {"nothing is saved up", 10, 1s, {10s, 10s, 10s}, "10s 10100ms 10200ms"},
    {"without waiting a burst is cut", 10, 0s, {0s, 0s, 0s, 100ms}, "0s refused refused 100ms"},
    {"thirds of a second do not drift",
     3,
     10s,
     {0s, 0s, 0s, 0s, 0s, 0s, 0s},
     "0s 333333334ns 666666667ns 1s 1333333334ns 1666666667ns 2s"},
    {"nor when the line is empty between",
     3,
     10s,
     {0s, 0s, 5s, 5s, 5s, 5s},
     "0s 333333334ns 5s 5333333334ns 5666666667ns 6s"},
    {"the largest rate", 1'000'000, 1s, {0s, 0s, 0s}, "0s 1us 2us"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(passing(x.per_second, x.longest_wait, x.times), x.expected);
  }
}

TEST(MessageLimit, PassesExactlyItsRateInEverySecondThatIsBusy) {
  for (const std::uint32_t rate : {1U, 7U, 60U, 997U, 30'000U}) {
    message_limit subject{rate, 3600s};
    std::vector<std::uint64_t> passed(10);
    for (std::uint32_t i = 0; i < 10 * rate; ++i) {
      const auto wait = subject.admit(run_start);
      ASSERT_TRUE(wait);
      ++passed.at(static_cast<std::size_t>(*wait / 1s));
    }
    EXPECT_EQ(passed, std::vector<std::uint64_t>(10, rate)) << rate;
  }
}

} // namespace
