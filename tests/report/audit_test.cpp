#include "report/verdict.hpp"
#include "tests/report/log_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

using change = std::function<void(books_closed&)>;

std::uint64_t& ended(books_closed& x, outcome how) {
  return x.ended[static_cast<std::size_t>(how)];
}

/// @returns a log with one account of it changed.
event_log edited(const event_log& of, std::string_view entity, std::string_view account,
                 std::string_view counterpart, const change& edit) {
  event_log result{of.sites()};
  auto edits = 0;
  for (auto x : of.events()) {
    if (auto* books = std::get_if<books_closed>(&x.what); books != nullptr && x.entity == entity
                                                          && books->account == account
                                                          && books->counterpart == counterpart) {
      edit(*books);
      ++edits;
    }
    result.record(x.at, x.entity, x.cause, std::move(x.what));
  }
  EXPECT_EQ(edits, 1);
  return result;
}

/// @returns what the audit finds when one account of balanced books is changed.
std::vector<std::string> audit_with(std::string_view entity, std::string_view account,
                                    std::string_view counterpart, const change& edit) {
  log_builder balanced;
  test::close_balanced_books(balanced);
  return audit(edited(balanced.log, entity, account, counterpart, edit));
}

TEST(Audit, FindsNothingInBalancedBooks) {
  log_builder run;
  test::close_balanced_books(run);
  EXPECT_EQ(audit(run.log), std::vector<std::string>{});
  EXPECT_EQ(audit(test::clean_failover().log), std::vector<std::string>{});
}

TEST(Audit, ChecksTheBalanceOfEveryAccount) {
  const struct {
    const char* entity;
    const char* account;
    const char* counterpart;
    const char* sentence;
  } cases[] = {
    {"clients-east/clients", "consumer", "",
     "consumer clients-east/clients: 1,001 taken, but 1,000 ended or in flight"},
    {"clients-east/lb", "balancer", "",
     "balancer clients-east/lb: 1,004 taken, but 1,003 ended or in flight"},
    {"clients-east/lb", "attempts", "us-east1",
     "attempts clients-east/lb (us-east1): 601 taken, but 600 ended or in flight"},
    {"us-east1/checkout", "service", "clients-east",
     "service us-east1/checkout (clients-east): 599 taken, but 598 ended or in flight"},
    {"us-east1/checkout/web", "revision", "",
     "revision us-east1/checkout/web: 599 taken, but 598 ended or in flight"},
    {"clients-east/link/us-east1", "link", "data",
     "link clients-east/link/us-east1 (data): 601 taken, but 600 ended or in flight"},
  };
  for (const auto& x : cases) {
    const auto found =
      audit_with(x.entity, x.account, x.counterpart, [](books_closed& y) { ++y.taken; });
    EXPECT_THAT(found, Contains(x.sentence));
  }
}

/// Takes some more, which then are in flight.
change take_more(std::uint64_t count) {
  return [count](books_closed& x) {
    x.taken += count;
    x.in_flight += count;
  };
}

/// Ends some that were in flight; what is left cannot be negative.
change end_more(outcome how, std::uint64_t count) {
  return [how, count](books_closed& x) {
    ended(x, how) += count;
    x.in_flight -= count;
  };
}

/// Ends one the other way.
change turn(outcome from, outcome to) {
  return [from, to](books_closed& x) {
    --ended(x, from);
    ++ended(x, to);
  };
}

