#include "tests/app/program.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

// What these commands say where there is nothing to talk to. tests/deployment tries them with what there is.

namespace spillover {
namespace {

using DeploymentCommands = test::ProgramTest;

TEST_F(DeploymentCommands, SayWhatTheyNeed) {
  const struct {
    const char* what = "";
    std::vector<std::string> words = {};
    int code = 0;
    const char* says = "";
  } cases[] = {
    {"no keys", {"site", "east", "short.yaml"}, 2, "--keys: is needed, or --insecure"},
    {"no director", {"site", "east", "short.yaml", "--insecure"}, 2, "--director: is needed"},
    {"no such site",
     {"site", "north", "short.yaml", "--insecure", "--director", "127.0.0.1:1"},
     2,
     "north is no site of this scenario; its sites are director, east"},
    {"no port",
     {"site", "east", "short.yaml", "--insecure", "--director", "127.0.0.1"},
     2,
     "--director: must be HOST:PORT"},
    {"no folder of keys",
     {"site", "east", "short.yaml", "--keys", "nowhere", "--director", "127.0.0.1:1"},
     2,
     "nowhere"},
    {"nobody there",
     {"site", "east", "short.yaml", "--insecure", "--director", "127.0.0.1:1", "--patience", "1"},
     3,
     "the director does not answer"},
    {"not alive", {"site", "west", "short.yaml", "--check"}, 3, "no process of it"},
    {"plain beyond this machine",
     {"site", "east", "short.yaml", "--insecure", "--director", "127.0.0.1:1", "--listen",
      "0.0.0.0"},
     2,
     "without keys only the loopback interface is allowed"},
    {"an IPv6 address",
     {"site", "east", "short.yaml", "--insecure", "--director", "127.0.0.1:1", "--listen", "::1"},
     2,
     "IPv4"},
    {"no speed", {"up", "short.yaml", "--speed", "0"}, 2, "--speed"},
    {"no file", {"up", "nowhere.yaml"}, 2, "nowhere.yaml"},
    {"nothing runs", {"watch", "--once"}, 2, "no deployment of `up` runs on this machine"},
    {"nothing runs to stop", {"stop"}, 2, "no deployment"},
    {"a key without a director", {"fault", "list", "--keys", "keys"}, 2, "--director"},
    {"no key", {"status", "--director", "127.0.0.1:1"}, 2, "--keys is needed"},
    {"no verb", {"fault"}, 2, "subcommand"},
  };
  for (const auto& x : cases) {
    const auto done = spillover(x.words);
    EXPECT_EQ(done.code, x.code) << x.what << ": " << done.err;
    EXPECT_NE((done.err + done.out).find(x.says), std::string::npos) << x.what << ": " << done.err;
  }
}

TEST_F(DeploymentCommands, CheckTellsWhetherASiteSaidThatItLives) {
  const std::vector<std::string> check{"site", "east", "short.yaml", "--check"};
  std::ofstream{path("east.status")} << 1 << '\n';
  EXPECT_EQ(spillover(check).code, 3) << "long ago";
  std::ofstream{path("east.status")} << "9223372036854775807\n";
  EXPECT_EQ(spillover(check).code, 0);
}

} // namespace
} // namespace spillover
