#include "report/event_log.hpp"
#include "report/verdict.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instances_become;
using test::small_world_without_composites;
using test::whole_run;

/// Two regions of four instances each, 5 and 40 ms away, without composite health, before clients that balance
/// for themselves.
scenario channel_world() {
  auto x = small_world_without_composites();
  auto& lb = x.consumers.front().load_balancer;
  lb.kind = load_balancer_kind::grpc;
  lb.timeout = 5s;
  lb.retries = 0;
  lb.grpc.connect_timeout = 6s;
  lb.grpc.back_off.jitter = 0;
  return x;
}

fault way_is_cut(instant at, duration lasts) {
  link_fault what;
  what.from = "clients";
  what.to = "near";
  what.both = true;
  what.suffer.become = link_ailment::cut;
  return {.at = at, .lasts = lasts, .what = what};
}

/// @returns what became of connections after a time, e.g. "near IDLE reset".
std::string connections(const whole_run& run, instant since) {
  std::string result;
  for (const auto& x : run.log().events())
    if (const auto* y = std::get_if<connection_changed>(&x.what); y != nullptr && x.at >= since)
      result.append(result.empty() ? "" : ", ")
        .append(y->region)
        .append(" ")
        .append(to_string(y->after))
        .append(" ")
        .append(to_string(y->reason));
  return result;
}

/// @returns where requests went, e.g. "near, far".
std::string routes(const whole_run& run) {
  std::string result;
  for (const auto& x : run.log().events())
    if (const auto* y = std::get_if<routing_changed>(&x.what))
      result.append(result.empty() ? "" : ", ").append(y->after);
  return result;
}

const books_closed* books_of(const whole_run& run, std::string_view account,
                             std::string_view counterpart) {
  for (const auto& x : run.log().events())
    if (const auto* y = std::get_if<books_closed>(&x.what);
        y != nullptr && y->account == account && y->counterpart == counterpart)
      return y;
  return nullptr;
}

void expect_balanced(const whole_run& run) {
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(ChannelWorld, ConnectsWhenTheFirstRequestComes) {
  const whole_run run{channel_world()};
  EXPECT_EQ(routes(run), "near");
  const auto& events = run.log().events();
  std::vector<const event*> told;
  for (const auto& x : events)
    if (std::holds_alternative<connection_changed>(x.what))
      told.push_back(&x);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[1]->at - told[0]->at, 10ms) << "one round trip";
  EXPECT_EQ(told[1]->cause, told[0]->id);
  const auto* calls = books_of(run, "connections", "near");
  ASSERT_NE(calls, nullptr);
  EXPECT_EQ(calls->taken, 1u) << "one connection carries all";
  expect_balanced(run);
}

TEST(ChannelWorld, AnswersAttemptsAsTheInstancesAre) {
  struct {
    const char* why = "";
    ailment how = ailment::crashed;
    const char* connections = "";
    const char* routes = "";
  } const cases[] = {
    {"crashed ones refuse, and their connections are reset", ailment::crashed,
     "near IDLE reset, near CONNECTING wanted, near TRANSIENT_FAILURE refused, "
     "far CONNECTING started, far READY accepted, near READY accepted",
     "near, far, near"},
    {"silent ones keep what they have", ailment::silent, "", "near"},
    {"and so do hung ones", ailment::hung, "", "near"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto world = channel_world();
    world.faults = {instances_become(x.how, run_start + 60s, 20s, 1)};
    const whole_run run{world};
    EXPECT_EQ(connections(run, run_start + 59s), x.connections);
    EXPECT_EQ(routes(run), x.routes);
    expect_balanced(run);
  }
}

TEST(ChannelWorld, FindsOutByPingsWhatIsSilentHungOrCutOff) {
  struct {
    const char* why = "";
    fault what = {};
  } const cases[] = {
    {"silent", instances_become(ailment::silent, run_start + 60s, 30s, 1)},
    {"hung", instances_become(ailment::hung, run_start + 60s, 30s, 1)},
    {"cut off", way_is_cut(run_start + 60s, 30s)},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto world = channel_world();
    world.consumers.front().load_balancer.grpc.keepalive = {.interval = 7s, .timeout = 2s};
    world.faults = {x.what};
    const whole_run run{world};
    const auto told = connections(run, run_start + 59s);
    EXPECT_NE(told.find("near IDLE keepalive"), std::string::npos) << told;
    const auto* cut = books_of(run, "unanswered", "near");
    ASSERT_NE(cut, nullptr);
    EXPECT_GT(cut->ended[static_cast<std::size_t>(outcome::bad_gateway)], 0u);
    expect_balanced(run);
  }
}

TEST(ChannelWorld, HungInstancesAcceptConnections) {
  for (const auto how : {ailment::hung, ailment::silent}) {
    SCOPED_TRACE(static_cast<int>(how));
    auto world = channel_world();
    world.consumers.front().load_balancer.grpc.idle_timeout = 5s;
    std::get<open_loop_config>(world.consumers.front().traffic.front()).rate = {
      {run_start, 0, false}, {run_start + 70s, 40, false}};
    world.faults = {instances_become(how, run_start + 60s, 30s, 1)};
    const whole_run run{world};
    const auto* calls = books_of(run, "connections", "near");
    ASSERT_NE(calls, nullptr);
    const auto hung = how == ailment::hung;
    EXPECT_EQ(routes(run).find("far") == std::string::npos, hung) << routes(run);
    EXPECT_EQ(calls->ended[static_cast<std::size_t>(outcome::lb_timeout)] == 0, hung);
    expect_balanced(run);
  }
}

TEST(ChannelWorld, StartsInstancesOfARegionAtZero) {
  for (const auto from_zero : {true, false}) {
    SCOPED_TRACE(from_zero);
    auto world = channel_world();
    world.consumers.front().regions = {"near"};
    world.links.resize(2);
    world.published_services.resize(1);
    world.regions = {"near"};
    auto& web = world.published_services.front().backend_services.front();
    if (from_zero)
      web.autoscaling = cloud_run_config{};
    else
      web.autoscaling = fixed_config{0};
    const whole_run run{world};
    const auto* answers = books_of(run, "balancer", "");
    ASSERT_NE(answers, nullptr);
    EXPECT_EQ(answers->ended[static_cast<std::size_t>(outcome::ok)] > 0, from_zero)
      << "an address takes connections where requests start instances";
    expect_balanced(run);
  }
}

TEST(ChannelWorld, EachChannelTellsOfItself) {
  auto world = channel_world();
  world.consumers.front().load_balancer.proxies = 3;
  world.faults = {instances_become(ailment::crashed, run_start + 60s, 20s, 0.5)};
  const whole_run run{world};
  std::vector<std::uint32_t> resets(4);
  std::uint32_t made = 0;
  for (const auto& x : run.log().events())
    if (const auto* y = std::get_if<connection_changed>(&x.what)) {
      ASSERT_GE(y->proxy, 1u);
      ASSERT_LE(y->proxy, 3u);
      resets[y->proxy] += y->reason == connection_reason::reset ? 1 : 0;
      made += y->reason == connection_reason::accepted ? 1 : 0;
    }
  const auto lost = resets[1] + resets[2] + resets[3];
  EXPECT_GE(lost, 1u) << "three of four instances have a connection, two of four crash";
  EXPECT_LE(lost, 2u);
  EXPECT_GE(made, 3 + lost);
  expect_balanced(run);
}

} // namespace
} // namespace spillover