TEST(Audit, HoldsAccountsAgainstEachOther) {
  using enum outcome;
  const struct {
    const char* why;
    const char* entity;
    const char* account;
    const char* counterpart;
    change edit;
    const char* sentence;
  } cases[] = {
    {"each request of clients goes to the balancer", "clients-east/clients", "consumer", "",
     take_more(4),
     "clients-east: 1,004 tries of clients, more than 1,003 requests of the load "
     "balancer"},
    {"what is ok for clients was ok for the balancer", "clients-east/clients", "consumer", "",
     end_more(ok, 2),
     "clients-east: 982 requests of clients ended ok, more than 981 requests of the "
     "load balancer ended ok"},
    {"what was ok for the balancer reached the clients", "clients-east/clients", "consumer", "",
     [](books_closed& x) { x.late = 0; },
     "clients-east: 981 requests of the load balancer ended ok, more than 980 requests of clients "
     "ended ok or late"},
    {"each request is tried", "clients-east/lb", "balancer", "", take_more(8),
     "clients-east: 1,011 requests of the load balancer, more than 1,010 tries"},
    {"a request under way has a try under way", "clients-east/lb", "balancer", "", take_more(1),
     "clients-east: 11 requests of the load balancer in flight, but 10 tries in flight"},
    {"a good try ends a request well", "clients-east/lb", "balancer", "", turn(ok, unavailable),
     "clients-east: 980 requests of the load balancer ended ok, but 981 tries ended ok"},
    {"a try that times out ends a request", "clients-east/lb", "balancer", "",
     turn(unavailable, lb_timeout),
     "clients-east: 7 requests of the load balancer timed out, but 6 tries timed out"},
    {"each try is sent", "clients-east/lb", "attempts", "us-east1", take_more(1),
     "clients-east -> us-east1: 601 tries, but 600 sent into the link"},
    {"no more arrives than a link passes", "clients-east/link/us-east1", "link", "data",
     end_more(lost, 2),
     "clients-east -> us-east1: 598 tries arrived, more than 597 passed by the link"},
    {"each ended try is answered", "us-east1/link/clients-east", "link", "data", take_more(1),
     "us-east1 -> clients-east: 593 tries to be answered, but 594 sent into the link"},
    {"a dropped try is not answered", "us-east1/checkout", "service", "clients-east",
     turn(lost, ok),
     "us-east1 -> clients-east: 594 tries to be answered, but 593 sent into the link"},
    {"no more answers arrive than a link passes", "us-east1/link/clients-east", "link", "data",
     end_more(lost, 1),
     "us-east1 -> clients-east: 591 answers arrived, more than 590 passed by the link"},
    {"late answers arrived too", "clients-east/lb", "attempts", "us-east1",
     [](books_closed& x) { x.late = 2; },
     "us-east1 -> clients-east: 592 answers arrived, more than 591 passed by the link"},
    {"a service passes everything on", "us-east1/checkout/web", "revision", "", take_more(1),
     "us-east1/checkout: 598 taken, but 599 taken by its revisions"},
    {"what a service has under way is in its revisions", "us-east1/checkout/web", "revision", "",
     take_more(1), "us-east1/checkout: 2 in flight, but 3 in flight in its revisions"},
    {"a service ends what its revisions end", "us-east1/checkout/web", "revision", "",
     turn(ok, unavailable),
     "us-east1/checkout: 10 ended unavailable, but 11 ended unavailable by its revisions"},
    {"what links passed arrives or is on the way", "us-west1/link/clients-east", "link", "data",
     end_more(lost, 1), "links: 2,004 passed, but 2,005 arrived or on the way"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto found = audit_with(x.entity, x.account, x.counterpart, x.edit);
    EXPECT_THAT(found, Contains(x.sentence));
    EXPECT_THAT(found, Each(Not(HasSubstr("ended or in flight")))) << "the account itself balances";
  }
}

/// Balanced books of a balancer whose single tries have fates of their own: 1,003 requests with two courses
/// beside theirs; of the 6 tries in us-east1 that were given up two by their own time, and 3 that waited for a
/// connection.
event_log single_tries() {
  using enum outcome;
  log_builder run;
  try_sample second;
  second.region = "us-east1";
  second.timed_out = 4;
  second.hedged = 2;
  second.cancelled = 2;
  second.cut = 1;
  second.queued = 3;
  run.add(5s, "clients-east/lb", {}, second);
  const auto close = [&run](std::string account, std::string counterpart, std::uint64_t taken,
                            std::initializer_list<std::pair<outcome, std::uint64_t>> ends,
                            std::uint64_t in_flight) {
    books_closed x{std::move(account), std::move(counterpart), taken, {}, in_flight};
    for (const auto& [how, count] : ends)
      ended(x, how) = count;
    run.add(1'200s, "clients-east/lb", {}, std::move(x));
  };
  close("courses", "", 1'005, {{ok, 981}, {unavailable, 7}, {lb_timeout, 7}}, 10);
  close("unanswered", "us-east1", 6,
        {{gateway_timeout, 2}, {lb_timeout, 1}, {client_timeout, 2}, {bad_gateway, 1}}, 0);
  close("unanswered", "us-west1", 0, {}, 0);
  close("queue", "us-east1", 3, {{ok, 2}, {unavailable, 1}}, 0);
  close("queue", "us-west1", 0, {}, 0);
  test::close_balanced_books(run);
  return run.log;
}

TEST(Audit, AccountsForSingleTries) {
  using enum outcome;
  EXPECT_EQ(audit(single_tries()), std::vector<std::string>{});
  const struct {
    const char* why;
    const char* account;
    const char* counterpart;
    change edit;
    const char* sentence;
  } cases[] = {
    {"each request has a course", "courses", "",
     [](books_closed& x) {
       x.taken -= 3;
       x.in_flight -= 3;
     },
     "clients-east: 1,003 requests of the load balancer, more than 1,002 courses of requests"},
    {"a request under way has one under way", "courses", "", end_more(unavailable, 1),
     "clients-east: 10 requests of the load balancer in flight, more than 9 courses in flight"},
    {"so has a try", "courses", "", end_more(unavailable, 1),
     "clients-east: 10 tries in flight or in a queue, more than 9 courses in flight"},
    {"a course beside begins with a try whose time is over", "courses", "", take_more(1),
     "clients-east: 3 courses beside, more than 2 tries that went on after their time"},
    {"a course ends well when its request does", "courses", "", turn(unavailable, ok),
     "clients-east: 981 requests of the load balancer ended ok, but 982 courses ended ok"},
    {"a request ends as one of its courses", "courses", "",
     [](books_closed& x) {
       ended(x, unavailable) -= 2;
       ended(x, internal_error) += 2;
     },
     "clients-east: 6 requests of the load balancer ended unavailable, more than 5 courses ended "
     "unavailable"},
    {"a try without an answer has a reason", "unanswered", "us-east1",
     [](books_closed& x) {
       --x.taken;
       --ended(x, lb_timeout);
     },
     "clients-east -> us-east1: 6 tries given up, but 5 tries without an answer"},
    {"a time that was over was told of", "unanswered", "us-east1",
     [](books_closed& x) {
       ended(x, gateway_timeout) += 3;
       ended(x, lb_timeout) = 0;
       ended(x, client_timeout) = 0;
     },
     "clients-east -> us-east1: 5 tries ended by their own time, more than 4 whose time was over by "
     "the samples"},
    {"as was a cancelled try", "unanswered", "us-east1", turn(client_timeout, lb_timeout),
     "clients-east -> us-east1: 1 tries that nobody needed, but 2 cancelled by the samples"},
    {"and one that was cut off", "unanswered", "us-east1", turn(bad_gateway, lb_timeout),
     "clients-east -> us-east1: 0 tries cut off, but 1 cut off by the samples"},
    {"and one that waited", "queue", "us-east1", take_more(1),
     "clients-east -> us-east1: 4 tries that waited for a connection, but 3 queued by the samples"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_THAT(audit(edited(single_tries(), "clients-east/lb", x.account, x.counterpart, x.edit)),
                Contains(x.sentence));
  }
}

/// Balanced books of a balancer whose clients made connections: 5 calls to us-east1, of which one was lost on its
/// way and one met a silent instance, and one end of a connection that was told of.
event_log with_connections() {
  using enum outcome;
  log_builder run;
  const auto close =
    [&run](const char* who, const char* account, const char* counterpart, std::uint64_t taken,
           std::initializer_list<std::pair<outcome, std::uint64_t>> ends, std::uint64_t late) {
      books_closed x{account, counterpart, taken, {}, 0, late};
      for (const auto& [how, count] : ends)
        ended(x, how) = count;
      run.add(1'200s, who, {}, std::move(x));
    };
  close("clients-east/lb", "connections", "us-east1", 5,
        {{ok, 2}, {unavailable, 1}, {lb_timeout, 2}}, 1);
  close("us-east1/checkout", "calls", "clients-east", 4, {{ok, 2}, {unavailable, 1}, {lost, 1}}, 0);
  close("us-east1/checkout", "ends", "clients-east", 1, {{ok, 1}}, 0);
  test::close_balanced_books(run);
  auto result = edited(run.log, "clients-east/link/us-east1", "link", "data", [](books_closed& x) {
    x.taken += 5;
    x.in_flight += 4;
    ++ended(x, lost);
  });
  return edited(result, "us-east1/link/clients-east", "link", "data", [](books_closed& x) {
    x.taken += 4;
    x.in_flight += 4;
  });
}

TEST(Audit, AccountsForConnections) {
  using enum outcome;
  EXPECT_EQ(audit(with_connections()), std::vector<std::string>{});
  const struct {
    const char* why;
    const char* entity;
    const char* account;
    const char* counterpart;
    change edit;
    const char* sentence;
  } cases[] = {
    {"each call is sent", "clients-east/lb", "connections", "us-east1", take_more(1),
     "clients-east -> us-east1: 606 tries, but 605 sent into the link"},
    {"each call that is answered is sent back", "us-east1/checkout", "calls", "clients-east",
     turn(lost, ok),
     "us-east1 -> clients-east: 598 tries to be answered, but 597 sent into the "
     "link"},
    {"and so is each end of a connection", "us-east1/checkout", "ends", "clients-east",
     [](books_closed& x) {
       ++x.taken;
       ++ended(x, ok);
     },
     "us-east1 -> clients-east: 598 tries to be answered, but 597 sent into the link"},
    {"what comes back was sent", "clients-east/lb", "connections", "us-east1",
     [](books_closed& x) { x.late += 2; },
     "us-east1 -> clients-east: 597 answers arrived, more than 595 passed by the link"},
    {"what links passed arrives", "us-east1/checkout", "calls", "clients-east", take_more(1),
     "links: 2,013 passed, but 2,014 arrived or on the way"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_THAT(audit(edited(with_connections(), x.entity, x.account, x.counterpart, x.edit)),
                Contains(x.sentence));
  }
}

/// What a link duplicated is among what it took and passed.
change duplicate(std::uint64_t count) {
  return [count](books_closed& x) {
    x.taken += count;
    x.in_flight += count;
    x.duplicated += count;
  };
}

TEST(Audit, CountsDuplicatesOfLinks) {
  const struct {
    const char* why;
    const char* entity;
    change edit;
    std::vector<std::string> expected;
  } cases[] = {
    {"what a link duplicated has to arrive as well",
     "clients-east/link/us-east1",
     duplicate(3),
     {"links: 2,008 passed, but 2,005 arrived or on the way"}},
    {"and is nothing that was sent into it",
     "us-east1/link/clients-east",
     [](books_closed& x) { x.duplicated = 3; },
     {"us-east1 -> clients-east: 593 tries to be answered, but 590 sent into the link"}},
    {"each duplicate passed, and so did what it is one of",
     "clients-east/link/us-east1",
     [](books_closed& x) { x.duplicated = 300; },
     {"link clients-east/link/us-east1 (data): 600 duplicates and what they duplicate, more than "
      "599 passed",
      "clients-east -> us-east1: 600 tries, but 300 sent into the link"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(audit_with(x.entity, "link", "data", x.edit), x.expected);
  }
}

TEST(Audit, CountsFurtherTriesOfClients) {
  log_builder run;
  client_sample sample;
  sample.retried = 4;
  run.add(5s, "clients-east/clients", {}, sample);
  test::close_balanced_books(run);
  EXPECT_EQ(audit(run.log), std::vector<std::string>{
                              "clients-east: 1,004 tries of clients, more than 1,003 requests "
                              "of the load balancer"});
}

TEST(Audit, KnowsWhatIsOnTheWayAtTheEnd) {
  log_builder run;
  test::close_balanced_books(run);
  event_log less{run.log.sites()};
  for (auto x : run.log.events()) {
    if (auto* end = std::get_if<run_ended>(&x.what))
      end->on_the_way = 2;
    less.record(x.at, x.entity, x.cause, std::move(x.what));
  }
  EXPECT_EQ(audit(less),
            std::vector<std::string>{"links: 2,005 passed, but 2,004 arrived or on the way"});
}

TEST(Audit, HoldsSamplesAgainstAccounts) {
  log_builder run;
  run.client_second(5s, 981, 0);
  run.survivor_second(5s, 410, 1, 4);
  attempt_sample sample{"us-east1", 1, {}};
  sample.ended[0] = 597;
  run.add(5s, "clients-east/lb", {}, sample);
  test::close_balanced_books(run);
  EXPECT_EQ(audit(run.log),
            (std::vector<std::string>{
              "attempts clients-east/lb (us-east1): 597 ended by its samples, more than 596 ended",
              "revision us-west1/checkout/web: 410 taken by its samples, more than 409 taken"}));
}

TEST(Audit, MissesBooksThatWereNotClosed) {
  log_builder run;
  run.client_second(5s, 1, 0, "clients-west");
  test::close_balanced_books(run);
  EXPECT_EQ(audit(run.log),
            std::vector<std::string>{
              "consumer clients-west/clients: sampled, but its books were not closed"});
}

TEST(Audit, MissesTheEndOfALog) {
  log_builder run;
  run.client_second(5s, 1, 0);
  EXPECT_THAT(audit(run.log), Contains("events are missing: the log does not end with run_ended"));
  EXPECT_EQ(audit(event_log{{"director"}}).size(), 1u);
}

} // namespace
