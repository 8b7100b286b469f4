#include "producers/autoscaling/hpa/meter.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover::hpa;

/// Measures at the multiples of 15 seconds.
void use(meter& x, int from, int to, std::int64_t value) {
  for (auto second = from + 1; second <= to; ++second) {
    x.add(value);
    if (second % 15 == 0)
      x.measure(15);
  }
}

TEST(HpaMeter, ShowsTheMeanOfTheWindowThatIsComplete) {
  meter subject;
  EXPECT_FALSE(subject.value());
  use(subject, 0, 10, 300);
  use(subject, 10, 14, 600);
  EXPECT_FALSE(subject.value());
  use(subject, 14, 15, 600);
  EXPECT_EQ(subject.value(), 400);
  use(subject, 15, 29, 1000);
  EXPECT_EQ(subject.value(), 400) << "nothing new for a whole window";
  use(subject, 29, 30, 1000);
  EXPECT_EQ(subject.value(), 1000);
  use(subject, 30, 45, 0);
  EXPECT_EQ(subject.value(), 0) << "nothing used is a sample too";
}

TEST(HpaMeter, HasNoSampleOfAPodThatWasThereForLessThanAWindow) {
  meter subject;
  use(subject, 20, 30, 900);
  EXPECT_FALSE(subject.value());
  use(subject, 30, 45, 100);
  EXPECT_EQ(subject.value(), 100) << "without what it used while it started";
}

TEST(HpaMeter, KnowsAPodThatStartsAtItsMeasurementAWindowLater) {
  meter subject;
  use(subject, 30, 44, 100);
  EXPECT_FALSE(subject.value());
  use(subject, 44, 45, 100);
  EXPECT_EQ(subject.value(), 100);
}

} // namespace
