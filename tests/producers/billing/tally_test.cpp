#include "producers/billing/tally.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace spillover::billing {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using enum instance_state;

/// A step of an instance, a request of it, or another minimum.
struct step {
  enum class what { change, warm, begin, end, keep };
  duration at{};
  what kind = what::change;
  std::uint32_t number = 0; // of the instance, or the minimum
  instance_state before = stopped;
  instance_state after = starting;
};

step change(duration at, std::uint32_t index, instance_state before, instance_state after) {
  return {at, step::what::change, index, before, after};
}

step warm(std::uint32_t index) {
  return {0s, step::what::warm, index};
}

step keep(duration at, std::uint32_t minimum) {
  return {at, step::what::keep, minimum};
}

void apply(tally& subject, const step& x) {
  const auto now = run_start + x.at;
  switch (x.kind) {
    case step::what::change: return subject.change(now, {x.number, x.before, x.after, ""});
    case step::what::warm:
      subject.change(now, {x.number, stopped, starting, ""});
      return subject.warm(now, x.number);
    case step::what::begin: return subject.request_begins(now, x.number);
    case step::what::end: return subject.request_ends(now, x.number);
    case step::what::keep: return subject.keep(now, x.number);
  }
}

tally after(const std::vector<step>& steps, const config& how = {}, const vcpus& cpu = {}) {
  tally result{how, cpu};
  for (const auto& x : steps)
    apply(result, x);
  return result;
}

charges twice(microseconds x) {
  return {x, 2 * x};
}

// Two instances of 2 vCPUs, one of them kept, and three requests, two of which overlap.
TEST(BillingTally, AddsUpTwoInstancesAndThreeRequests) {
  auto subject = after({keep(0s, 1),
                        warm(0),
                        {10s, step::what::begin, 0},
                        {10'410ms, step::what::end, 0}, // two requests that overlap: 0.5 s
                        change(20s, 1, stopped, starting),
                        change(22'050ms, 1, starting, ready),
                        {22'050ms, step::what::begin, 1},
                        {22'180ms, step::what::end, 1}, // with the start 2.18 s: 2.2 s
                        change(90s, 1, ready, deprioritised),
                        change(90s, 1, deprioritised, draining),
                        change(90s, 1, draining, stopped)},
                       {}, {2, 2});
  const auto bill = subject.total(run_start + 100s);
  EXPECT_EQ(bill.active, twice(2'700ms));
  // 10 s, and from 10.5 s on, up to where the requests are paid for.
  EXPECT_EQ(bill.idle_minimum, twice(99'500ms));
  EXPECT_EQ(bill.life, twice(170s));
  EXPECT_EQ(bill.instances, 2u);
}

TEST(BillingTally, KeepsTheFirstOfThoseThatRun) {
  struct {
    const char* why = "";
    std::vector<step> steps = {};
    microseconds idle{};
  } const cases[] = {
    {"none without a minimum", {warm(0), warm(1)}, 0s},
    {"as many as the minimum", {keep(0s, 2), warm(0), warm(1), warm(2)}, 200s},
    {"no more than there are", {keep(0s, 5), warm(0), warm(1)}, 200s},
    {"a minimum that grows", {warm(0), warm(1), keep(40s, 2)}, 120s},
    {"and shrinks", {keep(0s, 2), warm(0), warm(1), keep(40s, 1)}, 140s},
    {"the next takes the place of one that leaves",
     {keep(0s, 1), warm(0), warm(1), change(30s, 0, ready, draining),
      change(30s, 0, draining, stopped)},
     100s},
    {"nobody does that of one that is not kept",
     {keep(0s, 1), warm(0), warm(1), change(30s, 1, ready, draining),
      change(30s, 1, draining, stopped)},
     100s},
    {"a deprioritised one runs as well",
     {keep(0s, 1), warm(0), change(30s, 0, ready, deprioritised)},
     100s},
    {"a starting one does not", {keep(0s, 1), change(0s, 0, stopped, starting)}, 0s},
    {"one that starts again has its place back",
     {keep(0s, 1),
      warm(0),
      warm(1),
      change(30s, 0, ready, crashed),
      change(30s, 0, crashed, starting),
      change(35s, 0, starting, ready),
      {35s, step::what::begin, 1}},
     100s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto subject = after(x.steps);
    EXPECT_EQ(subject.total(run_start + 100s).idle_minimum.time, x.idle);
  }
}

TEST(BillingTally, ALifeGoesOnOnlyWhenTheContainerStartsAgainAtOnce) {
  const auto start = change(0s, 0, stopped, starting);
  struct {
    const char* why = "";
    std::vector<step> steps = {};
    microseconds life{};
    microseconds active{};
  } const cases[] = {
    {"at once",
     {start, change(70s, 0, starting, crashed), change(70s, 0, crashed, starting)},
     100s,
     100s},
    {"later: 70 s, and 25 s that count as 60 s",
     {start, change(70s, 0, starting, crashed), change(75s, 0, crashed, starting)},
     130s,
     95s},
    {"never", {start, change(70s, 0, starting, crashed)}, 70s, 70s},
    {"stopped in the same instant",
     {start, change(70s, 0, starting, crashed), change(70s, 0, crashed, stopped)},
     70s,
     70s},
    {"stopped later",
     {start, change(70s, 0, starting, crashed), change(90s, 0, crashed, stopped)},
     70s,
     70s},
    {"its requests are gone with it",
     {warm(0),
      {10s, step::what::begin, 0},
      change(70s, 0, ready, crashed),
      change(80s, 0, crashed, starting),
      change(81s, 0, starting, ready)},
     130s,
     61s},
    {"while it drains",
     {warm(0), change(60s, 0, ready, draining), change(70s, 0, draining, stopped)},
     70s,
     10s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto subject = after(x.steps);
    const auto bill = subject.total(run_start + 100s);
    EXPECT_EQ(bill.life.time, x.life);
    EXPECT_EQ(bill.active.time, x.active);
  }
}

TEST(BillingTally, TellsWhatEachSecondAdded) {
  const auto seconds = [](mode how, const std::vector<step>& steps) {
    tally subject{{how, rounding::interval}, {0.5, 0.5}};
    std::vector<second_cost> result;
    auto next = steps.begin();
    for (auto at = 1s; at <= 4s; ++at) {
      for (; next != steps.end() && next->at <= at; ++next)
        apply(subject, *next);
      result.push_back(subject.take_second(run_start + at));
    }
    return result;
  };
  using list = std::vector<second_cost>;
  const std::vector<step> requests{
    keep(0s, 1), warm(0), {1s, step::what::begin, 0}, {2'050ms, step::what::end, 0}};
  EXPECT_EQ(seconds(mode::request_based, requests), (list{{0, 500}, {500, 0}, {50, 450}, {0, 500}}))
    << "half a vCPU; in the third second an end is rounded up to 0.1 s, and the pause is the rest";
  const std::vector<step> life{change(500ms, 0, stopped, starting),
                               change(2'500ms, 0, starting, stopped)};
  EXPECT_EQ(seconds(mode::instance_based, life), (list{{250, 0}, {500, 0}, {29'250, 0}, {}}))
    << "what is missing to 60 s comes at the end";
}

} // namespace
} // namespace spillover::billing
