// The operators' desk, and those who ask there: decent ones and others.

#include "actors/wake_event.hpp"
#include "net/operator_client.hpp"
#include "net/operator_desk.hpp"
#include "net/operator_wire.hpp"
#include "tests/net/station.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <zmq.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace spillover::net {
namespace {

using namespace std::chrono_literals;
using namespace test;

const std::vector<std::string>& those_with_keys() {
  static const std::vector<std::string> names{"director", "us-east1", std::string{operator_name}};
  return names;
}

constexpr std::size_t director_key = 0;
constexpr std::size_t site_key = 1;
constexpr std::size_t operator_key = 2;

/// A director that answers each request with its kind and body, in a thread of its own.
class office {
public:
  explicit office(operator_desk_config config)
    : desk_(std::move(config), {[this] { wake_.set(); },
                                [this](std::string_view x) {
                                  const std::lock_guard lock{mutex_};
                                  lines_.emplace_back(x);
                                }}) {
    thread_ = std::thread{[this] { work(); }};
  }
  ~office() {
    stop_ = true;
    wake_.set();
    thread_.join();
  }
  office(const office&) = delete;
  office& operator=(const office&) = delete;

  operator_desk* operator->() noexcept { return &desk_; }

  /// What was carried out, in order.
  [[nodiscard]] std::vector<operator_call> calls() {
    const std::lock_guard lock{mutex_};
    return calls_;
  }
  [[nodiscard]] std::vector<std::string> lines() {
    const std::lock_guard lock{mutex_};
    return lines_;
  }

  std::atomic<bool> silent = false;

private:
  void work() {
    std::vector<operator_call> fresh;
    while (!stop_) {
      pollfd file{wake_.file(), POLLIN, 0};
      ::poll(&file, 1, 1'000);
      wake_.clear();
      desk_.receive(fresh);
      for (auto& x : fresh) {
        {
          const std::lock_guard lock{mutex_};
          calls_.push_back(x);
        }
        if (!silent)
          desk_.answer(x.handle, x.kind == "bad" ? "there is no such fault" : "",
                       x.kind + "(" + x.body + ")");
      }
    }
  }

  std::mutex mutex_;
  std::vector<operator_call> calls_;
  std::vector<std::string> lines_;
  wake_event wake_;
  std::atomic<bool> stop_ = false;
  operator_desk desk_;
  std::thread thread_;
};

/// A socket that sends what it likes.
class visitor {
public:
  visitor(const std::string& address, const key_pair& own, const std::string& server)
    : socket_(context_, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::reconnect_ivl, 10);
    socket_.set(zmq::sockopt::rcvtimeo, 5'000);
    socket_.set(zmq::sockopt::curve_serverkey, server);
    socket_.set(zmq::sockopt::curve_publickey, own.public_key);
    socket_.set(zmq::sockopt::curve_secretkey, own.secret_key);
    socket_.connect(address);
  }

  void send(std::string_view bytes, bool more = false) {
    socket_.send(zmq::buffer(bytes), more ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }

  std::optional<operator_answer> next() {
    zmq::message_t x;
    operator_answer result;
    return socket_.recv(x) && decode(x.to_string_view(), result) == flaw::none
             ? std::optional{result}
             : std::nullopt;
  }

private:
  zmq::context_t context_;
  zmq::socket_t socket_;
};

class OperatorTest : public testing::Test {
protected:
  [[nodiscard]] operator_desk_config desk() const {
    operator_desk_config x;
    x.keys = keys_.ring(director_key);
    return x;
  }
  [[nodiscard]] operator_client_config client(const std::string& address,
                                              std::size_t key = operator_key) const {
    operator_client_config x;
    x.address = address;
    x.keys = keys_.ring(key);
    x.retry = 50ms;
    return x;
  }
  [[nodiscard]] visitor visit(office& where, std::size_t key = operator_key) const {
    return {where->bound(), keys_.ring(key).own, keys_.ring(director_key).own.public_key};
  }
  /// Waits until it is so, or for too long.
  static bool becomes(const std::function<bool()>& so) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock{mutex};
    for (const auto until = std::chrono::steady_clock::now() + 20s; !so();) {
      if (std::chrono::steady_clock::now() > until)
        return false;
      // Counters change without telling anybody.
      never.wait_for(lock, 2ms);
    }
    return true;
  }

