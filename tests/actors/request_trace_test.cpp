#include "report/why_request.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instances_become;
using test::small_world;

/// A run to its end in which some requests of "clients" are followed.
class traced_run {
public:
  traced_run(const scenario& x, const std::vector<std::uint64_t>& numbers) : world_(x) {
    for (const auto number : numbers)
      world_.trace("clients", number);
    world_.run_until(run_start + x.lasts);
  }

  [[nodiscard]] const world& live() const { return world_; }
  [[nodiscard]] std::vector<traced_request> requests() const { return world_.traced().requests(); }

  [[nodiscard]] std::vector<request_line> lines(std::size_t place = 0) const {
    return explain(event_index{world_.log()}, requests().at(place));
  }

  /// @returns the whole story, for searching.
  [[nodiscard]] std::string text(std::size_t place = 0) const {
    return to_text(event_index{world_.log()}, requests().at(place), "");
  }

private:
  world world_;
};

/// @returns the requests of a run that are kept for a reason.
std::vector<kept_request> kept(const scenario& x, bool kept_request::*reason) {
  const test::whole_run run{x};
  auto all = run.ended().kept().requests;
  std::erase_if(all, [reason](const kept_request& y) { return !(y.*reason); });
  return all;
}

std::vector<std::uint64_t> numbers_of(const std::vector<kept_request>& from) {
  std::vector<std::uint64_t> result;
  for (const auto& x : from)
    result.push_back(x.what.number);
  return result;
}

TEST(RequestTrace, TheFirstRequestTakesWhatItsHopsTake) {
  auto x = small_world();
  x.lasts = 2s;
  const traced_run run{x, {1}};
  std::string text;
  for (const auto& line : run.lines())
    text += std::to_string(line.span / 1us) + " " + line.text + "\n";
  // 5 ms of link, 10 ms of CPU, 40 ms of waiting, 5 ms of link.
  EXPECT_EQ(text, "0 due at clients\n"
                  "0 its client sends it\n"
                  "0 the load balancer sends it to near\n"
                  "5000 near/shop takes it\n"
                  "0 near/shop/web/0 gets it\n"
                  "10000 near/shop/web/0 is through with the CPU part, and waits for 40 ms\n"
                  "40000 near/shop/web/0 answers ok\n"
                  "5000 the load balancer gets the answer ok from near\n"
                  "0 its client has the answer\n");
  EXPECT_EQ(run.lines()[2].because.substr(0, 43), "clients/lb prefers near, the first time (0.");
}

/// Every fault that there is, retries of both kinds, and a closed loop beside the open one.
scenario troubled_world() {
  auto x = small_world();
  x.consumers[0].load_balancer.timeout = 3s;
  x.consumers[0].load_balancer.retries = 0;
  x.consumers[0].client.timeout = 2s;
  x.consumers[0].client.retries = 1;
  x.consumers[0].traffic.emplace_back(closed_loop_config{5, constant_distribution{200ms}});
  const link_fault cut{.from = "clients", .to = "near", .both = true};
  x.faults = {instances_become(ailment::silent, run_start + 20s, 15s, 0.5),
              instances_become(ailment::failing, run_start + 40s, 10s, 0.5),
              instances_become(ailment::crashed, run_start + 60s, 10s, 0.5),
              {run_start + 80s, 5s, cut}};
  return x;
}

TEST(RequestTrace, TheHopsOfEveryRequestAddUpToItsLatency) {
  const auto x = troubled_world();
  const test::whole_run run{x};
  const auto all = run.ended().kept().requests;
  ASSERT_GT(all.size(), 500u);
  std::set<outcome> outcomes;
  for (const auto& y : all)
    outcomes.insert(y.what.how);
  EXPECT_GE(outcomes.size(), 2u) << "a run without failures would show little";
  const traced_run again{x, numbers_of(all)};
  EXPECT_EQ(again.live().traced().open(), 0u);
  const auto traced = again.requests();
  ASSERT_EQ(traced.size(), all.size());
  const event_index index{again.live().log()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].what.number);
    const auto lines = explain(index, traced[i]);
    const auto sum = std::accumulate(lines.begin(), lines.end(), duration{},
                                     [](duration a, const request_line& b) { return a + b.span; });
    ASSERT_EQ(sum, all[i].what.latency());
    ASSERT_EQ(lines.front().at, all[i].what.intended);
    ASSERT_EQ(lines.back().at, all[i].what.ended);
    ASSERT_TRUE(std::all_of(lines.begin(), lines.end(),
                            [](const request_line& y) { return y.span >= duration::zero(); }));
    ASSERT_EQ(traced[i].hops.back().how, all[i].what.how);
  }
}

