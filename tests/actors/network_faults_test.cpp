#include "report/verdict.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instances_become;
using test::small_world;
using test::whole_run;

constexpr auto onset = run_start + 20s;

// The events of one payload, of one entity if named.
template <class T>
std::vector<event> all(const event_log& log, std::string_view entity = {}) {
  std::vector<event> result;
  for (const auto& x : log.events())
    if (std::holds_alternative<T>(x.what) && (entity.empty() || x.entity == entity))
      result.push_back(x);
  return result;
}

books_closed books_of(const event_log& log, std::string_view account, std::string_view entity,
                      std::string_view counterpart) {
  for (const auto& x : all<books_closed>(log, entity))
    if (const auto& y = std::get<books_closed>(x.what);
        y.account == account && y.counterpart == counterpart)
      return y;
  ADD_FAILURE() << account << " " << entity << " " << counterpart;
  return {};
}

std::uint64_t ended(const books_closed& x, outcome how) {
  return x.ended[static_cast<std::size_t>(how)];
}

// When the consumer's routing changed, and to what; without the start.
std::string routes(const event_log& log, std::string_view entity = "clients/lb") {
  std::string result;
  for (const auto& x : all<routing_changed>(log, entity))
    if (x.at > run_start)
      result += to_string(x.at - run_start) + " " + std::get<routing_changed>(x.what).after + "\n";
  return result;
}

std::string endpoint_steps(const event_log& log, instant from) {
  std::string result;
  for (const auto& x : all<endpoint_changed>(log))
    if (x.at >= from)
      result += to_string(x.at - run_start) + " " + x.entity + " "
                + std::string{to_string(std::get<endpoint_changed>(x.what).after)} + "\n";
  return result;
}

// What consumers saw from an instant on, second by second.
std::string seconds_after(const event_log& log, instant from) {
  std::string result;
  for (const auto& x : all<client_sample>(log))
    if (x.at > from) {
      auto copy = x;
      copy.id = {};
      result += to_json(copy, log.sites()) + "\n";
    }
  return result;
}

const link_symptom ailments[] = {
  {.become = link_ailment::cut},
  {.become = link_ailment::delayed, .by = 700ms},
  {.become = link_ailment::jittery, .by = 700ms},
  {.become = link_ailment::lossy, .share = 0.3},
  {.become = link_ailment::duplicating, .share = 0.6},
  {.become = link_ailment::reordering, .by = 300ms, .share = 0.4},
  {.become = link_ailment::limited, .by = 400ms, .per_second = 25},
};

struct way {
  const char* why;
  link_fault what;
};

const way ways[] = {
  {"requests", {.from = "clients", .to = "near"}},
  {"answers", {.from = "near", .to = "clients"}},
  {"health", {.from = "near", .to = "clients", .data = false, .health = true}},
  {"everything", {.from = "clients", .to = "near", .both = true, .health = true}},
};

scenario impatient_world() {
  auto x = small_world();
  x.lasts = 80s;
  x.consumers[0].load_balancer.timeout = 2s;
  // So that links draw, and a draw too many would show.
  for (auto& link : x.links)
    for (auto& plane : link.planes)
      plane.jitter = 3ms;
  return x;
}

TEST(LinkFaultsOfAWorld, BooksBalanceUnderEachOnEveryWayAndAtTheEndOfTheRun) {
  for (const auto& suffer : ailments)
    for (const auto& w : ways)
      for (const bool ends : {true, false}) {
        SCOPED_TRACE(std::string{to_string(suffer.become)} + " " + w.why);
        auto x = impatient_world();
        auto what = w.what;
        what.suffer = suffer;
        x.faults = {
          {.at = onset, .lasts = ends ? std::optional<duration>{20s} : std::nullopt, .what = what}};
        const whole_run run{x};
        EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
        EXPECT_EQ(all<fault_applied>(run.log()).size(), (what.both ? 2u : 1u) * (ends ? 2u : 1u));
      }
}

TEST(LinkFaultsOfAWorld, BooksBalanceUnderAllOfThemInEveryOverlap) {
  auto x = impatient_world();
  auto at = run_start + 10s;
  for (const auto& suffer : ailments)
    for (const auto& w : ways) {
      auto what = w.what;
      what.suffer = suffer;
      if (suffer.become == link_ailment::cut)
        what.data = false;
      x.faults.push_back({.at = at += 1300ms, .lasts = 9s, .what = what});
    }
  x.faults.push_back(instances_become(ailment::silent, run_start + 25s, 10s, 0.5));
  const whole_run run{x};
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
  EXPECT_GT(books_of(run.log(), "link", "clients/link/near", "data").duplicated, 0u);
  EXPECT_GT(books_of(run.log(), "link", "near/link/clients", "data").duplicated, 0u);
}

