#include "sites/peer_ledger.hpp"

#include "tests/support/small_world.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using namespace spillover;

/// The sites of the test: of the regions only "near" has a composite, and so tells of its health.
const std::vector<std::string> sites{"director", "near", "far", "clients"};
constexpr std::size_t near = 1;
constexpr std::size_t far = 2;

scenario world_of_one_teller() {
  scenario result;
  published_service_spec service;
  service.region = "near";
  service.composite_health.emplace();
  result.published_services.push_back(service);
  service.region = "far";
  service.composite_health.reset();
  result.published_services.push_back(service);
  return result;
}

net::health_arrival says(std::size_t from, health state, std::string about) {
  net::health_arrival result;
  result.from = from;
  result.state.region = std::move(about);
  result.state.resource = result.state.region;
  result.state.state = state;
  result.state.cause = {static_cast<std::uint16_t>(from), 7};
  return result;
}

/// Carries out a step of a script, whose subject is one site.
/// @returns what became of it: s(ent), r(efused), d(ropped); "" when nothing was to be sent
std::string step(peer_ledger& subject, std::size_t site, char what) {
  const auto change = [&](net::peer_step x) { subject.take(net::peer_change{site, x, 5}); };
  record x;
  switch (what) {
    case '+': change(net::peer_step::connected); return {};
    case '-': change(net::peer_step::disconnected); return {};
    case 'L': change(net::peer_step::lost); return {};
    case 'B': change(net::peer_step::back); return {};
    case 'R': change(net::peer_step::restarted); return {};
    case 'H': subject.take(says(site, health::healthy, sites[site])); return {};
    case 'U': subject.take(says(site, health::unhealthy, sites[site])); return {};
    case 'q': x.what = op::request; break;
    case 'c': x.what = op::connect; break;
    default: x.what = op::response; break;
  }
  constexpr std::string_view fates = "srd";
  return std::string{fates[static_cast<std::size_t>(subject.ship(site, x))]};
}

TEST(PeerLedger, DecidesByWhatIsKnownOfTheOtherProcess) {
  const struct {
    const char* why;
    std::size_t site;
    const char*
      script; // + connected, - disconnected, L lost, B back, R restarted, H healthy, U unhealthy
    const char* expected; // of each q(uestion) and a(nswer): s sent, r refused, d dropped
  } cases[] = {
    {"nobody is there yet: nothing can be sent, and nobody refuses", near, "qa", "dd"},
    {"a connection that stands takes all", near, "+qa", "ss"},
    {"one that breaks means that the process ended: its machine refuses", near, "+-qa", "rd"},
    {"one that never stood tells nothing", near, "-q", "d"},
    {"a silent process may be stopped: it refuses nothing", near, "+Lq", "s"},
    {"nor when its connection breaks after that", near, "+L-q", "d"},
    {"once it was heard again, a break means its end", near, "+LB-q", "r"},
    {"a break after the end says nothing new", near, "+--q", "r"},
    {"nor does silence after the end", near, "+-L-q", "r"},
    {"it comes again by itself", near, "+-+q", "s"},
    {"a new process refuses until it is healthy", near, "+-R+qUqHq", "rrs"},
    {"also when nobody saw the old one go", near, "+RqHq", "rs"},
    {"one that was healthy stays trusted", near, "+RHUq", "s"},
    {"its answers are nobody's to refuse", near, "+Ra", "d"},
    {"an attempt to connect is refused as a request is", near, "c+c-cR+cHc", "dsrrs"},
    {"a process that never tells of its health is not waited for", far, "+-R+q", "s"},
    {"a new process whose connection breaks again", near, "+R+-qHq", "rr"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    peer_ledger subject{world_of_one_teller(), sites};
    std::string fates;
    for (const char what : std::string_view{x.script})
      fates += step(subject, x.site, what);
    EXPECT_EQ(fates, x.expected);
  }
}

TEST(PeerLedger, WhatHappensToOneSiteConcernsNoOther) {
  peer_ledger subject{world_of_one_teller(), sites};
  for (const auto site : {near, far})
    step(subject, site, '+');
  step(subject, near, '-');
  EXPECT_FALSE(subject.reaches(near));
  EXPECT_TRUE(subject.reaches(far));
  EXPECT_EQ(step(subject, far, 'q'), "s");
}

TEST(PeerLedger, KeepsBooksThatBalance) {
  peer_ledger subject{world_of_one_teller(), sites};
  for (const char what : std::string_view{"a+qqq-qqa+q"})
    step(subject, near, what);
  subject.not_taken(near, 2);
  subject.arrived(near, 11);
  const auto books = subject.books(near);
  EXPECT_EQ(books.account, "wire");
  EXPECT_EQ(books.counterpart, "near");
  EXPECT_EQ(books.taken, 8u);
  EXPECT_EQ(books.ended[static_cast<std::size_t>(outcome::unavailable)], 2u);
  EXPECT_EQ(books.ended[static_cast<std::size_t>(outcome::lost)], 4u);
  EXPECT_EQ(books.in_flight, 2u);
  EXPECT_EQ(books.late, 11u);
}

TEST(PeerLedger, ARefusalGoesBackToWhoAsked) {
  record request;
  request.what = op::request;
  request.to = 7;
  request.reply_to = 9;
  const auto answer = peer_ledger::refusal(request);
  EXPECT_EQ(answer.what, op::response);
  EXPECT_EQ(answer.to, 9u);
  EXPECT_EQ(answer.reply_to, 7u);
  EXPECT_EQ(answer.status, outcome::unavailable);
}

TEST(PeerLedger, ARefusedAttemptToConnectHasItsOwnAnswer) {
  record attempt;
  attempt.what = op::connect;
  attempt.to = 7;
  attempt.reply_to = 9;
  attempt.request = 3;
  attempt.arg = 5;
  const auto answer = peer_ledger::refusal(attempt);
  EXPECT_EQ(answer.what, op::connected);
  EXPECT_EQ(answer.status, outcome::unavailable);
  EXPECT_EQ(answer.request, 3u);
  EXPECT_EQ(answer.arg, 5u);
}

TEST(PeerLedger, ASiteSpeaksForItselfAlone) {
  peer_ledger subject{world_of_one_teller(), sites};
  EXPECT_FALSE(subject.take(says(far, health::healthy, "near")));
  // Nor does another one's word make a new process trusted.
  step(subject, near, '+');
  step(subject, near, 'R');
  subject.take(says(far, health::healthy, "near"));
  EXPECT_EQ(step(subject, near, 'q'), "r");

  auto told = says(near, health::unhealthy, "near");
  const auto own = subject.take(told);
  ASSERT_TRUE(own && std::holds_alternative<service_health>(*own));
  EXPECT_EQ(std::get<service_health>(*own).state, health::unhealthy);
  EXPECT_EQ(std::get<service_health>(*own).cause, (event_id{near, 7}));
  told.state.cause = {far, 7};
  EXPECT_EQ(std::get<service_health>(*subject.take(told)).cause, event_id{}) << "another's event";
  told.state.kind = net::resource_kind::endpoints;
  EXPECT_TRUE(std::holds_alternative<service_endpoints>(*subject.take(told)));
}

} // namespace
