#include "sweeps/merge.hpp"

#include "tests/support/run_program.hpp"
#include "tests/sweeps/outcomes.hpp"

#include <gtest/gtest.h>

namespace spillover {
namespace {

using test::some_outcome;
using mode = sweep_store::mode;

class MergeSweeps : public testing::Test {
protected:
  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return folder_.path() / name;
  }

  void write(const std::string& name, const std::vector<run_outcome>& runs,
             const sweep_identity& of = test::some_sweep()) const {
    sweep_store store{path(name), mode::write};
    store.begin(of, test::some_expectations(), std::vector<std::uint64_t>{1, 2});
    store.add_all(runs);
  }

  merge_result merge(const std::vector<std::string>& names) const {
    std::vector<std::filesystem::path> in;
    in.reserve(names.size());
    for (const auto& x : names)
      in.push_back(path(x));
    return merge_sweeps(path("all"), in);
  }

  [[nodiscard]] std::vector<run_key> merged() const {
    return sweep_store{path("all"), mode::read}.keys();
  }

private:
  test::temporary_folder folder_;
};

TEST_F(MergeSweeps, JoinsPartsToTheWhole) {
  write("a", {some_outcome({0, 1}), some_outcome({1, 2})});
  write("b", {some_outcome({1, 1}), some_outcome({0, 2})});
  const auto x = merge({"a", "b"});
  EXPECT_EQ(x.added, 4u);
  EXPECT_EQ(x.known, 0u);
  EXPECT_EQ(merged(), (std::vector<run_key>{{0, 1}, {0, 2}, {1, 1}, {1, 2}}));
  const sweep_store all{path("all"), mode::read};
  EXPECT_EQ(all.identity(), test::some_sweep());
  EXPECT_EQ(all.expectations(), test::some_expectations());
  EXPECT_TRUE(same_outcome(*all.find({1, 2}), some_outcome({1, 2})));
}

TEST_F(MergeSweeps, TakesTheSameRunOnceHoweverLongItTook) {
  auto slow = some_outcome({0, 1});
  slow.took *= 7;
  write("a", {some_outcome({0, 1})});
  write("b", {slow, some_outcome({1, 1})});
  const auto x = merge({"a", "b"});
  EXPECT_EQ(x.added, 2u);
  EXPECT_EQ(x.known, 1u);
  // Again, into what is there by now.
  EXPECT_EQ(merge({"b", "a"}).added, 0u);
  EXPECT_EQ(merged().size(), 2u);
}

TEST_F(MergeSweeps, RefusesARunThatCameOutDifferently) {
  auto other = some_outcome({1, 1});
  ++other.values[4].emplace(7);
  write("a", {some_outcome({0, 1}), some_outcome({1, 1})});
  write("b", {some_outcome({0, 2}), other});
  const auto why = test::refusal([this] { merge({"a", "b"}); });
  EXPECT_NE(why.find("the run with seed 1 and b=2 came out differently in "), std::string::npos)
    << why;
  EXPECT_NE(why.find(": failover_ns "), std::string::npos) << why;
  EXPECT_TRUE(merged().empty()) << "all of them or none";
}

TEST_F(MergeSweeps, LetsALostRunGiveWay) {
  run_outcome lost;
  lost.key = {0, 1};
  lost.trouble = "its process ended by signal 9";
  write("a", {lost});
  write("b", {some_outcome({0, 1})});
  merge({"a", "b"});
  EXPECT_TRUE(
    same_outcome(*sweep_store(path("all"), mode::read).find({0, 1}), some_outcome({0, 1})));
  // In whatever order they come.
  EXPECT_EQ(merge({"a"}).known, 1u);
  EXPECT_TRUE(sweep_store(path("all"), mode::read).failed_keys().empty());
}

TEST_F(MergeSweeps, RefusesAnotherSweepBeforeItMakesAFile) {
  auto other = test::some_sweep();
  other.settings.pop_back();
  write("a", {});
  write("b", {}, other);
  const auto why = test::refusal([this] { merge({"a", "b"}); });
  EXPECT_NE(why.find("the grid has 2 settings there and 1 here"), std::string::npos) << why;
  EXPECT_NE(test::refusal([this] { merge({"a", "missing"}); }), "");
  EXPECT_FALSE(std::filesystem::exists(path("all")));
}

} // namespace
} // namespace spillover
