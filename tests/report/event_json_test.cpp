#include "model/random.hpp"
#include "report/event_reader.hpp"
#include "report/json_text.hpp"
#include "tests/report/log_builder.hpp"
#include "tests/support/golden.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <sstream>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

const std::vector<std::string> sites{"director", "us-east1"};

/// Fills the fields of a payload with values that differ from each other and from the defaults.
class filler {
public:
  void operator()(std::string_view, bool& x) { x = true; }
  template <std::integral T>
  void operator()(std::string_view, T& x) {
    x = static_cast<T>(next_++);
  }
  void operator()(std::string_view, duration& x) { x = duration{next_++}; }
  void operator()(std::string_view name, std::string& x) {
    x = std::string{name} + " \"\\\n\t\x01\xC3\xA9 " + std::to_string(next_++);
  }
  void operator()(std::string_view, health& x) { x = health::unhealthy; }
  void operator()(std::string_view, instance_state& x) { x = instance_state::stopped; }
  void operator()(std::string_view, outlier_action& x) { x = outlier_action::returned; }
  void operator()(std::string_view, connectivity& x) { x = connectivity::transient_failure; }
  void operator()(std::string_view, connection_reason& x) { x = connection_reason::timed_out; }
  void operator()(std::string_view, ejection_type& x) {
    x = ejection_type::consecutive_gateway_failure;
  }
  template <class T>
  void operator()(std::string_view, std::array<T, outcome_count>& x) {
    // Every other outcome stays zero, and is left out of the file.
    for (std::size_t i = 0; i < x.size(); i += 2)
      x[i] = static_cast<T>(next_++);
  }
  void operator()(std::string_view, std::vector<std::pair<std::uint32_t, std::uint64_t>>& x) {
    x = {{3, 4}, {5, std::numeric_limits<std::uint64_t>::max()}};
  }
  void operator()(std::string_view, std::vector<std::pair<std::string, std::int64_t>>& x) {
    x = {{"z", -1}, {"a", std::numeric_limits<std::int64_t>::min()}};
  }

private:
  int next_ = 100;
};

/// Calls `f` with each payload kind in turn, default-made.
template <class F, std::size_t... I>
void for_each_payload(F f, std::index_sequence<I...>) {
  (f(std::variant_alternative_t<I, payload>{}), ...);
}

template <class F>
void for_each_payload(F f) {
  for_each_payload(f, std::make_index_sequence<std::variant_size_v<payload>>{});
}

TEST(EventJson, IsALineWithIdTimeEntityKindCauseAndFields) {
  const event subject{{1, 42},
                      {0, 3},
                      run_start + 300s,
                      "us-east1/checkout/web/source",
                      source_changed{health::healthy, health::unhealthy, 5, 10, 6}};
  EXPECT_EQ(to_json(subject, sites),
            R"({"id":"us-east1#42","at_ns":300000000000,"entity":"us-east1/checkout/web/source",)"
            R"("kind":"source_changed","cause":"director#3","before":"HEALTHY",)"
            R"("after":"UNHEALTHY","healthy":5,"total":10,"needed":6})");
}

TEST(EventJson, LeavesOutAMissingCauseAndOutcomesThatAreZero) {
  attempt_sample sample{"us-east1", 3, {}};
  sample.ended[0] = 2;
  sample.ended[8] = 1;
  const event subject{{0, 1}, {}, run_start, "director", sample};
  EXPECT_EQ(to_json(subject, sites),
            R"({"id":"director#1","at_ns":0,"entity":"director","kind":"attempt_sample",)"
            R"("region":"us-east1","sent":3,"ended":{"ok":2,"lost":1}})");
}

TEST(EventJson, WritesPairsAsArraysAndNamedNumbersAsAnObject) {
  const event sample{{0, 1}, {}, run_start, "director", client_sample{1, 0, {}, {{7, 2}, {9, 1}}}};
  EXPECT_NE(to_json(sample, sites).find(R"("latency":[[7,2],[9,1]]})"), std::string::npos);
  const event decision{{0, 1},
                       {},
                       run_start,
                       "director",
                       scaling_decided{"kpa", 1, 2, 1, 0, "CPU", {{"z", -5}, {"a", 6}}}};
  EXPECT_NE(to_json(decision, sites).find(R"("inputs":{"z":-5,"a":6}})"), std::string::npos);
}

TEST(FieldsText, ShowsFieldsForPeople) {
  event subject;
  subject.what = source_changed{health::healthy, health::unhealthy, 5, 10, 6};
  EXPECT_EQ(fields_text(subject), "before=HEALTHY after=UNHEALTHY healthy=5 total=10 needed=6");
  subject.what = fault_started{0, "5 of 10 silent", ""};
  EXPECT_EQ(fields_text(subject), R"(index=0 what="5 of 10 silent" target="" name="")");
  subject.what = scaling_decided{"kpa", 1, 2, 1, 0, "CPU", {{"want", 2}}};
  EXPECT_EQ(fields_text(subject),
            R"(policy=kpa before=1 after=2 running=1 starting=0 driver=CPU inputs={"want":2})");
}

