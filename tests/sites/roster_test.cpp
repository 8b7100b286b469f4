#include "sites/roster.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace {

using namespace spillover;

const std::vector<std::string> sites{"director", "east", "west"};
constexpr std::size_t east = 1;
constexpr std::size_t west = 2;
const net::endpoints somewhere{"tcp://127.0.0.1:1", "tcp://127.0.0.1:2", "tcp://127.0.0.1:3", ""};

std::string words(const roster_effects& all) {
  std::string result;
  for (const auto& x : all)
    result.append(result.empty() ? "" : ", ").append(to_string(x, sites));
  return result;
}

/// A message to the director's roster, in words, and what the director has to do then.
struct message {
  const char* says;
  std::function<roster_effects(roster&)> what;
  const char* expected;
};

message joins(const char* says, std::size_t site, std::uint64_t start, const char* expected) {
  return {says, [=](roster& x) { return x.join(site, start, somewhere); }, expected};
}

message enters(const char* says, roster::phase next, const char* expected) {
  return {says, [=](roster& x) { return x.enter(next); }, expected};
}

message falls_silent(const char* says, std::size_t site, const char* expected) {
  return {says, [=](roster& x) { return x.silent(site, "silence"); }, expected};
}

message is_heard(const char* says, std::size_t site, std::uint64_t start, const char* expected) {
  return {says, [=](roster& x) { return x.heard(site, start); }, expected};
}

message ends(const char* says, const char* site, const char* expected) {
  return {says, [=](roster& x) { return x.ended(site, "it crashed"); }, expected};
}

message finishes(const char* says, std::size_t site) {
  return {says,
          [=](roster& x) {
            x.finished(site, {});
            return roster_effects{};
          },
          ""};
}

void play(roster& subject, const std::vector<message>& script) {
  for (const auto& x : script)
    EXPECT_EQ(words(x.what(subject)), x.expected) << x.says;
}

/// A deployment whose run goes on, with processes 10 and 20.
roster running() {
  roster result{sites};
  result.join(east, 10, somewhere);
  result.join(west, 20, somewhere);
  result.enter(roster::phase::planning);
  result.met(east);
  result.met(west);
  result.enter(roster::phase::running);
  return result;
}

TEST(Roster, GathersTheSitesBeforeAnybodyGetsAPlan) {
  roster subject{sites};
  EXPECT_EQ(subject.names_without(&roster::member::joined), "east, west");
  using phase = roster::phase;
  play(subject,
       {joins("the first one has nobody to speak with yet", east, 10, "remember east, accept east"),
        joins("its repetition changes nothing", east, 10, "remember east, accept east"),
        falls_silent("no run, nothing to record", east, ""),
        joins("another process of it takes its place", east, 11, "remember east, accept east"),
        joins("the last one", west, 20, "remember west, accept west"),
        enters("now that all are known", phase::planning, "plan east, plan west"),
        joins("who comes late in planning gets a plan too, and others its address", west, 21,
              "remember west, accept west, plan west, peers east"),
        ends("without it there is no run", "west", "fail west: it crashed"),
        ends("nobody knows this one", "nowhere", "")});
  EXPECT_TRUE(subject.all(&roster::member::joined));
  EXPECT_EQ(subject.names_without(&roster::member::met), "east, west");
}

TEST(Roster, RecordsEachAbsenceOnce) {
  auto subject = running();
  play(subject,
       {falls_silent("the first time", east, "lost east: silence"), falls_silent("again", east, ""),
        ends("what `up` sees is the same loss", "east", ""),
        is_heard("a process that was replaced says nothing", east, 9, ""),
        is_heard("it gets what it could not be told", east, 10, "returned east, plan east"),
        is_heard("it was not away", east, 10, ""),
        ends("a process that ends is lost at once", "west", "lost west: it crashed"),
        joins("the next one is another process, and did not return", west, 21,
              "remember west, accept west, plan west, peers east"),
        falls_silent("the director itself is never lost", 0, "")});
}

TEST(Roster, ASiteMayJoinAnewBeforeItsHeartbeatIsNoted) {
  auto subject = running();
  play(subject, {falls_silent("lost", east, "lost east: silence"),
                 joins("it returns by joining", east, 10,
                       "remember east, accept east, returned east, plan east, peers west"),
                 is_heard("which its heartbeat does not say again", east, 10, "")});
}

TEST(Roster, TellsEachSiteOnceToFinish) {
  auto subject = running();
  using phase = roster::phase;
  play(subject, {falls_silent("west is away when the run ends", west, "lost west: silence"),
                 enters("only those that can hear it", phase::finishing, "finish east"),
                 {"an order that was not answered is given again",
                  [](roster& x) { return x.unanswered_finish(east); }, "finish east"},
                 is_heard("west is back, and learns both", west, 20,
                          "returned west, plan west, finish west"),
                 joins("a repeated join does not give the order again", west, 20,
                       "remember west, accept west, plan west, peers east"),
                 joins("another process has not heard it", west, 21,
                       "remember west, accept west, plan west, peers east, finish west"),
                 finishes("west", west),
                 falls_silent("what has finished may go", west, ""),
                 ends("however that is seen", "west", "")});
}

TEST(Roster, AStopIsToldAsTheEndIs) {
  auto subject = running();
  play(subject, {{"everybody closes its books", [](roster& x) { return x.stop(); },
                  "finish east, finish west"},
                 enters("once is enough", roster::phase::finishing, "")});
  roster early{sites};
  early.join(east, 10, somewhere);
  EXPECT_EQ(words(early.stop()), "") << "before the run there are no books";
}