TEST(LinkFaultsOfAWorld, LeaveNoTraceInWhatConsumersSeeLater) {
  const whole_run calm{impatient_world()};
  const auto later = onset + 20s + 3s;
  const auto expected = seconds_after(calm.log(), later);
  for (const auto& suffer : ailments) {
    SCOPED_TRACE(to_string(suffer.become));
    auto x = impatient_world();
    // What the load balancer tries again would draw.
    x.consumers[0].load_balancer.retries = 0;
    x.faults = {{.at = onset,
                 .lasts = 20s,
                 .what = link_fault{.from = "near", .to = "clients", .suffer = suffer}}};
    const whole_run run{x};
    EXPECT_EQ(seconds_after(run.log(), later), expected);
    EXPECT_NE(seconds_after(run.log(), onset), seconds_after(calm.log(), onset));
  }
}

TEST(LinkFaultsOfAWorld, ADuplicatedRequestIsServedTwiceAndAnsweredOnce) {
  auto x = small_world();
  const link_fault twice{
    .from = "clients", .to = "near", .suffer = {.become = link_ailment::duplicating, .share = 1}};
  x.faults = {{.at = onset, .lasts = 10s, .what = twice}};
  const whole_run run{x};
  const auto& log = run.log();
  const auto tries = books_of(log, "attempts", "clients/lb", "near");
  const auto served = books_of(log, "service", "near/shop", "clients");
  const auto link = books_of(log, "link", "clients/link/near", "data");
  EXPECT_NEAR(static_cast<double>(link.duplicated), 400, 80);
  EXPECT_EQ(link.taken, tries.taken + link.duplicated);
  EXPECT_EQ(served.taken, link.taken);
  EXPECT_EQ(tries.late, link.duplicated);
  const auto clients = books_of(log, "consumer", "clients/clients", "");
  EXPECT_EQ(clients.taken, ended(clients, outcome::ok) + clients.in_flight);
}

TEST(LinkFaultsOfAWorld, ADuplicatedAnswerIsLate) {
  auto x = small_world();
  const link_fault twice{
    .from = "near", .to = "clients", .suffer = {.become = link_ailment::duplicating, .share = 1}};
  x.faults = {{.at = onset, .lasts = 10s, .what = twice}};
  const whole_run run{x};
  const auto& log = run.log();
  const auto tries = books_of(log, "attempts", "clients/lb", "near");
  EXPECT_EQ(tries.late, books_of(log, "link", "near/link/clients", "data").duplicated);
  EXPECT_EQ(books_of(log, "service", "near/shop", "clients").taken, tries.taken);
}

TEST(LinkFaultsOfAWorld, ADuplicatedStateIsTakenOnce) {
  auto x = small_world();
  x.faults = {instances_become(ailment::crashed, onset, 40s, 1)};
  const whole_run once{x};
  const link_fault twice{.from = "near",
                         .to = "clients",
                         .data = false,
                         .health = true,
                         .suffer = {.become = link_ailment::duplicating, .share = 1}};
  x.faults.push_back({.at = run_start, .what = twice});
  const whole_run run{x};
  EXPECT_GT(books_of(run.log(), "link", "near/link/clients", "health").duplicated, 0u);
  EXPECT_EQ(routes(run.log()), routes(once.log()));
  EXPECT_EQ(all<neg_changed>(run.log()).size(), all<neg_changed>(once.log()).size());
}

TEST(LinkFaultsOfAWorld, AnOvertakenStateDoesNotComeBack) {
  auto x = small_world();
  // A state held back for 15 s arrives after its successor, or after a repetition of itself.
  const link_fault held{.from = "near",
                        .to = "clients",
                        .data = false,
                        .health = true,
                        .suffer = {.become = link_ailment::reordering, .by = 15s, .share = 0.5}};
  x.faults = {{.at = run_start, .what = held}, instances_become(ailment::crashed, onset, 15s, 1)};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    x.seed = seed;
    const whole_run run{x};
    std::uint64_t newest = 0;
    for (const auto& e : all<neg_changed>(run.log()))
      if (const auto& y = std::get<neg_changed>(e.what); y.region == "near") {
        EXPECT_GT(y.generation, newest);
        newest = y.generation;
      }
  }
}

TEST(LinkFaultsOfAWorld, ALimitPassesItsRate) {
  auto x = impatient_world();
  x.consumers[0].load_balancer.retries = 0;
  const link_fault narrow{
    .from = "clients",
    .to = "near",
    .suffer = {.become = link_ailment::limited, .by = 500ms, .per_second = 20}};
  x.faults = {{.at = onset, .lasts = 30s, .what = narrow}};
  const whole_run run{x};
  std::uint64_t arrived = 0;
  for (const auto& e : all<revision_sample>(run.log(), "near/shop/web"))
    if (e.at > onset + 2s && e.at <= onset + 30s)
      arrived += std::get<revision_sample>(e.what).arrivals;
  EXPECT_NEAR(static_cast<double>(arrived), 28 * 20, 1);
  // Of 1,200 requests some 600 pass while it lies, and 10 more wait.
  const auto clients = books_of(run.log(), "consumer", "clients/clients", "");
  EXPECT_NEAR(static_cast<double>(ended(clients, outcome::lb_timeout)), 590, 150);
}

