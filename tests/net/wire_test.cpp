#include "net/wire.hpp"

#include "net/wire.pb.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace spillover::net {
namespace {

timed_record request_of(std::uint64_t number) {
  return {{.to = 17,
           .what = op::request,
           .status = outcome::ok,
           .attempt = static_cast<std::uint16_t>(number % 3),
           .request = number,
           .sent = static_cast<std::int64_t>(number) * 1'000'000,
           .reply_to = 4'000'000'000U,
           .arg = static_cast<std::uint32_t>(number * 7)},
          run_start + std::chrono::microseconds{number * 1'003}};
}

std::vector<timed_record> requests(std::size_t n) {
  std::vector<timed_record> result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(request_of(i));
  return result;
}

bool same(const timed_record& x, const timed_record& y) {
  const auto& a = x.what;
  const auto& b = y.what;
  return a.to == b.to && a.what == b.what && a.status == b.status && a.attempt == b.attempt
         && a.request == b.request && a.sent == b.sent && a.reply_to == b.reply_to && a.arg == b.arg
         && x.due == y.due;
}

/// What comes out when `x` goes in.
template <class T>
frame_body through_the_wire(const T& x) {
  codec sender{"us-east1", 7};
  codec receiver{"us-west1", 9};
  frame result;
  EXPECT_EQ(receiver.decode(sender.encode(x), {}, result), flaw::none);
  EXPECT_EQ(result.sender, "us-east1");
  EXPECT_EQ(result.incarnation, 7U);
  EXPECT_EQ(result.major, protocol_major);
  return result.body;
}

wire::Frame header() {
  wire::Frame x;
  x.set_major(protocol_major);
  x.set_sender("us-east1");
  x.set_incarnation(1);
  return x;
}

wire::Frame frame_with(const std::function<void(wire::DataBatch&)>& change) {
  codec sender{"us-east1", 1};
  wire::Frame x;
  x.ParseFromString(std::string{sender.encode(requests(2))});
  change(*x.mutable_data());
  return x;
}

TEST(Wire, EveryBodyComesOutAsItWentIn) {
  const health_state state{.resource = "us-east1/checkout",
                           .region = "us-east1",
                           .state = health::unhealthy,
                           .incarnation = 3,
                           .generation = 12,
                           .cause = {2, 99},
                           .stamp = run_start + std::chrono::seconds{313},
                           .endpoints = {{{"a", {11, 6, 2}}, {"b", {4, 0, 4}}, {"c", {}}}, 451}};
  const health_state counts{.kind = resource_kind::endpoints, .resource = "x", .region = "y"};
  const command order{42, "fault", R"({"for":"6m"})"};
  const command_ack answer{42, "there is no such fault", "{}", 8};
  const telemetry_batch lines{5, 3, {"{\"kind\":\"run_started\"}", "", "x"}};
  EXPECT_EQ(through_the_wire(hello{0xFFFF'FFFF'FFFF'FFFFU}),
            frame_body{hello{0xFFFF'FFFF'FFFF'FFFFU}});
  EXPECT_EQ(through_the_wire(state), frame_body{state});
  EXPECT_EQ(through_the_wire(counts), frame_body{counts});
  EXPECT_EQ(through_the_wire(order), frame_body{order});
  EXPECT_EQ(through_the_wire(answer), frame_body{answer});
  EXPECT_EQ(through_the_wire(lines), frame_body{lines});
  EXPECT_EQ(through_the_wire(telemetry_ack{7, true, 5}), (frame_body{telemetry_ack{7, true, 5}}));
  EXPECT_EQ(through_the_wire(refusal{"no"}), frame_body{refusal{"no"}});
}

TEST(Wire, RecordsComeOutAsTheyWentIn) {
  codec sender{"us-east1", 1};
  codec receiver{"us-west1", 1};
  frame result;
  for (const std::size_t n : {1U, 64U, 512U, 3U}) {
    auto batch = requests(n);
    batch.back().due = limits::latest;
    batch.back().what.what = op::response;
    batch.back().what.status = outcome::lost;
    batch.back().what.attempt = std::numeric_limits<std::uint16_t>::max();
    ASSERT_EQ(receiver.decode(sender.encode(batch), {}, result), flaw::none);
    ASSERT_EQ(result.records.size(), n);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_TRUE(same(result.records[i], batch[i])) << i << " of " << n;
  }
}

TEST(Wire, TakesWhatCrossesSitesAndNothingElse) {
  codec sender{"us-east1", 1};
  codec receiver{"us-west1", 1};
  frame result;
  const struct {
    const char* why;
    op what;
    flaw expected;
  } cases[] = {
    {"a request", op::request, flaw::none},
    {"its answer", op::response, flaw::none},
    {"an attempt to connect", op::connect, flaw::none},
    {"what comes of it", op::connected, flaw::none},
    {"a timer is its receiver's own", op::timer, flaw::out_of_range},
    {"instances are asked within their site", op::sample, flaw::out_of_range},
    {"and answer there", op::usage, flaw::out_of_range},
    {"what is none", static_cast<op>(static_cast<int>(op::connected) + 1), flaw::out_of_range},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto batch = requests(1);
    batch.front().what.what = x.what;
    EXPECT_EQ(receiver.decode(sender.encode(batch), {}, result), x.expected);
  }
}

TEST(Wire, WhatExceedsALimitIsNotEncoded) {
  codec x{"us-east1", 1};
  const std::string long_name(limits::name_bytes + 1, 'x');
  EXPECT_TRUE(x.encode(requests(513)).empty());
  EXPECT_TRUE(x.encode(requests(0)).empty());
  EXPECT_TRUE(x.encode(command{1, long_name, ""}).empty());
  EXPECT_TRUE(x.encode(command{1, "k", std::string(limits::body_bytes + 1, 'x')}).empty());
  EXPECT_TRUE(x.encode(health_state{.resource = long_name, .region = "r"}).empty());
  EXPECT_TRUE(x.encode(telemetry_batch{1, 0, {}}).empty());
  EXPECT_FALSE(x.encode(command{1, "k", std::string(limits::body_bytes, 'x')}).empty());
}

struct flawed {
  const char* why;
  std::function<void(wire::DataBatch&)> change;
  flaw expected;
};

TEST(Wire, ABatchThatIsNotSoundIsRefusedWhole) {
  const flawed cases[] = {
    {"it is sound", [](auto&) {}, flaw::none},
    {"a destination too many", [](auto& x) { x.add_to(1); }, flaw::malformed},
    {"a kind is missing", [](auto& x) { x.mutable_op()->pop_back(); }, flaw::malformed},
    {"an outcome too many", [](auto& x) { x.mutable_outcome()->push_back('\0'); }, flaw::malformed},
    {"an attempt is missing", [](auto& x) { x.mutable_attempt()->RemoveLast(); }, flaw::malformed},
    {"a number is missing", [](auto& x) { x.mutable_request()->RemoveLast(); }, flaw::malformed},
    {"a time too many", [](auto& x) { x.add_sent_ns(0); }, flaw::malformed},
    {"a return address is missing", [](auto& x) { x.clear_reply_to(); }, flaw::malformed},
    {"a key too many", [](auto& x) { x.add_arg(1); }, flaw::malformed},
    {"no record at all", [](auto& x) { x.Clear(); }, flaw::malformed},
    {"a timer is the receiver's own", [](auto& x) { (*x.mutable_op())[1] = 2; },
     flaw::out_of_range},
    {"there is no such kind", [](auto& x) { (*x.mutable_op())[0] = '\xff'; }, flaw::out_of_range},
    {"there is no such outcome", [](auto& x) { (*x.mutable_outcome())[0] = 9; },
     flaw::out_of_range},
    {"an attempt of 17 bits", [](auto& x) { x.set_attempt(0, 65'536); }, flaw::out_of_range},
    {"sent before the run", [](auto& x) { x.set_sent_ns(0, -1); }, flaw::out_of_range},
    {"due before the run", [](auto& x) { x.set_due_ns(1, -1); }, flaw::out_of_range},
    {"due never", [](auto& x) { x.set_due_ns(0, std::numeric_limits<std::int64_t>::max()); },
     flaw::out_of_range},
    {"no time to be due at", [](auto& x) { x.mutable_due_ns()->RemoveLast(); }, flaw::malformed},
    {"to nobody", [](auto& x) { x.set_to(1, 0); }, flaw::not_accepted},
    {"to whom the caller does not know", [](auto& x) { x.set_to(1, 18); }, flaw::not_accepted},
  };
  codec receiver{"us-west1", 1};
  frame result;
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto bytes = frame_with(x.change).SerializeAsString();
    EXPECT_EQ(receiver.decode(
                bytes, [](const record& r) { return r.to == 17; }, result),
              x.expected);
    EXPECT_EQ(result.records.size(), x.expected == flaw::none ? 2U : 0U);
  }
}

TEST(Wire, MoreRecordsThanABatchMayHoldAreRefused) {
  const auto x = frame_with([](wire::DataBatch& b) {
    while (b.to_size() < 513) {
      b.add_to(17);
      b.mutable_op()->push_back('\0');
      b.mutable_outcome()->push_back('\0');
      b.add_attempt(0);
      b.add_request(0);
      b.add_sent_ns(0);
      b.add_reply_to(1);
      b.add_arg(0);
      b.add_due_ns(0);
    }
  });
  codec receiver{"us-west1", 1};
  frame result;
  EXPECT_EQ(receiver.decode(x.SerializeAsString(), {}, result), flaw::oversized);
}

struct other_flawed {
  const char* why;
  std::function<void(wire::Frame&)> change;
  flaw expected;
};

void expect_flaws(std::span<const other_flawed> cases) {
  codec receiver{"us-west1", 1};
  frame result;
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto message = header();
    x.change(message);
    EXPECT_EQ(receiver.decode(message.SerializeAsString(), {}, result), x.expected);
  }
}

TEST(Wire, OtherBodiesAreCheckedToo) {
  const std::string long_name(limits::name_bytes + 1, 'x');
  const other_flawed cases[] = {
    {"no sender", [](auto& x) { x.clear_sender(); }, flaw::malformed},
    {"a long sender", [&](auto& x) { x.set_sender(long_name); }, flaw::oversized},
    {"a later version", [](auto& x) { x.set_major(2); }, flaw::other_version},
    {"no version", [](auto& x) { x.clear_major(); }, flaw::other_version},
    {"a later minor version only knows more", [](auto& x) { x.set_minor(9); }, flaw::none},
    {"two bodies",
     [](auto& x) {
       x.mutable_hello();
       x.mutable_refusal();
     },
     flaw::malformed},
    {"a command without an id", [](auto& x) { x.mutable_command()->set_kind("k"); },
     flaw::out_of_range},
    {"a command of no kind", [](auto& x) { x.mutable_command()->set_id(1); }, flaw::malformed},
    {"no line", [](auto& x) { x.mutable_telemetry()->set_first(1); }, flaw::malformed},
    {"a line 0", [](auto& x) { x.mutable_telemetry()->add_line("x"); }, flaw::out_of_range},
    {"a line after the last number",
     [](auto& x) {
       x.mutable_telemetry()->set_first(~0ULL);
       x.mutable_telemetry()->add_line("x");
     },
     flaw::out_of_range},
    {"a long line",
     [](auto& x) {
       x.mutable_telemetry()->set_first(1);
       x.mutable_telemetry()->add_line(std::string(limits::telemetry_bytes + 1, 'x'));
     },
     flaw::oversized},
  };
  expect_flaws(cases);
}

TEST(Wire, StatesAreCheckedToo) {
  const std::string long_name(limits::name_bytes + 1, 'x');
  const auto state = [](wire::Frame& x) -> wire::HealthState& {
    auto& h = *x.mutable_health();
    h.set_resource("a");
    h.set_region("b");
    return h;
  };
  const auto zone = [&](wire::Frame& x, const char* name, const endpoint_counts& counts) {
    auto& z = *state(x).add_endpoints();
    z.set_zone(name);
    z.set_total(counts.total);
    z.set_healthy(counts.healthy);
    z.set_unknown(counts.unknown);
  };
  const other_flawed cases[] = {
    {"a state of nothing", [&](auto& x) { state(x).clear_resource(); }, flaw::malformed},
    {"a long region", [&](auto& x) { state(x).set_region(long_name); }, flaw::oversized},
    {"no such state", [&](auto& x) { state(x).set_state(static_cast<wire::Health>(3)); },
     flaw::out_of_range},
    {"no such kind", [&](auto& x) { state(x).set_kind(static_cast<wire::ResourceKind>(2)); },
     flaw::out_of_range},
    {"a stamp of no time", [&](auto& x) { state(x).set_stamp_ns(-1); }, flaw::out_of_range},
    {"a site of 17 bits", [&](auto& x) { state(x).set_cause_site(65'536); }, flaw::out_of_range},
    {"more healthy than there are", [&](auto& x) { state(x).add_endpoints()->set_healthy(1); },
     flaw::out_of_range},
    {"more without a state than are left",
     [&](auto& x) {
       zone(x, "a", {3, 2, 2});
     },
     flaw::out_of_range},
    {"more use than there can be",
     [&](auto& x) { state(x).set_utilization_milli(limits::utilization_milli + 1); },
     flaw::out_of_range},
    {"more endpoints than a zone has",
     [&](auto& x) {
       zone(x, "a", {limits::endpoints_of_zone + 1, 0, 0});
     },
     flaw::out_of_range},
    {"zones out of order",
     [&](auto& x) {
       zone(x, "b", {1, 1, 0});
       zone(x, "a", {1, 1, 0});
     },
     flaw::out_of_range},
    {"a zone twice",
     [&](auto& x) {
       zone(x, "a", {1, 1, 0});
       zone(x, "a", {1, 1, 0});
     },
     flaw::out_of_range},
    {"more zones than there may be",
     [&](auto& x) {
       for (std::size_t i = 0; i <= limits::zones; ++i)
         zone(x, std::to_string(1'000 + i).c_str(), {});
     },
     flaw::oversized},
  };
  expect_flaws(cases);
}

TEST(Wire, TextIsCutBetweenCharacters) {
  const struct {
    const char* text = "";
    std::size_t bytes = 0;
    const char* expected = "";
    const char* why = "";
  } cases[] = {
    {"abc", 5, "abc", "it is short enough"},        {"abc", 2, "ab", "characters of one byte"},
    {"a\xc3\xa4", 2, "a", "the first byte of two"}, {"a\xc3\xa4", 3, "a\xc3\xa4", "both"},
    {"\xe2\x82\xac!", 2, "", "two bytes of three"}, {"\x80\x80\x80", 2, "", "no character at all"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(cut_text(x.text, x.bytes), x.expected);
  }
}

TEST(Wire, UnknownFieldsAndBodiesAreTolerated) {
  codec receiver{"us-west1", 1};
  frame result;
  auto message = header();
  message.mutable_hello()->set_scenario_hash(5);
  // Field 1000, a varint: of a version to come.
  const auto bytes = message.SerializeAsString() + "\xc0\x3e\x07";
  ASSERT_EQ(receiver.decode(bytes, {}, result), flaw::none);
  EXPECT_EQ(result.body, frame_body{hello{5}});
  ASSERT_EQ(receiver.decode(header().SerializeAsString() + "\xc0\x3e\x07", {}, result), flaw::none);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(result.body));
}

TEST(Wire, NoPrefixOfAFrameIsTakenForABatch) {
  codec sender{"us-east1", 1};
  const std::string whole{sender.encode(requests(5))};
  codec receiver{"us-west1", 1};
  frame result;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const auto found = receiver.decode(std::string_view{whole}.substr(0, n), {}, result);
    // Cut between two fields it is a frame, but has no body yet.
    EXPECT_TRUE(found != flaw::none || std::holds_alternative<std::monostate>(result.body)) << n;
    EXPECT_TRUE(result.records.empty()) << n;
  }
  EXPECT_EQ(receiver.decode(std::string(limits::frame_bytes + 1, '\0'), {}, result),
            flaw::oversized);
}

} // namespace
} // namespace spillover::net