TEST(Roster, IsSettledWhenEveryLineOfWhoeverIsThereCame) {
  auto subject = running();
  subject.enter(roster::phase::finishing);
  EXPECT_FALSE(subject.all_settled());
  subject.finished(east, {.lines = 3});
  subject.finished(west, {.lines = 1});
  subject.told(west, 1);
  subject.told(east, 3);
  subject.told(east, 2); // a repetition
  EXPECT_TRUE(subject.all_settled());
  subject.join(west, 21, somewhere);
  EXPECT_FALSE(subject.all_settled()) << "the next process has lines of its own";
  subject.silent(west, "silence");
  EXPECT_TRUE(subject.all_settled()) << "nothing comes from one that is lost";
}

TEST(Roster, NoEventOfAProcessHasTheNumberOfAnEarlierOnes) {
  const struct {
    const char* why;
    std::vector<std::uint64_t> told; // number of the last event of each process; 0: none came
    std::uint64_t expected;          // first number of the next one
  } cases[] = {
    {"the first process", {}, 1},
    {"the second one", {77}, 1'000'001},
    {"also after one that told nothing: others may know its events", {0}, 1'000'001},
    {"and after two of them", {0, 0}, 2'000'001},
    {"one that told more than a million", {1'500'000}, 2'000'001},
    {"exactly a million", {1'000'000}, 2'000'001},
    {"a third one that follows a silent second", {77, 0}, 2'000'001},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto subject = roster{sites};
    std::uint64_t start = 1;
    for (const auto last : x.told) {
      subject.join(east, start++, somewhere);
      subject.enter(roster::phase::running);
      event told;
      told.id = {static_cast<std::uint16_t>(east), last};
      told.what = site_joined{1, false};
      if (last != 0)
        subject.knows(told, false);
    }
    subject.join(east, start, somewhere);
    EXPECT_EQ(subject.members()[east].process.first_event, x.expected);
    EXPECT_EQ(subject.members()[east].process.incarnation, x.told.size() + 1);
  }
}

/// The next director of a run, which knows what the one before wrote down: process 10 of each site.
roster next_director(const std::vector<payload>& noted) {
  roster result{sites};
  known_process known;
  known.start = 10;
  known.incarnation = 1;
  for (const auto* site : {"east", "west"})
    result.restore(site, known, 5);
  result.enter(roster::phase::running);
  std::uint64_t number = 0;
  for (const auto& x : noted) {
    event e;
    e.id = {0, ++number};
    e.what = x;
    if (std::holds_alternative<site_joined>(x))
      e.id.site = static_cast<std::uint16_t>(east);
    result.knows(e, true);
  }
  return result;
}

TEST(Roster, TheNextDirectorTellsThatALostSiteReturned) {
  auto subject = next_director({site_lost{"east", "silence"}});
  EXPECT_EQ(subject.members()[east].lines, 5u);
  play(subject,
       {joins("it was lost, and is here", east, 10,
              "remember east, accept east, returned east, plan east"),
        joins("west was not", west, 10, "remember west, accept west, plan west, peers east"),
        {"both came", [](roster& x) { return x.give_up_absent(); }, ""}});

  subject = next_director({site_lost{"east", "silence"}, site_returned{"east"}});
  play(subject, {joins("the one before said so", east, 10, "remember east, accept east, plan east"),
                 {"west did not come", [](roster& x) { return x.give_up_absent(); },
                  "lost west: it did not come to the next director"},
                 {"which is said once", [](roster& x) { return x.give_up_absent(); }, ""}});

  subject = next_director({site_lost{"east", "silence"}, site_joined{2, true}});
  play(subject,
       {joins("its next process said so", east, 10, "remember east, accept east, plan east")});

  subject = next_director({site_lost{"east", "silence"}});
  play(subject, {joins("another process joins, and does not return", east, 11,
                       "remember east, accept east, plan east"),
                 joins("west", west, 10, "remember west, accept west, plan west, peers east")});

  subject = next_director({site_lost{"east", "silence"}});
  EXPECT_FALSE(subject.all_settled()) << "it may still come";
  play(subject, {{"its loss is known", [](roster& x) { return x.give_up_absent(); },
                  "lost west: it did not come to the next director"}});
  EXPECT_TRUE(subject.all_settled());
}

TEST(Roster, KnowsHowMuchEachProcessTold) {
  roster x{sites};
  x.join(east, 5, somewhere);
  x.told(east, 7);
  EXPECT_EQ(x.known_of(east, 5), std::nullopt) << "it takes part";
  x.join(east, 6, somewhere);
  EXPECT_EQ(x.known_of(east, 5), 7u);
  EXPECT_EQ(x.known_of(east, 6), std::nullopt);
  EXPECT_EQ(x.known_of(east, 4), std::nullopt) << "of another run";
  EXPECT_EQ(x.known_of(west, 5), std::nullopt);
  x.told_of(east, 5, 9);
  x.told_of(east, 5, 8);
  x.join(east, 8, somewhere);
  EXPECT_EQ(x.known_of(east, 5), 9u);
  EXPECT_EQ(x.known_of(east, 6), 0u) << "it told nothing";

  roster next{sites};
  next.restore("east", x.members()[east].process, 3, x.members()[east].earlier);
  EXPECT_EQ(next.known_of(east, 5), 9u);
  next.join(east, 9, somewhere);
  EXPECT_EQ(next.known_of(east, 8), 3u);
}

} // namespace
