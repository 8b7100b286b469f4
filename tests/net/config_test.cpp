#include "net/transport.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace spillover::net {
namespace {

struct broken {
  const char* why;
  std::function<void(transport_config&)> change;
  const char* says;
};

TEST(TransportConfig, NamesWhatCannotBe) {
  using namespace std::chrono_literals;
  const broken cases[] = {
    {"sound as it is", [](auto&) {}, ""},
    {"nothing is open by accident", [](auto& x) { x.insecure = false; }, "keys: missing"},
    {"nor beyond this machine", [](auto& x) { x.listen.data = "tcp://0.0.0.0:7001"; },
     "only the loopback interface"},
    {"a process has a number", [](auto& x) { x.incarnation = 0; }, "incarnation"},
    {"a site is one of the deployment", [](auto& x) { x.site = "other"; }, "site: is not one"},
    {"names are unique", [](auto& x) { x.sites.push_back("a"); }, "twice"},
    {"so is the collector", [](auto& x) { x.collector = "other"; }, "collector"},
    {"lines must wait somewhere", [](auto& x) { x.collector = "b"; }, "spill"},
    {"one heartbeat may be late", [](auto& x) { x.lost_after = x.heartbeat; }, "two heartbeats"},
    {"times are times", [](auto& x) { x.reconnect = 0s; }, "reconnect: must lie"},
    {"every site has a key",
     [](auto& x) {
       x.keys = key_ring{make_key_pair(), {{"a", "k"}}};
     },
     "none for b"},
    {"a batch must fit", [](auto& x) { x.inbox_records = 511; }, "must hold a batch"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    transport_config x;
    x.site = "a";
    x.sites = {"a", "b"};
    x.incarnation = 1;
    x.insecure = true;
    c.change(x);
    const auto problems = validate(x);
    if (*c.says == '\0') {
      EXPECT_TRUE(problems.empty());
      continue;
    }
    ASSERT_EQ(problems.size(), 1U) << testing::PrintToString(problems);
    EXPECT_NE(problems[0].find(c.says), std::string::npos) << problems[0];
  }
}

TEST(Address, HasOneOfTwoForms) {
  const struct {
    const char* address = "";
    bool good = false;
    const char* why = "";
  } cases[] = {
    {"tcp://127.0.0.1:7001", true, "an address"},
    {"tcp://us-east1_web.internal:65535", true, "a name"},
    {"tcp://[fe80::1%eth0]:1", true, "of the sixth version"},
    {"ipc:///run/spillover/data", true, "a path"},
    {"", false, "nothing"},
    {"7001", false, "no scheme"},
    {"udp://127.0.0.1:7001", false, "of a protocol that we do not speak"},
    {"inproc://x", false, "within a process"},
    {"tcp://", false, "no host, no port"},
    {"tcp://:7001", false, "no host"},
    {"tcp://[]:7001", false, "no host in brackets"},
    {"tcp://fe80::1:7001", false, "brackets are missing"},
    {"tcp://host", false, "no port"},
    {"tcp://host:", false, "an empty port"},
    {"tcp://host:0", false, "no port has that number"},
    {"tcp://host:65536", false, "no port has that number"},
    {"tcp://host:*", false, "that is to bind only"},
    {"tcp://host:70a", false, "letters"},
    {"tcp://a b:7001", false, "a blank"},
    {"tcp://a;b:7001", false, "ZeroMQ would take the first half for the own address"},
    {"tcp://a\n:7001", false, "a line's end"},
    {"ipc://", false, "no path"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(check_address(x.address).has_value(), !x.good) << x.address;
  }
  EXPECT_TRUE(check_address("ipc://" + std::string(101, 'x')).has_value());
  EXPECT_TRUE(check_address("tcp://" + std::string(300, 'x') + ":1").has_value());
}

} // namespace
} // namespace spillover::net