// Propagation to one consumer is the health plane of one link, one way.
TEST(LinkFaultsOfAWorld, OneConsumerMissesAStateThatAnotherLearns) {
  auto x = small_world();
  auto others = x.consumers[0];
  others.name = "others";
  x.consumers.push_back(others);
  for (std::size_t i = 0; i < 4; ++i) {
    auto link = x.links[i];
    (link.from == "clients" ? link.from : link.to) = "others";
    x.links.push_back(link);
  }
  const link_fault deaf{.from = "near", .to = "clients", .data = false, .health = true};
  x.faults = {instances_become(ailment::crashed, onset, 90s, 1),
              {.at = onset, .lasts = 40s, .what = deaf}};
  const whole_run run{x};
  const auto first_change = [&run](std::string_view who) {
    return all<routing_changed>(run.log(), who).at(1).at;
  };
  EXPECT_LT(first_change("others/lb"), onset + 15s);
  EXPECT_GT(first_change("clients/lb"), onset + 40s);
  EXPECT_LE(first_change("clients/lb"), onset + 40s + 14s);
}

fault probers_are(prober_ailment become, instant at, duration lasts,
                  std::optional<std::uint32_t> count = std::nullopt) {
  return {.at = at, .lasts = lasts, .what = prober_fault{"near/shop/web", become, count}};
}

TEST(ProberFaults, ProbersThatAreCutOffTakeAHealthyRegionAway) {
  auto x = small_world();
  x.faults = {probers_are(prober_ailment::cut_off, onset, 40s)};
  const whole_run run{x};
  const auto& log = run.log();
  EXPECT_EQ(audit(log), std::vector<std::string>{});
  const auto changes = all<routing_changed>(log, "clients/lb");
  ASSERT_EQ(changes.size(), 3u);
  // GB-17: as for silence.
  EXPECT_GE(changes[1].at, onset + 13s);
  EXPECT_LE(changes[1].at, onset + 20s);
  EXPECT_EQ(std::get<routing_changed>(changes[2].what).after, "near");
  EXPECT_GT(changes[2].at, onset + 40s);
  // Nobody was ill.
  const auto clients = books_of(log, "consumer", "clients/clients", "");
  EXPECT_EQ(clients.taken, ended(clients, outcome::ok) + clients.in_flight);

  const auto failovers = judge(log, {}, {}).failovers;
  ASSERT_EQ(failovers.size(), 1u);
  EXPECT_EQ(failovers[0].fault_detail, "probers near/shop/web: all cut off");
  EXPECT_EQ(failovers[0].fault_at, onset);
  for (const auto& e : all<endpoint_changed>(log)) {
    if (e.at < onset)
      continue;
    const auto* cause = log.find(e.cause);
    ASSERT_NE(cause, nullptr);
    const auto* applied = std::get_if<fault_applied>(&cause->what);
    ASSERT_NE(applied, nullptr) << kind_of(*cause);
    EXPECT_EQ(applied->active, std::get<endpoint_changed>(e.what).after == health::unhealthy);
    EXPECT_EQ(cause->entity, "near/shop/web/probers");
  }
}

TEST(ProberFaults, AMinorityThatIsCutOffChangesNothing) {
  auto x = small_world();
  x.faults = {probers_are(prober_ailment::cut_off, onset, 40s, 1)};
  EXPECT_EQ(endpoint_steps(whole_run{x}.log(), onset), "");
  x.faults = {probers_are(prober_ailment::cut_off, onset, 40s, 2)};
  EXPECT_NE(endpoint_steps(whole_run{x}.log(), onset), "");
}

TEST(ProberFaults, AGroupThatLostItsQuorumKeepsItsState) {
  for (const std::uint32_t count : {2U, 3U}) {
    SCOPED_TRACE(count);
    auto x = small_world();
    x.faults = {probers_are(prober_ailment::lost, onset, 50s, count),
                instances_become(ailment::crashed, onset + 10s, 90s, 1)};
    const whole_run run{x};
    const auto changes = all<endpoint_changed>(run.log());
    for (const auto& e : changes)
      EXPECT_TRUE(e.at < onset || e.at > onset + 50s);
    // Afterwards probes find what is, within two intervals.
    EXPECT_EQ(
      std::count_if(changes.begin(), changes.end(),
                    [](const event& e) { return e.at > onset + 50s && e.at <= onset + 60s; }),
      4);
    EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
  }
}

