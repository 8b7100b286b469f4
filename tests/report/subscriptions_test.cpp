#include "report/subscriptions.hpp"

#include "tests/report/judged.hpp"
#include "tests/report/log_builder.hpp"

#include <functional>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::judged_case;
using test::log_builder;
using strings = std::vector<std::string>;

constexpr instant at(duration x) {
  return run_start + x;
}

void second(log_builder& run, duration when, std::uint64_t backlog, std::uint32_t load = 0,
            std::string_view consumer = "clients-east") {
  subscription_sample x;
  x.load = load;
  x.published = 10;
  x.pushes = 10;
  x.acked = 9;
  x.backlog = backlog;
  run.add(when, std::string{consumer} + "/clients", {}, x);
}

/// Books that balance, and fit those of `close_balanced_books`.
subscription_closed balanced() {
  return {.load = 0,
          .published = 900,
          .acked = 880,
          .dead_lettered = 2,
          .expired = 3,
          .backlog = 7,
          .outstanding = 8,
          .pushes = 950,
          .redelivered = 55,
          .duplicates = 2};
}

/// @returns what an audit says when these books are closed beside all others.
strings audit_of(const subscription_closed& x) {
  log_builder run;
  run.add(1200s, "clients-east/clients", {}, x);
  test::close_balanced_books(run);
  return audit(run.log);
}

