#include "report/why_query.hpp"

#include "tests/report/log_builder.hpp"
#include "tests/support/golden.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

TEST(WhyQuery, ReadsIdsAndWords) {
  const struct {
    const char* why;
    const char* text;
    why_query expected;
  } cases[] = {
    {"an id", "us-east1#42", {.id = "us-east1#42", .entity = {}, .at = {}}},
    {"who, what, when",
     "us-west1 scaled at 5m20s",
     {.id = {}, .entity = "us-west1", .verb = "scaled", .at = run_start + 320s}},
    {"without a time the last one",
     "us-east1 unhealthy",
     {.id = {}, .entity = "us-east1", .verb = "unhealthy", .at = {}}},
    {"a path",
     "us-east1/checkout/web/7 crashed",
     {.id = {}, .entity = "us-east1/checkout/web/7", .verb = "crashed", .at = {}}},
    {"a slash at the end is nothing",
     "us-east1/ ready",
     {.id = {}, .entity = "us-east1", .verb = "ready", .at = {}}},
    {"words that people put in",
     "  us-east1  was unhealthy  at 318s ",
     {.id = {}, .entity = "us-east1", .verb = "unhealthy", .at = run_start + 318s}},
    {"only whom", "us-east1", {.id = {}, .entity = "us-east1", .verb = "changed", .at = {}}},
    {"whom and when",
     "us-east1 at 1h2m3.5s",
     {.id = {}, .entity = "us-east1", .verb = "changed", .at = run_start + 3'723'500ms}},
    {"a blank before the unit, as times are printed",
     "us-east1 routed at 316.521 s",
     {.id = {}, .entity = "us-east1", .verb = "routed", .at = run_start + 316'521ms}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::string problem;
    const auto query = parse_why_query(x.text, problem);
    ASSERT_TRUE(query) << problem;
    EXPECT_EQ(*query, x.expected);
  }
}

TEST(WhyQuery, SaysWhatIsWrong) {
  const struct {
    const char* why;
    const char* text;
    const char* said;
  } cases[] = {
    {"nothing", " ", "ENTITY [VERB] [at TIME]"},
    {"no verb", "us-east1 exploded", "'exploded' is no verb; there are: scaled, "},
    {"two verbs", "us-east1 scaled crashed", "'crashed' is no verb"},
    {"a time without its unit", "us-east1 scaled at 318", "at 318: not a time"},
    {"no time", "us-east1 scaled at", "at : not a time"},
    {"a unit that there is not", "us-east1 scaled at 3d", "at 3d: not a time"},
    {"a time before the run", "us-east1 scaled at -3s", "at -3s: not a time"},
    {"more than a clock can hold", "us-east1 scaled at 9999999h", "not a time"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::string problem;
    EXPECT_FALSE(parse_why_query(x.text, problem));
    EXPECT_NE(problem.find(x.said), std::string::npos) << problem;
  }
}

class FindEvents : public testing::Test {
protected:
  FindEvents() : run_(test::clean_failover()), index_(run_.log) {}

  static why_query parsed(std::string_view text) {
    std::string problem;
    const auto x = parse_why_query(text, problem);
    EXPECT_TRUE(x) << problem;
    return x.value_or(why_query{});
  }

  /// @returns kind, entity and time of what a question is about.
  [[nodiscard]] std::string best(std::string_view text) const {
    const auto found = find_events(index_, parsed(text));
    if (found.best == nullptr)
      return "nothing";
    return std::string{kind_of(*found.best)} + " " + found.best->entity + " "
           + std::to_string(found.best->at.time_since_epoch() / 1ms);
  }

  test::log_builder run_;
  event_index index_;
};

TEST_F(FindEvents, TakesWhatSaysMostThenWhatIsNearest) {
  const struct {
    const char* why;
    const char* text;
    const char* expected;
  } cases[] = {
    {"the composite before its endpoints", "us-east1 unhealthy",
     "composite_changed us-east1/checkout/composite 314300"},
    {"an endpoint when it is asked about", "us-east1/checkout/web/3 unhealthy",
     "endpoint_changed us-east1/checkout/web/3 311700"},
    {"what a consumer saw", "clients-east unhealthy", "neg_changed clients-east/lb 316800"},
    {"the last one without a time", "clients-east routed",
     "routing_changed clients-east/lb 673900"},
    {"the nearest before", "clients-east routed at 400s", "routing_changed clients-east/lb 317800"},
    {"at that very instant", "clients-east routed at 317.8s",
     "routing_changed clients-east/lb 317800"},
    {"else the first after", "us-west1 scaled at 5m20s",
     "scaling_decided us-west1/checkout/web 330000"},
    {"a consumer's route to a region", "us-west1 routed", "routing_changed clients-east/lb 317800"},
    {"a fault by whom it hits", "us-east1 failed", "fault_started director 300000"},
    {"the end of a fault", "us-east1/checkout/web recovered", "fault_ended director 660000"},
    {"the beginning of a name, when nobody is called so", "us-w grew",
     "scaling_decided us-west1/checkout/web 330000"},
    {"requests that wait", "us-west1 queued", "queue_changed us-west1/checkout/web 319000"},
    {"requests that wait no more", "us-west1 unqueued",
     "queue_changed us-west1/checkout/web 382600"},
    {"samples are no change", "us-west1 at 500s", "queue_changed us-west1/checkout/web 382600"},
    {"nobody scaled there", "us-east1 scaled", "nothing"},
    {"a scale-out is no scale-in", "us-west1 shrank", "nothing"},
    {"nobody crashed", "us-east1 crashed", "nothing"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(best(x.text), x.expected);
  }
}

TEST(FindEventsOf, OperatorsAndAutoHealing) {
  event_log log{{"director", "us-east1", "shop"}};
  const auto add = [&log](duration at, const std::string& entity, payload what) {
    log.record(run_start + at, entity, {}, std::move(what));
  };
  using enum instance_state;
  using enum health;
  const std::string one = "us-east1/checkout/web/1";
  add(0s, "director", run_started{"a", "", 1, 10min, 0s});
  add(10s, one, auto_healing_judged{unknown, healthy, false, ""});
  add(50s, one, auto_healing_judged{healthy, unhealthy, true, ""});
  add(60s, one, instance_changed{ready, draining, 1, "idle"});
  add(70s, "shop/lb", action_taken{0, "fail over us-east1"});
  add(80s, "shop/lb", action_taken{1, "fail over us-west1"});
  add(90s, one, auto_healing_judged{unhealthy, healthy, false, ""});
  const event_index index{log};
  struct {
    const char* why = "";
    const char* text = "";
    int second = 0;
  } const cases[] = {
    {"the order before what was found", "us-east1/checkout/web/1 healed", 50},
    {"an instance that drains", "us-east1/checkout/web/1 drained", 60},
    {"a region, by its own instances first", "us-east1 drained", 60},
    {"a region that an operator drained", "us-west1 drained", 80},
    {"the balancer, of which the last counts", "shop drained", 80},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::string problem;
    const auto query = parse_why_query(x.text, problem);
    ASSERT_TRUE(query) << problem;
    const auto found = find_events(index, *query);
    ASSERT_NE(found.best, nullptr);
    EXPECT_EQ(found.best->at, run_start + std::chrono::seconds{x.second});
  }
}

TEST_F(FindEvents, FindsByIdAndListsTheOtherMatches) {
  const auto id = to_string(run_.log.latest("clients-east/lb"), run_.log.sites());
  EXPECT_EQ(best(id), "first_request clients-east/lb 674000");
  EXPECT_TRUE(find_events(index_, parsed(id)).others.empty());
  EXPECT_EQ(best("us-east1#99999"), "nothing");
  EXPECT_EQ(best("nowhere#1"), "nothing");
  EXPECT_EQ(best("us-east1#"), "nothing");

  const auto routes = find_events(index_, parsed("clients-east routed at 400s"));
  ASSERT_EQ(routes.others.size(), 2u);
  EXPECT_EQ(routes.others[0]->at, run_start + 673'900ms) << "the nearest comes first";
  EXPECT_EQ(routes.others[1]->at, run_start + 13s);
}

TEST_F(FindEvents, SuggestsWhatThereIs) {
  const struct {
    const char* why;
    const char* text;
    const char* said;
  } cases[] = {
    {"no such site", "us-wst1 scaled",
     "nothing in the log is called us-wst1; there are director, us-east1, us-west1, clients-east, "
     "clients-west, us-west1/checkout/web"},
    {"no such event of it", "us-west1 crashed",
     "us-west1 has no event that 'crashed' asks for; it has scaled (1), grew (1), routed (1), "
     "requested (1), queued (1), unqueued (1), changed (5)"},
    {"a number beyond the last", "us-west1#99999",
     "there is no event us-west1#99999; us-west1 has "
     "1 to "},
    {"an id of nobody", "mars#1", "there is no event mars#1; sites are director, us-east1"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto said = suggest(index_, parsed(x.text));
    EXPECT_TRUE(said.starts_with(x.said)) << said;
  }
}

TEST(WhyDocument, NamesEveryVerb) {
  const auto text = test::read_file("docs/why.md");
  for (const auto& x : why_verbs())
    EXPECT_NE(text.find("| `" + std::string{x.name} + "` | " + std::string{x.meaning}),
              std::string::npos)
      << x.name;
}

} // namespace
