#include "actors/messages.hpp"
#include "actors/world.hpp"
#include "report/event_index.hpp"
#include "report/verdict.hpp"
#include "scenario/plan.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::small_world;

/// The sites of a scenario, each a world of its own, moved on in turns that are shorter than any link.
class parts {
public:
  explicit parts(const scenario& x) : spec_(x), sites_(plan_sites(x)) {
    for (const auto& name : sites_)
      add(name, {name, nullptr});
    for (auto& [name, part] : parts_)
      part.is->go_live();
  }

  world& of(const std::string& site) { return *parts_.at(site).is; }

  void run_until(instant to, const std::string& without = "") {
    while (now_ < to) {
      now_ = std::min<instant>(now_ + 1ms, to);
      // Consumers last: a region may bring one forward to tell it something.
      for (auto name = sites_.begin(); name != sites_.end(); ++name)
        if (*name != without)
          of(*name).run_until(now_);
    }
  }

  /// Replaces the process of a site that was lost just now.
  void restart(const std::string& site, std::uint32_t incarnation) {
    for (const auto& x : parts_.at(site).is->log().events())
      ended_.push_back(x);
    parts_.erase(site);
    world_part part{site, nullptr};
    part.incarnation = incarnation;
    part.first_event = 1'000'001;
    part.late = true;
    add(site, part);
    of(site).run_until(now_);
    of(site).go_live();
  }

  /// @returns everything that all of them recorded, books closed.
  event_log finish() {
    std::uint64_t on_the_way = 0;
    std::vector<event> all = ended_;
    for (auto& [name, part] : parts_) {
      on_the_way += part.is->close_part();
      for (const auto& x : part.is->log().events())
        all.push_back(x);
    }
    auto result = join_events(sites_, all);
    result.record(now_, "director", {}, run_ended{on_the_way});
    return result;
  }

private:
  // NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
  struct wire final : gate {
    parts& all;
    std::string from;
    wire(parts& x, std::string site) : all(x), from(std::move(site)) {}
    void ship(std::uint16_t site, const record& x, instant due) override {
      if (all.to(site).may_take(x))
        all.to(site).take(x, due);
      else
        ++all.refused;
    }
    void tell(std::uint16_t site, const service_health& x) override { listener(site).take(x); }
    void tell(std::uint16_t site, const service_endpoints& x) override { listener(site).take(x); }

    /// A state is taken when it comes, which must be at the same instant.
    world& listener(std::uint16_t site) {
      auto& to = all.to(site);
      to.run_until(std::max(to.now(), all.of(from).now()));
      return to;
    }
  };

  struct entry {
    std::unique_ptr<wire> others;
    std::unique_ptr<world> is;
  };

  world& to(std::uint16_t site) { return *parts_.at(sites_[site]).is; }

  void add(const std::string& name, world_part part) {
    auto& x = parts_[name];
    x.others = std::make_unique<wire>(*this, name);
    part.others = x.others.get();
    x.is = std::make_unique<world>(spec_, part, site::observer{});
  }

public:
  std::uint64_t refused = 0;

private:
  const scenario spec_;
  std::vector<std::string> sites_;
  std::map<std::string, entry> parts_;
  std::vector<event> ended_;
  instant now_ = run_start;
};

/// A world with nothing in it that falls on the same instant as something else, so that whole and parts
/// agree to the byte.
scenario jittery_world() {
  auto x = small_world();
  for (auto& link : x.links)
    for (auto& plane : link.planes)
      plane = {plane.latency + 3ms, 2ms, 0};
  std::get<open_loop_config>(x.consumers.front().traffic.front()).arrivals =
    arrival_process::poisson;
  x.faults = {test::instances_become(ailment::silent, run_start + 20s, 30s, 1)};
  return x;
}

/// @returns the events of a site without its books, as lines, which hold ids and causes.
std::vector<std::string> lines_of(const event_log& log, std::uint16_t site) {
  std::vector<std::string> result;
  for (const auto& x : log.events())
    if (x.id.site == site && !std::holds_alternative<books_closed>(x.what)
        && !std::holds_alternative<bill_closed>(x.what)) {
      auto named = x;
      // The director's events are numbered in another way.
      if (named.cause.site == 0)
        named.cause = {};
      result.push_back(to_json(named, log.sites()));
    }
  return result;
}