TEST(ProberFaults, OneLostProberOfThreeIsNotMissed) {
  auto x = small_world();
  x.faults = {probers_are(prober_ailment::lost, onset, 80s, 1),
              instances_become(ailment::crashed, onset + 10s, 60s, 1)};
  const whole_run run{x};
  const auto changes = all<routing_changed>(run.log(), "clients/lb");
  ASSERT_GE(changes.size(), 2u);
  EXPECT_LE(changes[1].at, onset + 10s + 15s);
}

TEST(ProberFaults, AfterwardsEveryProbeIsWhereItWouldHaveBeen) {
  auto x = small_world();
  x.faults = {instances_become(ailment::silent, run_start + 70s, 30s, 1)};
  const auto expected = endpoint_steps(whole_run{x}.log(), run_start + 60s);
  EXPECT_NE(expected, "");
  for (const auto become : {prober_ailment::lost, prober_ailment::cut_off}) {
    SCOPED_TRACE(to_string(become));
    auto y = x;
    y.faults.push_back(probers_are(become, onset, 20s));
    EXPECT_EQ(endpoint_steps(whole_run{y}.log(), run_start + 60s), expected);
  }
}

TEST(ConsumerFaults, ACutOffConsumerReachesNobodyAndHearsNothing) {
  auto x = impatient_world();
  x.lasts = 120s;
  x.faults = {{.at = onset, .lasts = 40s, .what = consumer_fault{"clients"}},
              instances_become(ailment::crashed, onset + 5s, 90s, 1)};
  const whole_run run{x};
  const auto& log = run.log();
  EXPECT_EQ(audit(log), std::vector<std::string>{});
  for (const auto& e : all<revision_sample>(log)) {
    if (e.at > onset + 1s && e.at <= onset + 40s) {
      EXPECT_EQ(std::get<revision_sample>(e.what).arrivals, 0u) << e.entity;
    }
  }
  for (const auto& e : all<neg_changed>(log))
    EXPECT_TRUE(e.at < onset || e.at > onset + 40s);
  // Both ways of both links, and back.
  EXPECT_EQ(all<fault_applied>(log).size(), 4u * 2 + 2);
  EXPECT_NE(routes(log), "");
}

TEST(ClockFaults, ChangeStampsAndNothingElse) {
  auto x = small_world();
  x.faults = {instances_become(ailment::crashed, onset, 40s, 1)};
  const whole_run right{x};
  for (const auto ahead : {duration{3s}, duration{-90s}}) {
    auto y = x;
    y.faults.push_back({.at = onset - 1s, .lasts = 30s, .what = clock_fault{"near", ahead}});
    y.faults.push_back({.at = onset - 1s, .lasts = 30s, .what = clock_fault{"clients", -1s}});
    const whole_run run{y};
    EXPECT_EQ(routes(run.log()), routes(right.log()));
    EXPECT_EQ(seconds_after(run.log(), run_start), seconds_after(right.log(), run_start));
    EXPECT_EQ(endpoint_steps(run.log(), run_start), endpoint_steps(right.log(), run_start));
    const auto ages = all<neg_changed>(run.log());
    const auto true_ages = all<neg_changed>(right.log());
    ASSERT_EQ(ages.size(), true_ages.size());
    for (std::size_t i = 0; i < ages.size(); ++i) {
      const auto& e = ages[i];
      const auto skewed =
        e.at > onset - 1s && e.at < onset + 29s && std::get<neg_changed>(e.what).region == "near";
      const auto& expected = std::get<neg_changed>(true_ages[i].what);
      EXPECT_EQ(duration{std::get<neg_changed>(e.what).age_ns},
                duration{expected.age_ns} - (skewed ? ahead + 1s : 0s));
      EXPECT_EQ(duration{expected.age_ns},
                true_ages[i].at - right.log().find(true_ages[i].cause)->at);
    }
    const auto notes = judge(run.log(), {}, {}).notes;
    EXPECT_EQ(std::count_if(notes.begin(), notes.end(),
                            [](const auto& note) { return note.starts_with("by the sites'"); }),
              1);
  }
}

TEST(ClockFaults, OfOneSiteAddUp) {
  auto x = small_world();
  for (const auto ahead : {2s, 5s})
    x.faults.push_back({.at = run_start, .lasts = 30s, .what = clock_fault{"clients", ahead}});
  x.faults.push_back(instances_become(ailment::crashed, run_start + 60s, 30s, 1));
  const whole_run run{x};
  for (const auto& e : all<neg_changed>(run.log())) {
    const auto truly = e.at - run.log().find(e.cause)->at;
    const auto off = e.at < run_start + 30s ? 7s : 0s;
    EXPECT_EQ(duration{std::get<neg_changed>(e.what).age_ns}, truly + off);
  }
}

} // namespace
} // namespace spillover
