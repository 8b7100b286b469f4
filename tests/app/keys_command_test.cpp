#include "tests/app/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace spillover {
namespace {

using KeysCommand = test::ProgramTest;

std::vector<std::string> names(const std::filesystem::path& folder) {
  std::vector<std::string> result;
  for (const auto& x : std::filesystem::directory_iterator{folder})
    result.push_back(x.path().filename().string());
  std::sort(result.begin(), result.end());
  return result;
}

TEST_F(KeysCommand, EverySiteOfAScenarioGetsAKey) {
  const auto x = spillover({"keys", "keys", "--scenario", "short.yaml"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_EQ(names(path("keys")),
            (std::vector<std::string>{"authorised", "director.key", "east.key", "operator.key",
                                      "shop.key", "west.key"}));
  EXPECT_EQ(x.out.find("secret"), std::string::npos);
  const auto again = spillover({"keys", "keys", "short.yaml"});
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("exists"), std::string::npos) << again.err;
}

TEST_F(KeysCommand, AreMadeOnceWhereTheyAreOnlyMissing) {
  const auto again = [&](const char* sites) {
    return spillover({"keys", "keys", "--if-missing", "--sites", sites});
  };
  EXPECT_EQ(again("a,b").code, 0);
  const auto before = read("keys/authorised");
  EXPECT_EQ(again("a,b").code, 0);
  EXPECT_EQ(again("b").code, 0) << "more keys than sites";
  const auto other = again("a,b,c");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("c.key"), std::string::npos) << other.err;
  EXPECT_EQ(read("keys/authorised"), before);
  EXPECT_EQ(names(path("keys")),
            (std::vector<std::string>{"a.key", "authorised", "b.key", "operator.key"}));
}

TEST_F(KeysCommand, SitesCanBeNamed) {
  EXPECT_EQ(spillover({"keys", "keys", "--sites", "a,b"}).code, 0);
  EXPECT_EQ(names(path("keys")),
            (std::vector<std::string>{"a.key", "authorised", "b.key", "operator.key"}));
  EXPECT_EQ(spillover({"keys", "others"}).code, 2) << "no site at all";
  EXPECT_EQ(spillover({"keys", "others", "--sites", "a/b"}).code, 2);
  const auto taken = spillover({"keys", "others", "--sites", "a,operator"});
  EXPECT_EQ(taken.code, 2);
  EXPECT_NE(taken.err.find("no site may be named"), std::string::npos) << taken.err;
  const auto path_like = spillover({"keys", "others", "--sites", "A/director"});
  EXPECT_NE(path_like.err.find("'A/director' is no name of a site: --sites takes names such as"),
            std::string::npos)
    << path_like.err;
  const auto nowhere = spillover({"keys", "--sites", "A/director"});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_NE(nowhere.err.find("DIR: is needed: the folder to make the keys in"), std::string::npos)
    << nowhere.err;
  EXPECT_EQ(spillover({"keys", "others", "nowhere.yaml"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(path("others")));
}

} // namespace
} // namespace spillover