TEST(Parts, DoTogetherWhatTheWholeDoes) {
  const auto x = jittery_world();
  const test::whole_run whole{x};
  parts split{x};
  split.run_until(run_start + x.lasts);
  const auto joined = split.finish();
  EXPECT_EQ(split.refused, 0u);
  for (std::uint16_t site = 1; site < joined.sites().size(); ++site) {
    const auto expected = lines_of(whole.log(), site);
    const auto found = lines_of(joined, site);
    ASSERT_EQ(found.size(), expected.size()) << joined.sites()[site];
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i], expected[i]);
  }
  const auto expected = judge(whole.log(), {}, {});
  const auto found = judge(joined, {}, {});
  EXPECT_EQ(found.imbalances, std::vector<std::string>{});
  ASSERT_EQ(found.failovers.size(), 1u);
  EXPECT_EQ(found.failovers[0].failover, expected.failovers[0].failover);
  EXPECT_EQ(found.failovers[0].fault_detail, expected.failovers[0].fault_detail);
  EXPECT_EQ(found.requests.started, expected.requests.started);
}

TEST(Parts, TheTimelineGoesOnWithoutTheDirector) {
  const auto x = jittery_world();
  parts split{x};
  split.run_until(run_start + 10s);
  split.run_until(run_start + 40s, "director");
  const auto& log = split.of("near").log();
  const auto hit = std::find_if(log.events().begin(), log.events().end(), [](const event& e) {
    return std::holds_alternative<fault_applied>(e.what);
  });
  ASSERT_NE(hit, log.events().end());
  EXPECT_EQ(hit->at, run_start + 20s);
  // The director's own event has this id once it is there again.
  EXPECT_EQ(hit->cause, timeline_event(0, true));
}

TEST(Parts, ALateRegionStartsEmptyAndTellsWhenItIsHealthy) {
  auto x = jittery_world();
  x.faults.clear();
  parts split{x};
  split.run_until(run_start + 60s);
  split.restart("near", 2);
  const auto& near = split.of("near");
  EXPECT_EQ(near.now(), run_start + 60s);
  split.run_until(run_start + x.lasts);
  std::vector<health> heard;
  for (const auto& e : split.of("clients").log().events())
    if (const auto* neg = std::get_if<neg_changed>(&e.what); neg && neg->region == "near")
      heard.push_back(neg->after);
  EXPECT_EQ(heard, (std::vector{health::healthy, health::unhealthy, health::healthy}));
  // Nothing of the time before is told a second time.
  EXPECT_GE(near.log().events().front().at, run_start + 60s);
  EXPECT_GE(near.log().events().front().id.number, 1'000'001u);
  EXPECT_NE(split.finish().find({1, 1}), nullptr);
}

TEST(Parts, FaultsOfOperatorsBeginAndEndWhereTheyAreTold) {
  auto x = jittery_world();
  x.faults.clear();
  parts split{x};
  split.run_until(run_start + 5s);
  auto silent = test::instances_become(ailment::silent, run_start + 10s, 60s, 1);
  for (const auto* name : {"director", "near"})
    split.of(name).add_fault(0, silent, {});
  split.run_until(run_start + 30s);
  for (const auto* name : {"director", "near"})
    split.of(name).lift_fault(0);
  split.run_until(run_start + 31s);
  std::vector<std::pair<instant, bool>> applied;
  for (const auto& e : split.of("near").log().events())
    if (const auto* what = std::get_if<fault_applied>(&e.what))
      applied.emplace_back(e.at, what->active);
  EXPECT_EQ(applied, (std::vector<std::pair<instant, bool>>{{run_start + 10s, true},
                                                            {run_start + 30s, false}}));
  EXPECT_NE(split.of("director").log().find(timeline_event(0, false)), nullptr);
}

TEST(Parts, TakeOnlyWhatSomebodyThereTakes) {
  const auto x = jittery_world();
  parts split{x};
  split.run_until(run_start + 1s);
  record stray;
  for (const auto what :
       {op::request, op::response, op::timer, op::sample, op::usage, op::connect, op::connected})
    for (entity_id to = 0; to < 30; ++to) {
      stray.what = what;
      stray.to = to;
      stray.reply_to = to;
      EXPECT_FALSE(split.of("near").may_take(stray)) << to;
      EXPECT_FALSE(split.of("clients").may_take(stray)) << to;
      EXPECT_FALSE(split.of("director").may_take(stray)) << to;
    }
}

} // namespace