  key_maker keys_{those_with_keys()};
};

operator_request request(char id, const std::string& kind) {
  return {std::string(operator_id_bytes, id), kind, ""};
}

TEST_F(OperatorTest, ManyAskAtOnceAndEachGetsItsAnswer) {
  office where{desk()};
  constexpr int people = 8;
  constexpr int questions = 20;
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int p = 0; p < people; ++p)
    threads.emplace_back([&, p] {
      operator_client one{client(where->bound())};
      for (int i = 0; i < questions; ++i) {
        const auto text = std::to_string(p) + "/" + std::to_string(i);
        const auto got = one.ask("fault", text);
        right += got.answered && got.refused.empty() && got.body == "fault(" + text + ")" ? 1 : 0;
      }
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(right, people * questions);
  const auto calls = where.calls();
  EXPECT_EQ(calls.size(), static_cast<std::size_t>(people) * questions);
  EXPECT_EQ(calls[0].who, "operator@127.0.0.1");
}

TEST_F(OperatorTest, WhatIsNotCarriedOutIsRefusedWithAReason) {
  office where{desk()};
  operator_client one{client(where->bound())};
  const auto got = one.ask("bad");
  EXPECT_TRUE(got.answered);
  EXPECT_EQ(got.refused, "there is no such fault");
  const auto none = one.ask("");
  EXPECT_FALSE(none.answered);
  EXPECT_EQ(where.calls().size(), 1U);
}

TEST_F(OperatorTest, TheSameRequestIsCarriedOutOnce) {
  office where{desk()};
  const auto bytes = encode(request('a', "fault"));
  auto first = visit(where);
  for (int i = 0; i < 5; ++i)
    first.send(bytes);
  for (int i = 0; i < 5; ++i) {
    const auto got = first.next();
    // Those that came before the answer was known get one together.
    if (!got || where->count().repeated == 4)
      break;
    EXPECT_EQ(got->body, "fault()");
  }
  ASSERT_TRUE(becomes([&] { return where->count().repeated == 4; }));
  // Over another connection, as after a break.
  auto second = visit(where);
  second.send(bytes);
  const auto got = second.next();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, "fault()");
  EXPECT_EQ(where.calls().size(), 1U);
}

TEST_F(OperatorTest, AClientOutlastsTheDirectorsRestart) {
  auto where = std::make_unique<office>(desk());
  where->silent = true;
  auto again = desk();
  again.listen = (*where)->bound();
  operator_client one{client((*where)->bound())};
  operator_reply got;
  std::thread asking{[&] { got = one.ask("status"); }};
  ASSERT_TRUE(becomes([&] { return where->calls().size() == 1; }));
  where.reset();
  where = std::make_unique<office>(again);
  asking.join();
  EXPECT_TRUE(got.answered);
  EXPECT_EQ(got.body, "status()");
}

TEST_F(OperatorTest, WithoutTheOperatorsKeyNobodyIsHeard) {
  office where{desk()};
  const auto stranger = key_maker{those_with_keys()};
  auto strange = client(where->bound());
  strange.keys->own = stranger.ring(operator_key).own;
  strange.patience = 300ms;
  auto of_a_site = client(where->bound(), site_key);
  of_a_site.patience = 300ms;
  for (const auto& x : {strange, of_a_site}) {
    const auto got = operator_client{x}.ask("stop");
    EXPECT_FALSE(got.answered);
    EXPECT_NE(got.refused.find("does not know this key"), std::string::npos) << got.refused;
  }
  EXPECT_GE(where->count().refused_keys, 2U);
  EXPECT_EQ(where.lines().size(), 1U) << "one line a minute";
  EXPECT_TRUE(operator_client{client(where->bound())}.ask("status").answered);
  EXPECT_EQ(where.calls().size(), 1U);
  EXPECT_EQ(where->count().flawed, 0U);
}

TEST_F(OperatorTest, MessagesThatAreNotSoundChangeNothing) {
  office where{desk()};
  auto x = visit(where);
  const auto whole = encode(request('a', "stop"));
  std::uint64_t sent = 0;
  for (std::size_t n = 0; n < whole.size(); ++n, ++sent)
    x.send(std::string_view{whole}.substr(0, n));
  x.send(std::string(1'000, '\xff'));
  x.send("part", true);
  x.send(whole, true);
  x.send("part");
  x.send(whole, true);
  x.send("surplus");
  // The major version, a second time: the last one counts.
  x.send(whole + "\x08\x63");
  sent += 4;
  ASSERT_TRUE(becomes([&] { return where->count().flawed == sent; })) << where->count().flawed;
  EXPECT_TRUE(where.calls().empty());
  EXPECT_EQ(where.lines().size(), 1U);
  // More than a message may have ends the connection, and that one alone.
  x.send(std::string(limits::frame_bytes + 100'000, 'x'));
  EXPECT_TRUE(operator_client{client(where->bound())}.ask("status").answered);
  EXPECT_EQ(where->count().flawed, sent);
}

TEST_F(OperatorTest, WhoeverAsksWithoutWaitingDoesNotFillTheDesk) {
  auto config = desk();
  config.most_waiting = 3;
  office where{config};
  where.silent = true;
  auto x = visit(where);
  for (char id = 'a'; id < 'k'; ++id)
    x.send(encode(request(id, "status")));
  ASSERT_TRUE(becomes([&] { return where->count().busy == 7; }));
  EXPECT_EQ(where->count().taken, 3U);
  ASSERT_TRUE(becomes([&] { return where.calls().size() == 3; }));
  where->answer(where.calls()[0].handle, "");
  where->answer(where.calls()[0].handle, "again");
  const auto got = x.next();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->id, std::string(operator_id_bytes, 'a'));
  EXPECT_EQ(got->refused, "") << "what is answered stays answered";
  x.send(encode(request('k', "status")));
  ASSERT_TRUE(becomes([&] { return where->count().taken == 4; })) << "now there is room again";
}

TEST_F(OperatorTest, WithoutKeysItStaysOnThisMachine) {
  operator_desk_config open;
  EXPECT_FALSE(validate(open).empty());
  open.insecure = true;
  EXPECT_TRUE(validate(open).empty());
  open.listen = "tcp://0.0.0.0:7000";
  EXPECT_FALSE(validate(open).empty());
  open.listen = "tcp://127.0.0.1:*";
  office where{open};
  operator_client_config plain;
  plain.address = where->bound();
  EXPECT_TRUE(operator_client{plain}.ask("status").answered);
  EXPECT_EQ(where.calls().at(0).who, "127.0.0.1");
  plain.address = "tcp://10.0.0.1:7000";
  EXPECT_THROW(operator_client{plain}, std::invalid_argument);
  plain.address = "nonsense";
  EXPECT_THROW(operator_client{plain}, std::invalid_argument);
}

TEST(OperatorDesk, ConfigurationNamesWhatCannotBe) {
  const key_maker sites{{"director", "us-east1"}};
  operator_desk_config x;
  x.keys = sites.ring(0);
  EXPECT_EQ(validate(x), std::vector<std::string>{"keys: none for operator"});
  x.keys = key_maker{those_with_keys()}.ring(0);
  EXPECT_TRUE(validate(x).empty());
  x.most_waiting = 1'024;
  EXPECT_EQ(validate(x).size(), 1U) << "the answers would not be remembered";
}

TEST(OperatorWire, ComesOutAsItWentIn) {
  const auto asked = request('x', "fault");
  operator_request got;
  EXPECT_EQ(decode(encode(asked), got), flaw::none);
  EXPECT_EQ(got, asked);
  const operator_answer said{std::string(operator_id_bytes, '\0'), "no", "{}"};
  operator_answer heard;
  EXPECT_EQ(decode(encode(said), heard), flaw::none);
  EXPECT_EQ(heard, said);
  EXPECT_EQ(encode(operator_request{"short", "fault", ""}), "");
  EXPECT_EQ(encode(request('x', std::string(limits::name_bytes + 1, 'k'))), "");
  EXPECT_EQ(encode(operator_answer{said.id, std::string(limits::reason_bytes + 1, 'r'), ""}), "");
}

} // namespace
} // namespace spillover::net
