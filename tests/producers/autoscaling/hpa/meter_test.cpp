#include "producers/autoscaling/hpa/meter.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace spillover::hpa;
using namespace std::chrono_literals;

void use(meter& x, std::int64_t from, std::int64_t to, std::int64_t value) {
  for (auto second = from + 1; second <= to; ++second)
    x.observe(run_start + std::chrono::seconds{second}, value);
}

TEST(HpaMeter, ShowsTheMeanOfTheWindowThatIsComplete) {
  meter subject{15s};
  EXPECT_TRUE(subject.sample().missing);
  use(subject, 0, 10, 300);
  use(subject, 10, 14, 600);
  EXPECT_TRUE(subject.sample().missing);
  use(subject, 14, 15, 600);
  EXPECT_FALSE(subject.sample().missing);
  EXPECT_EQ(subject.sample().value, 400);
  EXPECT_EQ(subject.sample().at, run_start + 15s);
  EXPECT_EQ(subject.sample().window, 15s);
  use(subject, 15, 29, 1000);
  EXPECT_EQ(subject.sample().value, 400) << "nothing new for a whole window";
  use(subject, 29, 30, 1000);
  EXPECT_EQ(subject.sample().value, 1000);
  EXPECT_EQ(subject.sample().at, run_start + 30s);
}

TEST(HpaMeter, HasNoSampleOfAPodThatWasThereForLessThanAWindow) {
  meter subject{15s};
  use(subject, 20, 30, 900);
  EXPECT_TRUE(subject.sample().missing);
  use(subject, 30, 45, 100);
  EXPECT_FALSE(subject.sample().missing);
  EXPECT_EQ(subject.sample().value, 100) << "without what it used while it started";
}

TEST(HpaMeter, KnowsAPodThatStartsAtItsMeasurementAWindowLater) {
  meter subject{15s};
  use(subject, 30, 45, 100);
  EXPECT_EQ(subject.sample().value, 100);
  EXPECT_EQ(subject.sample().at, run_start + 45s);
}

} // namespace
