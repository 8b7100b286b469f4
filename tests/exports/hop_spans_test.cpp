#include "exports/hop_spans.hpp"

#include "tests/exports/small_export.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace spillover {
namespace {

using test::add_try;
using test::hop;
using test::ms;
using enum request_step;

/// A line for each span: kind, from and to, what counts, and how it ended; in ms.
std::string text_of(const request_spans& x) {
  std::ostringstream out;
  for (const auto& y : x.spans) {
    out << to_string(y.kind) << ' ' << y.from.time_since_epoch() / ms << '-'
        << y.to.time_since_epoch() / ms;
    if (is_step(y.kind) && y.counted != y.to - y.from)
      out << " counts " << y.counted / ms;
    if (y.how != outcome::ok)
      out << ' ' << to_string(y.how);
    out << (y.abandoned ? " abandoned" : "") << '\n';
  }
  return out.str();
}

/// Parents hold what is theirs, and the steps add up to the latency.
void expect_whole(const request_spans& x) {
  duration counted{};
  std::map<std::size_t, instant> ends;
  for (std::size_t i = 0; i < x.spans.size(); ++i) {
    const auto& y = x.spans[i];
    SCOPED_TRACE(std::string{to_string(y.kind)} + " " + std::to_string(i));
    EXPECT_LE(y.from, y.to);
    EXPECT_LE(x.spans[y.parent].from, y.from);
    EXPECT_GE(x.spans[y.parent].to, y.to);
    if (i > 0) {
      EXPECT_LT(y.parent, i);
    }
    EXPECT_LE(y.counted, y.to - y.from);
    counted += y.counted;
    // Steps of a try follow each other without a gap.
    if (x.spans[y.parent].kind == hop_kind::balancer_try) {
      const auto found = ends.find(y.parent);
      EXPECT_EQ(y.from, found == ends.end() ? x.spans[y.parent].from : found->second);
      ends[y.parent] = y.to;
    }
  }
  for (const auto& [place, end] : ends)
    EXPECT_EQ(x.spans[place].to, end);
  EXPECT_EQ(counted, x.root().to - x.root().from);
}

traced_request begun(int intended_at, int sent_at) {
  traced_request result{"shop", 1, {}};
  result.hops.push_back(hop(intended_at, intended, "shop/clients"));
  result.hops.push_back(hop(sent_at, client_sent, "shop/clients"));
  return result;
}

void end(traced_request& x, int at, outcome how = outcome::ok) {
  x.hops.push_back(hop(at, balancer_answered, "shop/lb", 0, how));
  x.hops.push_back(hop(at, ended, "shop/clients", 0, how));
}

traced_request plain() {
  auto x = begun(0, 5);
  add_try(x.hops, 5, "east", "/0");
  end(x, 45);
  return x;
}

traced_request queued(const char* instance) {
  auto x = begun(0, 0);
  x.hops.push_back(hop(0, balancer_sent, "east"));
  x.hops.push_back(hop(10, service_took, "east/checkout"));
  x.hops.push_back(hop(10, revision_took, "east/checkout/web"));
  const auto who = std::string{"east/checkout/web/"} + instance;
  x.hops.push_back(hop(60, dispatched, who));
  x.hops.push_back(hop(80, instance_answered, who));
  x.hops.push_back(hop(80, service_answered, "east/checkout"));
  x.hops.push_back(hop(90, balancer_got, "east"));
  end(x, 90);
  return x;
}

traced_request refused_then_retried() {
  auto x = begun(0, 0);
  x.hops.push_back(hop(0, try_queued, "east"));
  x.hops.push_back(hop(4, balancer_sent, "east"));
  x.hops.push_back(hop(14, service_took, "east/checkout"));
  x.hops.push_back(hop(14, service_answered, "east/checkout", 0, outcome::unavailable));
  x.hops.push_back(hop(24, balancer_got, "east", 0, outcome::unavailable));
  add_try(x.hops, 30, "west", "/0", 1);
  end(x, 70);
  return x;
}

traced_request hedged() {
  auto x = begun(0, 0);
  x.hops.push_back(hop(0, balancer_sent, "east"));
  x.hops.push_back(hop(10, service_took, "east/checkout"));
  x.hops.push_back(hop(10, revision_took, "east/checkout/web"));
  x.hops.push_back(hop(10, dispatched, "east/checkout/web/0"));
  x.hops.push_back(hop(50, try_overdue, "east"));
  add_try(x.hops, 50, "west", "/0", 1);
  end(x, 90);
  // Nobody hears of what comes later.
  return x;
}

traced_request dropped() {
  auto x = begun(0, 0);
  x.hops.push_back(hop(0, balancer_sent, "east"));
  x.hops.push_back(hop(10, service_took, "east/checkout"));
  x.hops.push_back(hop(10, revision_took, "east/checkout/web"));
  x.hops.push_back(hop(10, dispatched, "east/checkout/web/0"));
  x.hops.push_back(hop(30, instance_answered, "east/checkout/web/0", 0, outcome::lost));
  x.hops.push_back(hop(30, service_answered, "east/checkout", 0, outcome::lost));
  end(x, 100, outcome::lb_timeout);
  return x;
}

traced_request client_tries_again() {
  auto x = begun(0, 0);
  x.hops.push_back(hop(0, balancer_sent, "east"));
  x.hops.push_back(hop(50, client_waits, "shop/clients", 0, outcome::client_timeout));
  x.hops.push_back(hop(60, client_sent, "shop/clients", 1));
  // The first try arrives at last, and has the same number as the second one.
  add_try(x.hops, 60, "east", "/0");
  end(x, 100);
  return x;
}

TEST(HopSpans, SayWhatARequestSpentItsTimeOn) {
  event_log log{{"director", "east", "shop"}};
  const auto change = [&log](int at, const char* who, instance_state before, instance_state after) {
    log.record(run_start + at * ms, who, {}, instance_changed{before, after, 1, {}});
  };
  change(0, "east/checkout/web/1", instance_state::stopped, instance_state::starting);
  change(20, "east/checkout/web/2", instance_state::stopped, instance_state::starting);
  change(40, "east/checkout/web/1", instance_state::starting, instance_state::ready);
  change(60, "east/checkout/web/2", instance_state::starting, instance_state::ready);
  const instance_starts starts{event_index{log}};
  const struct {
    const char* why;
    traced_request request;
    const char* expected;
  } cases[] = {
    {"the plain way, sent a little late", plain(),
     "request 0-45\nclient_wait 0-5\nclient_try 5-45\nbalancer_try 5-45\nlink_there 5-15\n"
     "service 15-35\ncpu 15-25\nservice_wait 25-35\nlink_back 35-45\n"},
    {"waits for an instance that runs", queued("0"),
     "request 0-90\nclient_try 0-90\nbalancer_try 0-90\nlink_there 0-10\nqueue 10-60\n"
     "service 60-80\ncpu 60-80\nlink_back 80-90\n"},
    {"waits for one that started before, and then for room", queued("1"),
     "request 0-90\nclient_try 0-90\nbalancer_try 0-90\nlink_there 0-10\ncold_start_wait 10-40\n"
     "queue 40-60\nservice 60-80\ncpu 60-80\nlink_back 80-90\n"},
    {"waits for one that is started for it", queued("2"),
     "request 0-90\nclient_try 0-90\nbalancer_try 0-90\nlink_there 0-10\nqueue 10-20\n"
     "cold_start_wait 20-60\nservice 60-80\ncpu 60-80\nlink_back 80-90\n"},
    {"refused, and tried elsewhere after a pause", refused_then_retried(),
     "request 0-70\nclient_try 0-70\nbalancer_try 0-24 unavailable\nconnection_wait 0-4\n"
     "link_there 4-14\nlink_back 14-24\nbalancer_try 30-70\nlink_there 30-40\nservice 40-60\n"
     "cpu 40-50\nservice_wait 50-60\nlink_back 60-70\nbalancer_wait 24-30\n"},
    {"hedged: what the first try did beside the second one does not count", hedged(),
     "request 0-90\nclient_try 0-90\nbalancer_try 0-90 abandoned\nlink_there 0-10\n"
     "balancer_try 50-90\nlink_there 50-60\nservice 60-80\ncpu 60-70\nservice_wait 70-80\n"
     "link_back 80-90\nservice 10-90 counts 40 abandoned\ncpu 10-90 abandoned\n"},
    {"dropped by a silent instance", dropped(),
     "request 0-100 lb_timeout\nclient_try 0-100 lb_timeout\n"
     "balancer_try 0-100 lb_timeout abandoned\nlink_there 0-10\nservice 10-30 lost\ncpu 10-30\n"
     "no_answer 30-100 abandoned\n"},
    {"given up by its client, and sent again", client_tries_again(),
     "request 0-100\nclient_try 0-50 client_timeout\nbalancer_try 0-50 client_timeout abandoned\n"
     "link_there 0-50 abandoned\nclient_backoff 50-60\nclient_try 60-100\nbalancer_try 60-100\n"
     "link_there 60-70\nservice 70-90\ncpu 70-80\nservice_wait 80-90\nlink_back 90-100\n"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto spans = spans_of(x.request, starts);
    EXPECT_EQ(text_of(spans), x.expected);
    expect_whole(spans);
  }
}

TEST(HopSpans, NameWhoHasTheRequest) {
  const event_log log{{"director"}};
  const auto x = spans_of(plain(), instance_starts{event_index{log}});
  std::map<hop_kind, std::string> entities;
  for (const auto& y : x.spans)
    entities[y.kind] = y.entity;
  EXPECT_EQ(entities[hop_kind::request], "shop/clients");
  EXPECT_EQ(entities[hop_kind::balancer_try], "shop/lb");
  EXPECT_EQ(entities[hop_kind::link_there], "shop/lb");
  EXPECT_EQ(entities[hop_kind::service], "east/checkout/web/0");
}

} // namespace
} // namespace spillover