TEST(JsonString, EscapesWhatJsonAsksFor) {
  const struct {
    const char* why;
    std::string text;
    std::string expected;
  } cases[] = {
    {"plain text stays", "us-east1/checkout", R"("us-east1/checkout")"},
    {"quotes and backslashes", R"(a"b\c)", R"("a\"b\\c")"},
    {"short forms", "\b\f\n\r\t", R"("\b\f\n\r\t")"},
    {"other controls, zero among them", std::string{"\x00\x1f", 2}, R"("\u0000\u001f")"},
    {"two, three and four bytes", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
     "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
    {"a lone continuation", "a\x80z", "\"a\xEF\xBF\xBDz\""},
    {"a sequence that breaks off", "\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"an overlong form", "\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"a surrogate", "\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"beyond U+10FFFF", "\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::string result;
    append_json_string(result, x.text);
    EXPECT_EQ(result, x.expected);
  }
}

TEST(JsonString, IsValidJsonWhateverTheBytes) {
  random_stream random{7, "json"};
  for (int round = 0; round < 2'000; ++round) {
    std::string text(random.below(12), '\0');
    for (auto& c : text)
      c = static_cast<char>(random.below(256));
    std::string result;
    append_json_string(result, text);
    EXPECT_FALSE(nlohmann::json::parse(result, nullptr, false).is_discarded()) << result;
  }
}

TEST(EventJson, ReadsBackEveryKindAsItWas) {
  for_each_payload([](auto what) {
    using kind = decltype(what);
    SCOPED_TRACE(kind::kind);
    filler fill;
    kind::fields(fill, what);
    for (const auto& payload_now : {kind{}, what}) {
      const event subject{{1, 42}, {0, 3}, run_start + 7ns, "us-east1/checkout/web/7", payload_now};
      const auto line = to_json(subject, sites);
      EXPECT_TRUE(nlohmann::json::parse(line, nullptr, false).is_object()) << line;
      std::string problem;
      const auto read = parse_event(line, sites, problem);
      ASSERT_TRUE(read) << problem << "\n" << line;
      EXPECT_EQ(read->id, subject.id);
      EXPECT_EQ(read->cause, subject.cause);
      EXPECT_EQ(read->at, subject.at);
      EXPECT_EQ(read->entity, subject.entity);
      EXPECT_EQ(read->what.index(), subject.what.index());
      EXPECT_EQ(to_json(*read, sites), line);
    }
  });
}

TEST(EventReader, TakesWhatOlderLogsLackForNothing) {
  revision_sample sample;
  sample.ready = 3;
  const event subject{{1, 1}, {}, run_start, "us-east1/checkout/web", sample};
  auto line = to_json(subject, sites);
  const auto later = line.find(",\"billed_milli\"");
  ASSERT_NE(later, std::string::npos);
  line.replace(later, line.size() - later, "}");
  std::string problem;
  const auto read = parse_event(line, sites, problem);
  ASSERT_TRUE(read) << problem;
  EXPECT_EQ(to_json(*read, sites), to_json(subject, sites));
  line.erase(line.find(",\"ready\""), sizeof(",\"ready\":3") - 1);
  EXPECT_FALSE(parse_event(line, sites, problem));
  EXPECT_EQ(problem, "no ready");
}

TEST(EventReader, SaysWhatIsWrongWithALine) {
  const std::string good = R"({"id":"us-east1#1","at_ns":5,"entity":"us-east1/x","kind":)"
                           R"("queue_changed","length":3})";
  const struct {
    const char* why;
    std::string from;
    std::string to;
    std::string problem;
  } cases[] = {
    {"no JSON", "{", "", "not a JSON object"},
    {"an unknown kind", "queue_changed", "queue_grew", "kind: there is no queue_grew"},
    {"a missing field", "length", "width", "no length"},
    {"a missing time", "at_ns", "at", "no at_ns"},
    {"a wrong type", ":3}", R"(:"3"})", R"(length: cannot be "3")"},
    {"a negative count", ":3}", ":-3}", "length: cannot be -3"},
    {"a count out of range", ":3}", ":4294967296}", "length: cannot be 4294967296"},
    {"a fraction", ":3}", ":3.0}", "length: cannot be 3.0"},
    {"an unknown site", "us-east1#1", "mars#1",
     "id: mars#1 is not a site of this log and a number"},
    {"no number", "us-east1#1", "us-east1#",
     "id: us-east1# is not a site of this log and a number"},
    {"number 0", "us-east1#1", "us-east1#0",
     "id: us-east1#0 is not a site of this log and a number"},
    {"another site's entity", "us-east1/x", "director",
     "entity: director does not belong to the site of us-east1#1"},
  };
  std::string problem;
  ASSERT_TRUE(parse_event(good, sites, problem)) << problem;
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto line = good;
    line.replace(line.find(x.from), x.from.size(), x.to);
    EXPECT_FALSE(parse_event(line, sites, problem));
    EXPECT_EQ(problem, x.problem);
  }
}

TEST(EventReader, ReadsAWholeLogWithTheSameIds) {
  const auto run = test::clean_failover({"clients-east", "clients-west"});
  std::stringstream file;
  write_event_log(file, run.log);
  const auto text = file.str();
  std::string problem;
  const auto read = read_event_log(file, problem);
  ASSERT_TRUE(read) << problem;
  EXPECT_EQ(read->sites(), run.log.sites());
  ASSERT_EQ(read->events().size(), run.log.events().size());
  for (std::size_t i = 0; i < read->events().size(); ++i) {
    EXPECT_EQ(read->events()[i].id, run.log.events()[i].id);
    EXPECT_EQ(read->events()[i].cause, run.log.events()[i].cause);
  }
  std::stringstream again;
  write_event_log(again, *read);
  EXPECT_EQ(again.str(), text);
  EXPECT_EQ(read->latest("us-east1/checkout/composite"),
            run.log.latest("us-east1/checkout/composite"));
}

TEST(EventReader, SaysInWhichLineALogIsWrong) {
  const std::string head = R"({"kind":"event_log","version":1,"sites":["director"]})";
  const std::string first =
    R"({"id":"director#1","at_ns":0,"entity":"director","kind":"queue_changed","length":0})";
  const std::string third =
    R"({"id":"director#3","at_ns":0,"entity":"director","kind":"queue_changed","length":0})";
  const auto with_cause = [](const std::string& cause) {
    return R"({"id":"director#1","at_ns":0,"entity":"director","kind":"queue_changed","cause":")"
           + cause + "\",\"length\":0}\n";
  };
  const struct {
    const char* why;
    std::string text;
    std::string problem;
  } cases[] = {
    {"nothing", "", "line 1: empty"},
    {"no head", first + "\n", "line 1: not the head of an event log of version 1"},
    {"another version", R"({"kind":"event_log","version":2,"sites":[]})",
     "line 1: not the head of an event log of version 1"},
    {"sites that are no names", R"({"kind":"event_log","version":1,"sites":[1]})",
     "line 1: sites: must be at most 65,535 names"},
    {"a broken line", head + "\n" + first + "\n{\n", "line 3: not a JSON object"},
    {"a gap", head + "\n" + first + "\n" + third + "\n",
     "line 3: id: director#3 where director#2 comes next"},
    {"an event that is its own cause", head + "\n" + with_cause("director#1"),
     "line 2: cause: director#1 does not come before its effect director#1"},
    {"a cause that comes later", head + "\n" + with_cause("director#2") + third,
     "line 2: cause: director#2 does not come before its effect director#1"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::istringstream in{x.text};
    std::string problem;
    EXPECT_FALSE(read_event_log(in, problem));
    EXPECT_EQ(problem, x.problem);
  }
}

// A run that was killed leaves whole lines, and at most one that breaks off.
TEST(EventReader, PassesOverALastLineThatBreaksOffWhenToldTo) {
  const std::string head = "{\"kind\":\"event_log\",\"version\":1,\"sites\":[\"director\"]}\n";
  const std::string first =
    "{\"id\":\"director#1\",\"at_ns\":0,\"entity\":\"director\",\"kind\":\"queue_changed\",\"length\":7}";
  const auto text = head + first + "\n";
  for (std::size_t size = head.size(); size <= text.size(); ++size) {
    SCOPED_TRACE(size);
    std::istringstream in{text.substr(0, size)};
    std::string problem;
    const auto log = read_event_log(in, problem, last_line::may_break_off);
    ASSERT_TRUE(log) << problem;
    EXPECT_EQ(log->events().size(), size == text.size() ? 1u : 0u);
  }
  std::istringstream in{head + "{\n" + first};
  std::string problem;
  EXPECT_FALSE(read_event_log(in, problem, last_line::may_break_off));
  EXPECT_EQ(problem, "line 2: not a JSON object") << "a whole line must be right";
}

TEST(EventsDocument, NamesEveryKindAndField) {
  const auto text = test::read_file("docs/events.md");
  for_each_payload([&text](auto what) {
    using kind = decltype(what);
    const auto title = "### " + std::string{kind::kind} + "\n";
    const auto begin = text.find(title);
    ASSERT_NE(begin, std::string::npos) << kind::kind;
    const auto section = text.substr(begin, text.find("\n#", begin + title.size()) - begin);
    const auto expect_field = [&section](std::string_view name, auto&) {
      EXPECT_NE(section.find("`" + std::string{name} + "`"), std::string::npos)
        << kind::kind << ": " << name;
    };
    kind::fields(expect_field, what);
  });
}

} // namespace