TEST(RequestTrace, FollowingRequestsChangesNothing) {
  const auto x = troubled_world();
  const traced_run traced{x, {1, 2, 3, 1000}};
  const traced_run plain{x, {}};
  ASSERT_EQ(traced.live().log().events().size(), plain.live().log().events().size());
  EXPECT_EQ(traced.live().records(), plain.live().records());
  const auto& sites = plain.live().log().sites();
  for (std::size_t i = 0; i < plain.live().log().events().size(); ++i)
    ASSERT_EQ(to_json(traced.live().log().events()[i], sites),
              to_json(plain.live().log().events()[i], sites));
}

// What each kind of failure looks like; the first request that failed so is told.
TEST(RequestTrace, SaysWhatLayOnTheHop) {
  const link_fault cut{.from = "clients", .to = "near", .both = false};
  const link_fault back{.from = "near", .to = "clients", .both = false};
  struct {
    const char* why;
    fault what;
    outcome how;
    const char* said;
    const char* because;
  } cases[] = {
    {"a silent instance", instances_become(ailment::silent, run_start + 20s, 60s, 0.5),
     outcome::lb_timeout, "the load balancer gives up waiting for near/shop/web/",
     "becomes silent (20.000 s, near#"},
    {"a failing instance", instances_become(ailment::failing, run_start + 20s, 60s, 1),
     outcome::unavailable, " answers unavailable", "becomes failing (20.000 s, near#"},
    {"a crashed instance", instances_become(ailment::crashed, run_start + 20s, 60s, 0.5),
     outcome::bad_gateway, "near/shop answers bad gateway", "becomes crashed (20.000 s, near#"},
    {"a link that is cut on the way there",
     {run_start + 20s, 60s, cut},
     outcome::lb_timeout,
     "the load balancer gives up waiting: near has not got it",
     "the link clients -> near is cut (20.000 s, clients#"},
    {"a link that is cut on the way back",
     {run_start + 20s, 60s, back},
     outcome::lb_timeout,
     "the load balancer gives up waiting for the answer of near/shop, which is on its way",
     "the link near -> clients is cut (20.000 s, near#"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    auto x = small_world();
    x.lasts = 30s;
    x.consumers[0].load_balancer.timeout = 2s;
    x.consumers[0].load_balancer.retries = 0;
    x.faults = {c.what};
    const auto failed = kept(x, &kept_request::failed);
    ASSERT_FALSE(failed.empty());
    EXPECT_EQ(failed.front().what.how, c.how);
    const auto text = traced_run{x, {failed.front().what.number}}.text();
    const auto line = text.find(c.said);
    ASSERT_NE(line, std::string::npos) << text;
    EXPECT_NE(text.find(c.because, line), std::string::npos) << text;
  }
}

// The 850th request is sent about a second after its region has fallen silent.
TEST(RequestTrace, SaysWhatHappenedToASingleTry) {
  load_balancer_config limited;
  limited.per_try_timeout = 500ms;
  auto hedged = limited;
  hedged.hedge_on_per_try_timeout = true;
  load_balancer_config drained;
  drained.connection_draining_timeout = 100ms;
  load_balancer_config alone;
  alone.circuit_breakers =
    circuit_breaker_config{.protocol = upstream_protocol::http1, .max_connections = 1};
  struct {
    const char* why;
    load_balancer_config config;
    const char* said;
    const char* then;
  } const cases[] = {
    {"given up", limited, "the load balancer gives its try in near up: its own time is over",
     "the load balancer sends it to far, its try 2"},
    {"hedged", hedged, "the time of its try in near is over; it goes on beside what comes next",
     "the load balancer sends it to far, its try 2"},
    {"cut off", drained, "the load balancer cuts its try in near off: draining has lasted its time",
     "the load balancer sends it to far, its try 2"},
    {"without a connection", alone, "its try for near waits for a connection there", nullptr},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    auto x = small_world();
    x.lasts = 60s;
    x.consumers[0].load_balancer = c.config;
    x.faults = {instances_become(ailment::silent, run_start + 20s, 40s, 1)};
    const auto text = traced_run{x, {850}}.text();
    const auto line = text.find(c.said);
    ASSERT_NE(line, std::string::npos) << text;
    if (c.then != nullptr) {
      EXPECT_NE(text.find(c.then, line), std::string::npos) << text;
      EXPECT_NE(text.find("the load balancer gets the answer ok from far"), std::string::npos)
        << text;
    }
  }
}

TEST(RequestTrace, SaysThatARetryMendedIt) {
  auto x = small_world();
  x.lasts = 30s;
  x.faults = {instances_become(ailment::failing, run_start + 20s, 10s, 1)};
  const test::whole_run run{x};
  // The first request after the onset.
  const auto before = [&] {
    auto y = x;
    y.lasts = 20s;
    const test::whole_run half{y};
    for (const auto& e : half.log().events())
      if (const auto* books = std::get_if<books_closed>(&e.what);
          books && books->account == "consumer")
        return books->taken;
    return std::uint64_t{0};
  }();
  const auto text = traced_run{x, {before + 5}}.text();
  EXPECT_NE(text.find("answers unavailable"), std::string::npos) << text;
  EXPECT_NE(text.find("the load balancer sends it to far, its try 2"), std::string::npos) << text;
  EXPECT_NE(text.find("ok after "), std::string::npos) << text;
}

TEST(RequestTrace, SaysThatItWaitedInTheQueue) {
  auto x = small_world(1);
  x.lasts = 20s;
  for (auto& service : x.published_services)
    service.backend_services[0].instance.concurrency = 1;
  const auto slow = kept(x, &kept_request::slow);
  ASSERT_FALSE(slow.empty());
  const auto text = traced_run{x, {slow.back().what.number}}.text();
  EXPECT_NE(text.find("gets it out of the pending queue"), std::string::npos) << text;
  EXPECT_NE(text.find("waited at most in the second when it came"), std::string::npos) << text;
}

TEST(RequestTrace, AClientThatTriesAgainTellsWhy) {
  auto x = small_world();
  x.lasts = 30s;
  x.consumers[0].client.timeout = 1s;
  x.consumers[0].client.retries = 1;
  x.faults = {instances_become(ailment::silent, run_start + 20s, 10s, 1)};
  const auto failed = kept(x, &kept_request::failed);
  ASSERT_FALSE(failed.empty());
  const traced_run run{x, {failed.front().what.number}};
  const auto text = run.text();
  EXPECT_NE(text.find("its client gives up waiting for near/shop/web/"), std::string::npos) << text;
  EXPECT_NE(text.find("after client timeout"), std::string::npos) << text;
  EXPECT_NE(text.find("its client sends it again, try 2"), std::string::npos) << text;
  EXPECT_NE(text.find("its client has client timeout"), std::string::npos) << text;
}

TEST(RequestTrace, ARequestThatNeverCameHasNoHops) {
  auto x = small_world();
  x.lasts = 2s;
  const traced_run run{x, {1, 1'000'000}};
  EXPECT_EQ(run.live().traced().open(), 1u);
  EXPECT_TRUE(run.requests()[1].hops.empty());
}

/// @returns whether a proxy had ejected a region before an instant, and not taken it back before the next one.
bool ejected(const event_log& log, std::uint32_t proxy, const std::string& region, instant at) {
  auto result = false;
  for (const auto& e : log.events()) {
    const auto* x = std::get_if<outlier_changed>(&e.what);
    if (x == nullptr || e.at > at || x->proxy != proxy || x->region != region)
      continue;
    if (x->action == outlier_action::ejected && e.at < at)
      result = true;
    else if (x->action == outlier_action::returned)
      result = false;
  }
  return result;
}

TEST(RequestTrace, B_48_SaysWhichProxySentItAndNoneSendsToWhatItEjected) {
  auto x = small_world();
  x.lasts = 60s;
  x.published_services.front().composite_health.reset();
  x.published_services.back().composite_health.reset();
  auto& lb = x.consumers.front().load_balancer;
  lb.proxies = 3;
  lb.retries = 1;
  lb.outlier_detection.emplace();
  auto failing = instances_become(ailment::failing, run_start + 20s, 20s, 1);
  std::get<instance_fault>(failing.what).suffer.error_fraction = 1;
  x.faults = {failing};
  std::vector<std::uint64_t> numbers(1'500);
  std::iota(numbers.begin(), numbers.end(), 1);
  const traced_run run{x, numbers};
  std::set<std::uint32_t> senders;
  std::size_t avoided = 0;
  for (const auto& request : run.requests())
    for (const auto& hop : request.hops) {
      if (hop.what != request_step::balancer_sent)
        continue;
      senders.insert(hop.proxy);
      ASSERT_FALSE(ejected(run.live().log(), hop.proxy, hop.who, hop.at)) << request.number;
      avoided += ejected(run.live().log(), hop.proxy, "near", hop.at) ? 1 : 0;
    }
  EXPECT_EQ(senders, (std::set<std::uint32_t>{1, 2, 3}));
  EXPECT_GT(avoided, 100u) << "the property says little otherwise";
  const auto first = run.requests().front().hops[2].proxy;
  EXPECT_EQ(run.lines()[2].text,
            "proxy " + std::to_string(first) + " of the load balancer sends it to near");
}

} // namespace
} // namespace spillover
