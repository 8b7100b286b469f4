// Peers that mean harm, or are broken: whatever they send changes a counter and nothing else.

#include "tests/net/station.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.hpp>

#include <algorithm>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover::net {
namespace {

using namespace std::chrono_literals;
using namespace test;

/// A ZeroMQ socket without any of our manners.
class intruder {
public:
  /// @param own what it shows, if anything
  /// @param server the key that it believes the site to have
  intruder(std::string_view address, const std::optional<key_pair>& own, const std::string& server,
           zmq::socket_type type = zmq::socket_type::dealer)
    : socket_(context_, type) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::reconnect_ivl, 10);
    if (own) {
      socket_.set(zmq::sockopt::curve_serverkey, server);
      socket_.set(zmq::sockopt::curve_publickey, own->public_key);
      socket_.set(zmq::sockopt::curve_secretkey, own->secret_key);
    }
    socket_.connect(std::string{address});
  }

  // ZeroMQ gives up a connection whose handshake broke the rules: who waited to send there would wait for ever.
  void send(std::string_view bytes) { socket_.send(zmq::buffer(bytes), at_once); }

  void send_parts(int n) {
    for (int i = 0; i < n; ++i)
      socket_.send(zmq::str_buffer("part"),
                   i + 1 < n ? at_once | zmq::send_flags::sndmore : at_once);
  }

private:
  static constexpr auto at_once = zmq::send_flags::dontwait;

  zmq::context_t context_;
  zmq::socket_t socket_;
};

health_state state_of(std::uint64_t generation) {
  return {.resource = "checkout",
          .region = "us-east1",
          .state = health::healthy,
          .generation = generation,
          .endpoints = {}};
}

class HostileTest : public testing::Test {
protected:
  /// Somebody who holds the key of the clients' site.
  intruder insider(plane where) {
    const auto& at = (*target_)->bound();
    const auto& address = where == plane::data     ? at.data
                          : where == plane::health ? at.health
                                                   : at.control;
    return {address, world_.keys().ring(clients).own, world_.keys().ring(east).own.public_key};
  }

  [[nodiscard]] std::uint64_t dropped(plane where, drop why, std::size_t from = clients) const {
    return (*target_)->count().sites[from].on(where).of(why);
  }

  /// Waits until so much was dropped.
  bool drops(plane where, drop why, std::uint64_t n = 1, std::size_t from = clients) {
    return target_->wait_for([&] { return dropped(where, why, from) >= n; });
  }

  [[nodiscard]] bool nothing_came() const {
    const auto& x = target_->got;
    return x.records.empty() && x.health.empty() && x.commands.empty() && x.results.empty()
           && x.telemetry.empty()
           // That a connection came and went is so, whoever made it.
           && std::all_of(x.peers.begin(), x.peers.end(), [](const peer_change& c) {
                return c.step == peer_step::connected || c.step == peer_step::disconnected;
              });
  }

  /// Shows that the target still serves those who may come.
  void expect_in_service() {
    const auto d = world_.start(director);
    ASSERT_TRUE(join(*d, director, *target_, east));
    const std::vector<timed_record> one{{{.to = 5, .what = op::request, .request = 1}}};
    (*d)->send(east, one);
    EXPECT_TRUE(target_->wait_for([&] { return target_->got.records.size() == 1; }));
  }

  deployment world_;
  std::unique_ptr<station> target_ = world_.start(east);
};

TEST_F(HostileTest, WithoutAnAuthorisedKeyNobodyIsHeard) {
  codec liar{"clients-east", 9};
  const std::string greeting{liar.encode(hello{77})};
  const auto& at = (*target_)->bound();
  const auto server = world_.keys().ring(east).own.public_key;
  intruder no_key{at.control, std::nullopt, ""};
  intruder strange_key{at.control, make_key_pair(), server};
  intruder other_server{at.control, world_.keys().ring(clients).own, make_key_pair().public_key};
  // The public half of an authorised pair is known to many: it alone opens nothing.
  intruder half_a_key{
    at.control, key_pair{world_.keys().ring(clients).own.public_key, make_key_pair().secret_key},
    server};
  for (auto* x : {&no_key, &strange_key, &other_server, &half_a_key})
    for (int i = 0; i < 20; ++i)
      x->send(greeting);
  ASSERT_TRUE(target_->wait_for([&] { return (*target_)->count().refused_keys >= 1; }));
  EXPECT_TRUE(nothing_came());
  const auto frames = [&] {
    std::uint64_t result = 0;
    const auto counted = (*target_)->count();
    for (const auto from : {clients, counted.sites.size() - 1})
      for (const auto& x : counted.sites[from].planes)
        result += x.frames_received;
    return result;
  };
  EXPECT_EQ(frames(), 0U);
  EXPECT_EQ(target_->lines().size(), 1U) << "one line, however often they try";
  // The same words from who has the whole key are heard, and those of the others were not even late.
  intruder right{at.control, world_.keys().ring(clients).own, server};
  right.send(greeting);
  ASSERT_TRUE(target_->wait_for([&] { return frames() >= 1; }));
  expect_in_service();
  EXPECT_EQ(frames(), 1U);
}