TEST(Subscriptions, TellWhereTheBacklogWasAndWhenItWasGone) {
  const struct {
    const char* why;
    std::vector<std::pair<duration, std::uint64_t>> seconds;
    const char* expected;
  } cases[] = {
    {"nothing waited", {{200s, 0}, {201s, 0}}, "none"},
    {"it came and went",
     {{200s, 5}, {380s, 12'340}, {489s, 1}, {490s, 0}},
     "peak 12,340 messages at 6m20s, drained at 8m10s"},
    {"the first of equal ones",
     {{200s, 1}, {240s, 1}, {3661s, 0}},
     "peak 1 message at 3m20s, drained at 1h1m1s"},
    {"it was empty before the peak only",
     {{200s, 1}, {201s, 0}, {202s, 2}},
     "peak 2 messages at 3m22s, not drained"},
    {"the first time that it was empty counts",
     {{200s, 2}, {240s, 0}, {241s, 1}, {300s, 0}},
     "peak 2 messages at 3m20s, drained at 4m"},
    {"the warm-up does not count",
     {{180s, 9}, {200s, 2}, {201s, 0}},
     "peak 2 messages at 3m20s, drained at 3m21s"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    log_builder run;
    for (const auto& [when, backlog] : x.seconds)
      second(run, when, backlog);
    const auto found = summarise_subscriptions(event_index{run.log});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(to_string(found.front()),
              "clients-east: " + std::string{x.expected}
                + "; 0 published, 0 acknowledged, 0 redelivered, 0 duplicates");
  }
}

TEST(Subscriptions, NameEachOne) {
  log_builder run;
  second(run, 200s, 1, 2);
  auto books = balanced();
  run.add(1200s, "clients-east/clients", {}, books);
  books.load = 2;
  books.dead_lettered = books.expired = 0;
  books.duplicates = 1;
  run.add(1200s, "clients-east/clients", {}, books);
  strings texts;
  for (const auto& x : summarise_subscriptions(event_index{run.log}))
    texts.push_back(to_string(x));
  EXPECT_EQ(texts,
            (strings{"clients-east: none; 900 published, 880 acknowledged, 55 redelivered, "
                     "2 duplicates, 2 dead-lettered, 3 expired",
                     "clients-east (load 2): peak 1 message at 3m20s, not drained; 900 published, "
                     "880 acknowledged, 55 redelivered, 1 duplicate"}));
}

TEST(Subscriptions, StandInTheVerdictOnlyWhereThereAreSome) {
  auto with = test::clean_failover();
  EXPECT_EQ(to_text(judge(with.log, {}, {}), "").find("backlog"), std::string::npos);
  EXPECT_EQ(to_json(judge(with.log, {}, {}), with.log).find("subscriptions"), std::string::npos);
  with.add(1200s, "clients-east/clients", {}, balanced());
  EXPECT_NE(to_text(judge(with.log, {}, {}), "").find("\nbacklog      clients-east: none; 900 pub"),
            std::string::npos);
  EXPECT_NE(to_json(judge(with.log, {}, {}), with.log).find("\"dead_lettered\": 2"),
            std::string::npos);
}

TEST(Judge, BacklogIsTheHighestSecondOfAWindow) {
  log_builder run;
  second(run, 180s, 500);
  second(run, 300s, 40);
  second(run, 301s, 70);
  second(run, 302s, 70);
  second(run, 303s, 0);
  second(run, 303s, 3, 1);
  second(run, 303s, 1'000, 0, "clients-west");
  run.end();
  const auto from = [](std::optional<instant> begin, std::optional<instant> end,
                       std::uint64_t at_most) {
    return expect_backlog{"clients-east", begin, end, at_most};
  };
  const judged_case cases[] = {
    {"the highest one decides", from({}, {}, 100), true, "peak 70 messages", 70, 301s},
    {"exactly the limit", from({}, {}, 70), true, "peak 70 messages", 70, 301s},
    {"the first one above it", from({}, {}, 39), false, "peak 70 messages", 70, 300s},
    {"a window", from(at(302s), at(303s), 3), true, "peak 3 messages", 3, 303s},
    {"half a window", from(at(302s), {}, 3), true, "peak 3 messages", 3, 303s},
    {"the other half", from({}, at(300s), 40), true, "peak 40 messages", 40, 300s},
    {"an instant sees the last second", from(at(302s), at(302s), 69), false, "peak 70 messages", 70,
     302s},
    {"all subscriptions of a consumer", from(at(310s), at(310s), 2), false, "peak 3 messages", 3,
     303s},
    {"nothing there", from(at(500s), at(600s), 0), false, "no second lies there"},
    {"the warm-up", from(at(180s), at(180s), 0), false, "no second lies there"},
    {"after the run", from(at(1201s), at(1201s), 0), false, "no second lies there"},
  };
  test::expect_judged(run.log, cases);
}

TEST(Audit, BalancesSubscriptions) {
  EXPECT_EQ(audit_of(balanced()), strings{});
  const struct {
    const char* why;
    std::function<void(subscription_closed&)> edit;
    strings expected;
  } cases[] = {
    {"a message got lost",
     [](auto& x) { x.expired = 2; },
     {"subscription clients-east/clients (load 0): 900 published, but 899 acknowledged, "
      "dead-lettered, expired, waiting or under way"}},
    {"a message pushed for the first time twice",
     [](auto& x) { x.redelivered = 49; },
     {"subscription clients-east/clients (load 0): 901 first pushes, more than 900 published"}},
    {"more pushed again than pushed",
     [](auto& x) { x.redelivered = 951; },
     {"subscription clients-east/clients (load 0): 951 redelivered, more than 950 pushes"}},
    {"more answers than pushes",
     [](auto& x) { x.pushes = 889, x.redelivered = 0; },
     {"subscription clients-east/clients (load 0): 890 pushes acknowledged, under way or answered "
      "too late, more than 889 pushes"}},
    {"more pushes than requests",
     [](auto& x) { x.pushes = 1'001, x.redelivered = 101; },
     {"clients-east: 1,001 pushes, more than 1,000 requests of clients"}},
    {"more acknowledged than ended well",
     [](auto& x) { x.acked = 981, x.published = 1'001, x.pushes = 1'000; },
     {"clients-east: 981 messages acknowledged, more than 980 requests of clients ended ok"}},
    {"more under way than requests",
     [](auto& x) { x.outstanding = 11, x.backlog = 4; },
     {"clients-east: 11 pushes under way, more than 10 requests of clients in flight"}},
    {"more duplicates than late answers",
     [](auto& x) { x.duplicates = 3; },
     {"clients-east: 3 duplicates, more than 2 late answers"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto books = balanced();
    x.edit(books);
    EXPECT_EQ(audit_of(books), x.expected);
  }
}

TEST(Audit, HoldsSubscriptionsAgainstTheirSeconds) {
  const std::string name = "subscription clients-east/clients (load 0): ";
  log_builder run;
  run.add(200s, "clients-east/clients", {},
          subscription_sample{0, 901, 951, 56, 881, 3, 3, 4, 0, 0, 0, 0});
  second(run, 200s, 0, 1);
  run.add(1200s, "clients-east/clients", {}, balanced());
  test::close_balanced_books(run);
  EXPECT_EQ(audit(run.log),
            (strings{name + "901 published by its samples, more than 900 published",
                     name + "951 pushes by its samples, more than 950 pushes",
                     name + "881 acknowledged by its samples, more than 880 acknowledged",
                     name + "56 redelivered by its samples, more than 55 redelivered",
                     name + "3 duplicates by its samples, more than 2 duplicates",
                     name + "3 dead-lettered by its samples, more than 2 dead-lettered",
                     name + "4 expired by its samples, more than 3 expired",
                     std::string{"subscription clients-east/clients (load 1): sampled, but its "}
                       + "books were not closed"}));
}

} // namespace
