#include "net/keys.hpp"

#include "tests/net/folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace spillover::net {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> sites{"director", "us-east1", "clients-east"};

std::string problem_of(const fs::path& folder, const std::string& site) {
  const auto x = read_keys(folder, site);
  const auto* problem = std::get_if<std::string>(&x);
  return problem != nullptr ? *problem : "";
}

TEST(Keys, EachSiteFindsItsOwnPairAndTheListOfAll) {
  const test::folder here;
  const auto folder = here / "keys";
  ASSERT_EQ(make_keys(folder, sites), std::nullopt);
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder / "us-east1.key").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  std::vector<authorised_site> lists;
  for (const auto& site : sites) {
    const auto x = read_keys(folder, site);
    ASSERT_TRUE(std::holds_alternative<key_ring>(x)) << std::get<std::string>(x);
    const auto& ring = std::get<key_ring>(x);
    ASSERT_EQ(ring.authorised.size(), 3U);
    EXPECT_NE(ring.own.public_key, ring.own.secret_key);
    lists.push_back({site, ring.own.public_key});
  }
  EXPECT_EQ(std::get<key_ring>(read_keys(folder, "director")).authorised, lists);
}

TEST(Keys, ExistingKeysAreNotOverwritten) {
  const test::folder here;
  const auto folder = here / "keys";
  ASSERT_EQ(make_keys(folder, sites), std::nullopt);
  EXPECT_NE(make_keys(folder, sites), std::nullopt);
  EXPECT_EQ(problem_of(folder, "us-east1"), "");
}

TEST(Keys, NamesThatAreNoFilesAreRefused) {
  const test::folder here;
  const std::vector<std::string> bad[] = {{},          {""},    {"a/b"},   {".."},
                                          {".hidden"}, {"a b"}, {"a", "a"}};
  for (const auto& x : bad)
    EXPECT_NE(make_keys(here / "keys", x), std::nullopt) << testing::PrintToString(x);
  EXPECT_FALSE(fs::exists(here / "keys"));
}

struct spoiled {
  const char* why;
  std::function<void(const fs::path&)> spoil;
  const char* says;
};

void write(const fs::path& file, const std::string& text) {
  std::ofstream{file} << text;
}

TEST(Keys, WhatIsNotSafeOrNotSoundIsNotUsed) {
  const spoiled cases[] = {
    {"others could read the secret",
     [](const fs::path& x) { fs::permissions(x / "us-east1.key", fs::perms{0640}); }, "by others"},
    {"others could put a key on the list",
     [](const fs::path& x) { fs::permissions(x / "authorised", fs::perms{0620}); }, "by others"},
    {"others could put files in place",
     [](const fs::path& x) { fs::permissions(x, fs::perms{0770}); }, "by others"},
    {"the secret is a link elsewhere",
     [](const fs::path& x) {
       fs::rename(x / "us-east1.key", x / "moved");
       fs::create_symlink(x / "moved", x / "us-east1.key");
     },
     "link"},
    {"the secret is gone", [](const fs::path& x) { fs::remove(x / "us-east1.key"); },
     "No such file"},
    {"the list is gone", [](const fs::path& x) { fs::remove(x / "authorised"); }, "No such file"},
    {"the secret is a folder",
     [](const fs::path& x) {
       fs::remove(x / "us-east1.key");
       fs::create_directory(x / "us-east1.key");
       fs::permissions(x / "us-east1.key", fs::perms{0700});
     },
     "no file"},
    {"the secret is no key", [](const fs::path& x) { write(x / "us-east1.key", "secret abc\n"); },
     "no key file"},
    {"it is another site's secret",
     [](const fs::path& x) {
       fs::copy(x / "director.key", x / "us-east1.key", fs::copy_options::overwrite_existing);
     },
     "does not name us-east1"},
    {"the list names a key twice",
     [](const fs::path& x) {
       const auto key = std::get<key_ring>(read_keys(x, "us-east1")).own.public_key;
       write(x / "authorised", "us-east1 " + key + "\nother " + key + "\n");
     },
     "twice"},
    {"the list is none", [](const fs::path& x) { write(x / "authorised", "us-east1\n"); },
     "no list"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const test::folder here;
    const auto folder = here / "keys";
    ASSERT_EQ(make_keys(folder, sites), std::nullopt);
    x.spoil(folder);
    EXPECT_NE(problem_of(folder, "us-east1").find(x.says), std::string::npos)
      << problem_of(folder, "us-east1");
  }
}

} // namespace
} // namespace spillover::net
