#include "exports/hop_spans.hpp"

#include "tests/exports/small_export.hpp"

#include <gtest/gtest.h>

#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace spillover {
namespace {

using test::add_try;
using test::hop;
using test::ms;
using test::plain_request;
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

using hops = std::vector<request_hop>;

const std::string web = "east/checkout/web/";

hops begun(int intended_at, int sent_at) {
  return {hop(intended_at, intended, "shop/clients"), hop(sent_at, client_sent, "shop/clients")};
}

/// A try of the load balancer, 10 ms on its way to the service.
hops arrives(int at) {
  return {hop(at, balancer_sent, "east"), hop(at + 10, service_took, "east/checkout"),
          hop(at + 10, revision_took, "east/checkout/web")};
}

/// A try that goes well; it takes 40 ms.
hops one_try(int at, const std::string& region, int attempt = 0) {
  hops result;
  add_try(result, at, region, "/0", attempt);
  return result;
}

hops ends(int at, outcome how = outcome::ok) {
  return {hop(at, balancer_answered, "shop/lb", 0, how), hop(at, ended, "shop/clients", 0, how)};
}

/// Waits until 60 ms for an instance that serves it in 20 ms.
std::vector<hops> queued(const std::string& instance) {
  const auto who = web + instance;
  return {begun(0, 0), arrives(0),
          hops{hop(60, dispatched, who), hop(80, instance_answered, who),
               hop(80, service_answered, "east/checkout"), hop(90, balancer_got, "east")},
          ends(90)};
}

struct hop_case {
  const char* why = "";
  std::vector<hops> parts = {};
  const char* expected = "";
};

traced_request request_of(const std::vector<hops>& parts) {
  traced_request result{"shop", 1, {}};
  for (const auto& x : parts)
    result.hops.insert(result.hops.end(), x.begin(), x.end());
  return result;
}

void expect_spans(std::span<const hop_case> cases, const event_log& log) {
  const instance_starts starts{event_index{log}};
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto spans = spans_of(request_of(x.parts), starts);
    EXPECT_EQ(text_of(spans), x.expected);
    expect_whole(spans);
  }
}

TEST(HopSpans, SayWhatARequestWaitedFor) {
  event_log log{{"director", "east", "shop"}};
  const auto change = [&log](int at, const char* number, instance_state before,
                             instance_state after) {
    log.record(run_start + at * ms, web + number, {}, instance_changed{before, after, 1, {}});
  };
  change(0, "1", instance_state::stopped, instance_state::starting);
  change(20, "2", instance_state::stopped, instance_state::starting);
  change(40, "1", instance_state::starting, instance_state::ready);
  change(60, "2", instance_state::starting, instance_state::ready);
  const hop_case cases[] = {
    {"nothing, but it was sent a little late",
     {begun(0, 5), one_try(5, "east"), ends(45)},
     "request 0-45\nclient_wait 0-5\nclient_try 5-45\nbalancer_try 5-45\nlink_there 5-15\n"
     "service 15-35\ncpu 15-25\nservice_wait 25-35\nlink_back 35-45\n"},
    {"an instance that runs", queued("0"),
     "request 0-90\nclient_try 0-90\nbalancer_try 0-90\nlink_there 0-10\nqueue 10-60\n"
     "service 60-80\ncpu 60-80\nlink_back 80-90\n"},
    {"one that started before, and then for room", queued("1"),
     "request 0-90\nclient_try 0-90\nbalancer_try 0-90\nlink_there 0-10\ncold_start_wait 10-40\n"
     "queue 40-60\nservice 60-80\ncpu 60-80\nlink_back 80-90\n"},
    {"one that is started for it", queued("2"),
     "request 0-90\nclient_try 0-90\nbalancer_try 0-90\nlink_there 0-10\nqueue 10-20\n"
     "cold_start_wait 20-60\nservice 60-80\ncpu 60-80\nlink_back 80-90\n"},
  };
  expect_spans(cases, log);
}

TEST(HopSpans, SayWhatBecameOfTries) {
  const hop_case cases[] = {
    {"refused after waiting for a connection, and tried elsewhere after a pause",
     {begun(0, 0),
      {hop(0, try_queued, "east"), hop(4, balancer_sent, "east"),
       hop(14, service_took, "east/checkout"),
       hop(14, service_answered, "east/checkout", 0, outcome::unavailable),
       hop(24, balancer_got, "east", 0, outcome::unavailable)},
      one_try(30, "west", 1),
      ends(70)},
     "request 0-70\nclient_try 0-70\nbalancer_try 0-24 unavailable\nconnection_wait 0-4\n"
     "link_there 4-14\nlink_back 14-24\nbalancer_try 30-70\nlink_there 30-40\nservice 40-60\n"
     "cpu 40-50\nservice_wait 50-60\nlink_back 60-70\nbalancer_wait 24-30\n"},
    {"hedged: what the first try does beside the second one does not count",
     {begun(0, 0),
      arrives(0),
      {hop(10, dispatched, web + "0"), hop(50, try_overdue, "east")},
      one_try(50, "west", 1),
      ends(90)},
     "request 0-90\nclient_try 0-90\nbalancer_try 0-90 abandoned\nlink_there 0-10\n"
     "balancer_try 50-90\nlink_there 50-60\nservice 60-80\ncpu 60-70\nservice_wait 70-80\n"
     "link_back 80-90\nservice 10-90 counts 40 abandoned\ncpu 10-90 abandoned\n"},
    {"dropped by a silent instance",
     {begun(0, 0),
      arrives(0),
      {hop(10, dispatched, web + "0"), hop(30, instance_answered, web + "0", 0, outcome::lost),
       hop(30, service_answered, "east/checkout", 0, outcome::lost)},
      ends(100, outcome::lb_timeout)},
     "request 0-100 lb_timeout\nclient_try 0-100 lb_timeout\n"
     "balancer_try 0-100 lb_timeout abandoned\nlink_there 0-10\nservice 10-30 lost\ncpu 10-30\n"
     "no_answer 30-100 abandoned\n"},
    {"given up by its client, and sent again; the first try arrives at last, with the same number",
     {begun(0, 0),
      {hop(0, balancer_sent, "east"),
       hop(50, client_waits, "shop/clients", 0, outcome::client_timeout),
       hop(60, client_sent, "shop/clients", 1)},
      one_try(60, "east"),
      ends(100)},
     "request 0-100\nclient_try 0-50 client_timeout\nbalancer_try 0-50 client_timeout abandoned\n"
     "link_there 0-50 abandoned\nclient_backoff 50-60\nclient_try 60-100\nbalancer_try 60-100\n"
     "link_there 60-70\nservice 70-90\ncpu 70-80\nservice_wait 80-90\nlink_back 90-100\n"},
  };
  expect_spans(cases, event_log{{"director", "east", "shop"}});
}

TEST(HopSpans, NameWhoHasTheRequest) {
  const event_log log{{"director"}};
  const auto x = spans_of(plain_request(1, 0, "/0"), instance_starts{event_index{log}});
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