TEST_F(HostileTest, AnInsiderCannotSpeakForAnother) {
  auto x = insider(plane::control);
  codec liar{"director", 9};
  x.send(liar.encode(hello{77}));
  x.send(liar.encode(command{1, "stop", ""}));
  ASSERT_TRUE(drops(plane::control, drop::impostor, 2));
  EXPECT_TRUE(nothing_came());
  expect_in_service();
}

TEST_F(HostileTest, FramesThatAreNotSoundChangeNothing) {
  auto data = insider(plane::data);
  codec self{"clients-east", 9};
  data.send(self.encode(hello{77}));
  const std::vector<timed_record> some(10, {{.to = 5, .what = op::request, .request = 1}});
  const std::string whole{self.encode(some)};
  for (std::size_t n = 0; n < whole.size(); n += 7)
    data.send(std::string_view{whole}.substr(0, n));
  data.send(std::string(1'000, '\xff'));
  data.send("");
  data.send_parts(3);
  ASSERT_TRUE(drops(plane::data, drop::malformed, 20));
  const std::vector<timed_record> to_nobody_here{{{.to = 1'000, .what = op::request}}};
  data.send(self.encode(to_nobody_here));
  ASSERT_TRUE(drops(plane::data, drop::not_accepted));
  data.send(self.encode(command{1, "stop", ""}));
  ASSERT_TRUE(drops(plane::data, drop::wrong_plane));
  EXPECT_TRUE(nothing_came());
  EXPECT_LE(target_->lines().size(), 2U);
  // More than a frame may have ends the connection, and that one alone: it is not even counted.
  const auto frames = [&] {
    return (*target_)->count().sites[clients].on(plane::data).frames_received;
  };
  const auto before = frames();
  data.send(std::string(limits::frame_bytes + 100'000, 'x'));
  expect_in_service();
  EXPECT_EQ(frames(), before);
  auto another = insider(plane::data);
  another.send("");
  EXPECT_TRUE(target_->wait_for([&] { return frames() == before + 1; })) << "a small one is";
}

TEST_F(HostileTest, OlderStatesAndProcessesAreIgnored) {
  auto x = insider(plane::health);
  codec now{"clients-east", 9};
  codec before{"clients-east", 8};
  x.send(now.encode(state_of(1)));
  ASSERT_TRUE(drops(plane::health, drop::not_introduced));
  x.send(now.encode(hello{77}));
  for (const std::uint64_t generation : {5U, 4U, 5U, 1U})
    x.send(now.encode(state_of(generation)));
  ASSERT_TRUE(drops(plane::health, drop::stale, 2));
  EXPECT_EQ(dropped(plane::health, drop::repeated), 1U);
  x.send(before.encode(hello{77}));
  x.send(before.encode(state_of(99)));
  ASSERT_TRUE(drops(plane::health, drop::stale, 4));
  ASSERT_EQ(target_->got.health.size(), 1U);
  EXPECT_EQ(target_->got.health[0].state.generation, 5U);
}

TEST_F(HostileTest, OthersAreRefusedWithAReason) {
  auto x = insider(plane::control);
  codec self{"clients-east", 9};
  x.send(self.encode(hello{78}));
  ASSERT_TRUE(drops(plane::control, drop::other_scenario));
  x.send(self.encode(command{1, "stop", ""}));
  ASSERT_TRUE(drops(plane::control, drop::not_introduced));
  // Field 1, the major version, a second time: the last one counts.
  x.send(std::string{self.encode(hello{77})} + "\x08\x02");
  ASSERT_TRUE(drops(plane::control, drop::other_version));
  EXPECT_TRUE(nothing_came());
  const auto lines = target_->lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0].find("runs another scenario"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("speaks version 2 of the protocol"), std::string::npos) << lines[1];
}

TEST_F(HostileTest, WhatIsReplayedHappensOnce) {
  auto x = insider(plane::control);
  codec self{"clients-east", 9};
  const std::string greeting{self.encode(hello{77})};
  const std::string stop{self.encode(command{1, "stop", ""})};
  const std::string forged{self.encode(command_ack{1, "", "", 1})};
  x.send(greeting);
  for (int i = 0; i < 10; ++i)
    x.send(stop);
  ASSERT_TRUE(drops(plane::control, drop::repeated, 9));
  EXPECT_EQ(target_->got.commands.size(), 1U);
  // Answers to what was never asked.
  x.send(forged);
  ASSERT_TRUE(drops(plane::control, drop::repeated, 10));
  EXPECT_TRUE(target_->got.results.empty());
  // All of it again, over another connection.
  auto again = insider(plane::control);
  again.send(greeting);
  again.send(stop);
  ASSERT_TRUE(drops(plane::control, drop::repeated, 11));
  EXPECT_EQ(target_->got.commands.size(), 1U);
}

TEST_F(HostileTest, TheEventLogsOfOthersAreSafe) {
  auto config = world_.config(director);
  station collector{config};
  const auto ring = world_.keys().ring(clients);
  const auto server = world_.keys().ring(director).own.public_key;
  intruder control{collector->bound().control, ring.own, server};
  intruder lines{collector->bound().telemetry, ring.own, server, zmq::socket_type::push};
  codec self{"clients-east", 9};
  codec liar{"us-east1", 9};
  const auto drops = [&](drop why, std::uint64_t n) {
    return collector.wait_for(
      [&] { return collector->count().sites[clients].on(plane::telemetry).of(why) >= n; });
  };
  lines.send(self.encode(telemetry_batch{1, 0, {"too early"}}));
  ASSERT_TRUE(drops(drop::not_introduced, 1));
  control.send(self.encode(hello{77}));
  ASSERT_TRUE(collector.wait_for([&] { return collector.steps(clients, peer_step::back) == 1; }));
  lines.send(liar.encode(telemetry_batch{1, 0, {"of another"}}));
  ASSERT_TRUE(drops(drop::impostor, 1));
  const std::string two{self.encode(telemetry_batch{1, 0, {"one", "two"}})};
  for (std::size_t n = 0; n + 3 < two.size(); n += 3)
    lines.send(std::string_view{two}.substr(0, n));
  lines.send(self.encode(command{1, "stop", ""}));
  ASSERT_TRUE(drops(drop::wrong_plane, 1));
  ASSERT_TRUE(drops(drop::malformed, 5));
  EXPECT_TRUE(collector.got.telemetry.empty());
  lines.send(two);
  lines.send(two);
  ASSERT_TRUE(drops(drop::repeated, 2));
  lines.send(self.encode(telemetry_batch{9, 8, {"nine"}}));
  ASSERT_TRUE(drops(drop::out_of_order, 1));
  ASSERT_EQ(collector.got.telemetry.size(), 1U);
  EXPECT_EQ(collector.got.telemetry[0].lines, (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(collector.got.commands.empty());
}

/// A connection that knows nothing of ZeroMQ.
class raw_connection {
public:
  explicit raw_connection(std::string_view address) : file_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(
      static_cast<std::uint16_t>(std::stoi(std::string{address.substr(address.rfind(':') + 1)})));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected = ::connect(file_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  ~raw_connection() { ::close(file_); }
  raw_connection(const raw_connection&) = delete;
  raw_connection& operator=(const raw_connection&) = delete;

  void send(std::string_view bytes) const {
    [[maybe_unused]] const auto n = ::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  bool connected = false;

private:
  int file_;
};

TEST_F(HostileTest, JunkOnTheSocketHarmsNobody) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator all{"/proc/self/fd"};
    return std::distance(begin(all), end(all));
  };
  const auto before = open_files();
  const std::string_view junk[] = {
    "", "GET / HTTP/1.1\r\n\r\n", "\xff", std::string_view{"\0\0\0\0\0\0\0\0", 8},
    // The beginning of a greeting of ZMTP 3, and then something else.
    std::string_view{"\xff\0\0\0\0\0\0\0\x01\x7f\x03\x00NULL", 16},
    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"};
  const auto& at = (*target_)->bound();
  std::list<raw_connection> all;
  for (const auto& address : {at.data, at.health, at.control})
    for (std::size_t i = 0; i < std::size(junk); ++i) {
      all.emplace_back(address);
      EXPECT_TRUE(all.back().connected);
    }
  const auto ours = static_cast<std::ptrdiff_t>(all.size());
  // Each has two ends, and both are here: that they are closed afterwards can only be seen once they are
  // open.
  ASSERT_TRUE(target_->wait_for([&] { return open_files() == before + 2 * ours; }));
  for (std::size_t i = 0; auto& one : all) {
    one.send(junk[i++ % std::size(junk)]);
    one.send(std::string(10'000, 'j'));
  }
  all.clear();
  EXPECT_TRUE(target_->wait_for([&] { return open_files() == before; }))
    << "every connection that was closed is closed here too";
  expect_in_service();
  EXPECT_EQ((*target_)->count().dropped(drop::malformed), 0U)
    << "nothing of it was taken for a frame";
}

} // namespace
} // namespace spillover::net
