#include "sites/inheritance.hpp"

#include "tests/net/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using net::spill_file;
using net::test::folder;

constexpr std::uint64_t plenty = 1U << 20U;

class InheritanceTest : public testing::Test {
protected:
  /// A process of a site that wrote so many lines.
  std::unique_ptr<spill_file> process(const std::string& site, std::uint64_t start, int lines) {
    auto x = std::make_unique<spill_file>(spill_path(here_.path(), site, start), plenty);
    for (int i = 1; i <= lines; ++i)
      EXPECT_TRUE(x->append(static_cast<std::uint64_t>(i), site + std::to_string(i)));
    x->flush();
    return x;
  }

  [[nodiscard]] bool exists(const std::string& site, std::uint64_t start) const {
    return std::filesystem::exists(spill_path(here_.path(), site, start));
  }

  folder here_;
};

TEST_F(InheritanceTest, IsHandedOnFromWhereTheDirectorHasIt) {
  process("east", 5, 3);
  inheritance x{here_.path(), "east", 9};
  EXPECT_TRUE(x.empty());
  EXPECT_FALSE(x.next()) << "it has not looked";
  x.look();
  EXPECT_FALSE(x.empty());
  const auto question = x.next();
  ASSERT_TRUE(question);
  EXPECT_EQ(question->process, 5u);
  EXPECT_TRUE(question->batch.lines.empty());
  EXPECT_FALSE(x.next()) << "one is under way";
  x.unanswered();
  ASSERT_TRUE(x.next()) << "the same again";
  x.answered(1);
  const auto rest = x.next();
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->batch, (net::telemetry_batch{2, 1, {"east2", "east3"}}));
  x.look();
  x.answered(3);
  EXPECT_FALSE(x.next());
  EXPECT_TRUE(x.empty());
  EXPECT_FALSE(exists("east", 5)) << "the director has all of it";
}

TEST_F(InheritanceTest, IsThatOfEarlierProcessesOfTheSiteThatEnded) {
  process("east", 5, 1);
  process("east", 12, 1);
  process("east.7", 5, 1);
  process("west", 5, 1);
  const auto lives = process("east", 6, 1);
  process("east", 7, 0);
  std::ofstream{here_ / "east.x.spill"} << "else";
  std::ofstream{here_ / "east.status"} << "else";
  std::vector<std::uint64_t> found;
  {
    inheritance x{here_.path(), "east", 9};
    x.look();
    while (const auto message = x.next()) {
      found.push_back(message->process);
      x.refused();
    }
    EXPECT_TRUE(x.empty());
  }
  EXPECT_EQ(found, std::vector<std::uint64_t>{5});
  EXPECT_FALSE(exists("east", 5)) << "nobody wants it";
  EXPECT_FALSE(exists("east", 7)) << "there is nothing in it";
  EXPECT_TRUE(exists("east", 6) && exists("east", 12) && exists("east.7", 5) && exists("west", 5));
}

TEST_F(InheritanceTest, OutlivesAnHeirWhoCouldNotDeliverIt) {
  process("east", 5, 3);
  {
    inheritance x{here_.path(), "east", 6};
    x.look();
    ASSERT_TRUE(x.next());
    x.answered(1);
    ASSERT_TRUE(x.next());
  }
  process("east", 6, 2);
  inheritance x{here_.path(), "east", 9};
  x.look();
  std::vector<std::uint64_t> found;
  while (const auto message = x.next()) {
    if (!message->batch.lines.empty())
      found.push_back(message->process);
    x.answered(message->batch.lines.empty() ? 0 : message->batch.lines.size());
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::uint64_t>{5, 6}));
}

TEST_F(InheritanceTest, NeedsNoFolder) {
  inheritance x{here_ / "missing", "east", 9};
  x.look();
  EXPECT_TRUE(x.empty());
}

} // namespace
