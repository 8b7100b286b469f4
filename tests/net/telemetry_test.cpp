#include "net/telemetry.hpp"

#include "tests/net/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

namespace spillover::net {
namespace {

using namespace std::chrono_literals;

constexpr moment start{};
constexpr std::uint64_t plenty = 1U << 20U;

TEST(SpillFile, GivesBackConsecutiveLines) {
  const test::folder here;
  spill_file x{here / "spill", plenty};
  for (std::uint64_t i = 1; i <= 3'000; ++i)
    ASSERT_TRUE(x.append(i, "line " + std::to_string(i)));
  telemetry_batch batch;
  EXPECT_FALSE(x.read(0, batch)) << "nothing is written yet";
  EXPECT_EQ(x.flush(), 0U);
  EXPECT_EQ(x.last(), 3'000U);
  for (const std::uint64_t after : {0U, 1U, 63U, 64U, 65U, 1'024U, 2'999U, 1'500U}) {
    SCOPED_TRACE(after);
    ASSERT_TRUE(x.read(after, batch));
    EXPECT_EQ(batch.first, after + 1);
    EXPECT_EQ(batch.previous, after);
    EXPECT_EQ(batch.lines.size(), std::min<std::uint64_t>(limits::telemetry_lines, 3'000 - after));
    EXPECT_EQ(batch.lines.front(), "line " + std::to_string(after + 1));
    EXPECT_EQ(batch.lines.back(), "line " + std::to_string(after + batch.lines.size()));
  }
  EXPECT_FALSE(x.read(3'000, batch));
}

TEST(SpillFile, EndsABatchWhereALineIsMissing) {
  const test::folder here;
  spill_file x{here / "spill", plenty};
  for (const std::uint64_t i : {1U, 2U, 5U, 6U})
    ASSERT_TRUE(x.append(i, std::to_string(i)));
  x.flush();
  telemetry_batch batch;
  ASSERT_TRUE(x.read(0, batch));
  EXPECT_EQ(batch, (telemetry_batch{1, 0, {"1", "2"}}));
  ASSERT_TRUE(x.read(2, batch));
  EXPECT_EQ(batch, (telemetry_batch{5, 2, {"5", "6"}}));
  ASSERT_TRUE(x.append(9, "9"));
  x.flush();
  ASSERT_TRUE(x.read(6, batch));
  EXPECT_EQ(batch, (telemetry_batch{9, 6, {"9"}}));
}

TEST(SpillFile, BatchesStayWithinTheWiresLimit) {
  const test::folder here;
  spill_file x{here / "spill", 4 * plenty};
  const std::string line(100'000, 'x');
  for (std::uint64_t i = 1; i <= 10; ++i)
    ASSERT_TRUE(x.append(i, line));
  x.flush();
  telemetry_batch batch;
  std::uint64_t after = 0;
  while (x.read(after, batch)) {
    EXPECT_EQ(batch.first, after + 1);
    EXPECT_EQ(batch.lines.size(), 2U);
    after += batch.lines.size();
  }
  EXPECT_EQ(after, 10U);
  EXPECT_FALSE(x.append(11, std::string(limits::telemetry_bytes + 1, 'x')));
}

TEST(SpillFile, BeginsAnewWhenFullAndAcknowledged) {
  const test::folder here;
  spill_file x{here / "spill", 1'000};
  std::uint64_t n = 0;
  while (x.append(n + 1, std::string(88, 'x'))) {
    ++n;
    x.flush();
  }
  EXPECT_EQ(n, 10U);
  x.acknowledge(9);
  EXPECT_FALSE(x.append(11, std::string(88, 'x'))) << "line 10 is still wanted";
  x.acknowledge(10);
  EXPECT_TRUE(x.append(12, "y"));
  x.flush();
  telemetry_batch batch;
  ASSERT_TRUE(x.read(0, batch));
  EXPECT_EQ(batch, (telemetry_batch{12, 0, {"y"}}));
  EXPECT_LE(std::filesystem::file_size(here / "spill"), 1'000U);
}

TEST(SpillFile, IsTakenOverFromAProcessThatEnded) {
  const test::folder here;
  const auto path = here / "spill";
  EXPECT_EQ(spill_file::take_over(path), nullptr) << "there is none";
  {
    spill_file ended{path, plenty};
    for (std::uint64_t i = 1; i <= 200; ++i)
      ASSERT_TRUE(ended.append(i < 150 ? i : i + 10, "line " + std::to_string(i)));
    ended.flush();
    EXPECT_EQ(spill_file::take_over(path), nullptr) << "its process lives";
    EXPECT_THROW(spill_file(path, plenty), std::system_error);
  }
  const auto heir = spill_file::take_over(path);
  ASSERT_NE(heir, nullptr);
  EXPECT_EQ(heir->last(), 210U);
  telemetry_batch batch;
  ASSERT_TRUE(heir->read(100, batch));
  EXPECT_EQ(batch.first, 101U);
  EXPECT_EQ(batch.lines.size(), 49U) << "up to the hole";
  ASSERT_TRUE(heir->read(149, batch));
  EXPECT_EQ(batch.first, 160U);
  EXPECT_EQ(batch.previous, 149U);
  EXPECT_EQ(batch.lines.back(), "line 200");
}

TEST(SpillFile, IsTakenOverUpToTheLastWholeLine) {
  const test::folder here;
  const auto path = here / "spill";
  {
    spill_file ended{path, plenty};
    ASSERT_TRUE(ended.append(1, "one"));
    ASSERT_TRUE(ended.append(2, "two"));
    ended.flush();
  }
  const auto whole = std::filesystem::file_size(path);
  const struct {
    const char* why;
    std::uintmax_t size;
    std::uint64_t last;
  } cases[] = {
    {"nothing is missing", whole, 2},  {"the end of its text", whole - 1, 1},
    {"all of its text", whole - 3, 1}, {"a part of its number", whole - 10, 1},
    {"no whole line", 5, 0},           {"nothing was written", 0, 0},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::filesystem::copy(path, here / "torn");
    std::filesystem::resize_file(here / "torn", x.size);
    const auto heir = spill_file::take_over(here / "torn");
    ASSERT_NE(heir, nullptr);
    EXPECT_EQ(heir->last(), x.last);
    std::filesystem::remove(here / "torn");
  }
}

TEST(SpillFile, StaysWhileSomethingInItIsWanted) {
  const test::folder here;
  const auto path = here / "spill";
  for (const std::uint64_t through : {0U, 1U, 2U}) {
    {
      spill_file x{path, plenty};
      ASSERT_TRUE(x.append(1, "one"));
      ASSERT_TRUE(x.append(2, "two"));
      x.flush();
      x.acknowledge(through);
    }
    EXPECT_EQ(std::filesystem::exists(path), through < 2) << through;
  }
}

/// Lines from `first` on, and the line before.
telemetry_batch lines(std::uint64_t first, std::uint64_t count, std::uint64_t previous) {
  telemetry_batch x{first, previous, {}};
  for (std::uint64_t i = 0; i < count; ++i)
    x.lines.push_back(std::to_string(first + i));
  return x;
}

TEST(TelemetryReceiver, KnowsWhatIsMissing) {
  const struct {
    const char* why;
    telemetry_batch batch;
    telemetry_receiver::verdict expected;
  } cases[] = {
    {"the next ones", lines(11, 3, 10), {.known = 0, .take = true, .gone = 0}},
    {"known ones", lines(9, 2, 8), {.known = 2, .take = false, .gone = 0}},
    {"some are known", lines(9, 4, 8), {.known = 2, .take = true, .gone = 0}},
    {"some before them are to come", lines(14, 2, 13), {.known = 0, .take = false, .gone = 0}},
    {"nothing between can ever come", lines(14, 2, 10), {.known = 0, .take = true, .gone = 3}},
    {"the sender has no earlier line at all",
     lines(14, 2, 0),
     {.known = 0, .take = true, .gone = 3}},
  };
  const telemetry_receiver x{1s, 10};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const auto found = x.judge(c.batch);
    EXPECT_EQ(found.known, c.expected.known);
    EXPECT_EQ(found.take, c.expected.take);
    EXPECT_EQ(found.gone, c.expected.gone);
  }
}

TEST(TelemetryReceiver, DoesNotAskForTheSameTwiceAtOnce) {
  telemetry_receiver x{1s, 10};
  ASSERT_TRUE(x.ask_again(start).has_value());
  EXPECT_FALSE(x.ask_again(start + 999ms).has_value());
  EXPECT_EQ(x.ask_again(start + 1s), (telemetry_ack{10, true, 0}));
  x.take(lines(11, 1, 10));
  EXPECT_EQ(x.ask_again(start + 1s), (telemetry_ack{11, true, 0}));
}

class TelemetrySenderTest : public testing::Test {
protected:
  void write(std::uint64_t from, std::uint64_t to) {
    for (auto i = from; i <= to; ++i)
      EXPECT_TRUE(sender_.append(i, std::to_string(i)));
    sender_.flush();
  }

  /// @returns the first line of the batch that is sent now; 0 when there is none
  std::uint64_t send(moment now) {
    telemetry_batch x;
    if (!sender_.next(now, x))
      return 0;
    sender_.sent(x, now);
    return x.first;
  }

  test::folder here_;
  telemetry_sender sender_{here_ / "spill", plenty, 1s};
};

TEST_F(TelemetrySenderTest, SendsAgainWhatIsNotAcknowledgedInTime) {
  write(1, 3);
  EXPECT_EQ(send(start), 1U);
  EXPECT_EQ(send(start + 999ms), 0U);
  EXPECT_EQ(send(start + 1s), 1U);
  sender_.on_ack({2, false, 0}, start + 1s);
  EXPECT_FALSE(sender_.empty());
  EXPECT_EQ(send(start + 1'999ms), 0U);
  EXPECT_EQ(send(start + 2s), 3U);
  sender_.on_ack({3, false, 0}, start + 2s);
  EXPECT_TRUE(sender_.empty());
  EXPECT_EQ(send(start + 9s), 0U);
}

TEST_F(TelemetrySenderTest, GoesBackWhenAsked) {
  write(1, 2'000);
  EXPECT_EQ(send(start), 1U);
  EXPECT_EQ(send(start), 1'025U);
  sender_.on_ack({700, true, 0}, start);
  EXPECT_EQ(send(start), 701U);
  sender_.on_ack({400, false, 0}, start);
  EXPECT_EQ(sender_.acknowledged(), 700U) << "an older answer takes nothing back";
}

TEST_F(TelemetrySenderTest, ANewCollectorGetsEverythingThatIsLeft) {
  write(1, 5);
  EXPECT_EQ(send(start), 1U);
  sender_.on_ack({5, false, 0}, start);
  sender_.start_anew();
  EXPECT_EQ(send(start), 1U);
  sender_.on_ack({5, false, 0}, start);
  EXPECT_TRUE(sender_.empty());
}

TEST(TelemetrySender, AFullFileDoesNotBeginAnewBeforeTheNewCollectorHasIt) {
  const test::folder here;
  telemetry_sender x{here / "spill", 1'000, 1s};
  for (std::uint64_t i = 1; i <= 10; ++i)
    ASSERT_TRUE(x.append(i, std::string(88, 'x')));
  x.flush();
  telemetry_batch batch;
  ASSERT_TRUE(x.next(start, batch));
  x.sent(batch, start);
  x.on_ack({10, false, 0}, start);
  x.start_anew();
  EXPECT_FALSE(x.append(11, "y")) << "the new collector has none of the ten";
  ASSERT_TRUE(x.next(start, batch));
  EXPECT_EQ(batch.first, 1U);
  EXPECT_EQ(batch.lines.size(), 10U);
}

TEST_F(TelemetrySenderTest, NobodyHasWhatWasNeverSent) {
  write(1, 5);
  sender_.on_ack({5, false, 0}, start);
  EXPECT_EQ(sender_.acknowledged(), 0U);
  EXPECT_EQ(send(start), 1U);
}

TEST_F(TelemetrySenderTest, ABoundedNumberOfLinesIsOnItsWay) {
  write(1, telemetry_sender::window + 5'000);
  std::uint64_t batches = 0;
  while (send(start) != 0)
    ++batches;
  EXPECT_EQ(batches, telemetry_sender::window / limits::telemetry_lines);
}

} // namespace
} // namespace spillover::net
