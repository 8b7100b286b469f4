#include "report/page.hpp"

#include "tests/report/log_builder.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/schema.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using nlohmann::json;
using test::log_builder;

const page_source source{"name: brownout\n", "spillover run scenario.yaml --seed 1",
                         "spillover 0.1.0"};

std::string data_of(const event_log& log) {
  return page_data(log, judge(log, {expect_failover{"us-east1", 20s}}, {}), source);
}

/// @returns what the schema has against a document.
std::string problems_of(const json& document) {
  return test::problems_with("docs/page.schema.json", document);
}

TEST(PageData, MatchesItsSchema) {
  EXPECT_EQ(problems_of(json::parse(data_of(test::clean_failover().log))), "");
  // A log that breaks off, and one that tells nothing at all.
  log_builder broken;
  broken.half_falls_silent();
  const auto data = json::parse(data_of(broken.log));
  EXPECT_EQ(problems_of(data), "");
  EXPECT_EQ(data["run"]["complete"], false);
  EXPECT_EQ(problems_of(json::parse(data_of(event_log{{"director"}}))), "");
}

TEST(PageData, TheSchemaRefusesWhatIsNotThere) {
  const auto whole = json::parse(data_of(test::clean_failover().log));
  for (const auto& [key, value] : whole.items()) {
    auto less = whole;
    less.erase(key);
    EXPECT_NE(problems_of(less), "") << key;
  }
  auto more = whole;
  more["curves"]["grid"]["extra"] = 1;
  EXPECT_NE(problems_of(more), "");
}

TEST(PageData, IsWholeWhateverNamesHold) {
  log_builder to;
  to.fault_starts(300s, "instances \xff </script>", "us-east1/checkout/web");
  const auto data = json::parse(data_of(to.log));
  EXPECT_EQ(data["faults"][0]["words"], "instances \uFFFD </script>");
}

TEST(PageData, OfAnHourOfManyRequestsIsBelowFiveMegabytes) {
  log_builder to{1h, 0s};
  latency_histogram wide;
  for (duration x = 10ms; x < 10s; x += x / 25)
    wide.add(x);
  // 2,800 requests a second, no two seconds alike, so that nothing is written shorter.
  for (std::uint32_t i = 1; i <= 3'600; ++i) {
    const auto at = std::chrono::seconds{i};
    client_sample clients;
    clients.started = 2'800 + i % 97;
    clients.ended[0] = 2'700 + i % 89;
    clients.ended[static_cast<std::size_t>(outcome::lost)] = i % 83;
    clients.latency = wide.sparse();
    for (auto& [bucket, count] : clients.latency)
      count = 5 + (bucket * i) % 53;
    for (const auto* consumer : {"clients-east", "clients-west"}) {
      to.add(at, consumer + std::string{"/clients"}, {}, clients);
      for (const auto* region : {"us-east1", "us-west1"}) {
        attempt_sample tries{region, 1'400 + i % 79};
        to.add(at, consumer + std::string{"/lb"}, {}, tries);
      }
    }
    for (const auto* backend : {"us-east1/checkout/web", "us-west1/checkout/web",
                                "us-east1/checkout/api", "us-west1/checkout/api"}) {
      to.add(at, backend, {},
             revision_sample{1'400 + i % 71, 1'400 + i % 67, i % 61, i % 59, i % 53,
                             50'000 + i % 4'999, 20'000 + i % 997, i % 47, i % 43, i % 41, i % 37,
                             i % 31, i % 29, 60'000 + i % 997, i % 23});
      to.add(at, backend, {},
             scaling_decided{
               "hpa", i % 50, (i + 1) % 50, 9, 1, "CPU", {{"cpu_current_percent", i % 100}}});
    }
  }
  to.end();
  const auto page = to_page(page_bundle(), data_of(to.log), "");
  EXPECT_LT(page.size(), 5'000'000u);
  // It does hold that much.
  EXPECT_GT(page.size(), 2'000'000u);
}

TEST(Page, PutsDataWhereNothingInItIsMarkup) {
  const auto page = to_page("<body><!--DATA--></body>", R"({"x":"</script><!--<script>&"})",
                            "a < b && c > d </pre>");
  EXPECT_EQ(page,
            "<body><script type=\"application/json\" id=\"data\">"
            "{\"x\":\"\\u003c/script>\\u003c!--\\u003cscript>&\"}</script>\n"
            "<noscript><pre>a &lt; b &amp;&amp; c &gt; d &lt;/pre&gt;</pre></noscript></body>");
}

TEST(Page, IsNoneWithoutOnePlaceForTheData) {
  for (const auto* bundle : {"", "<body></body>", "<!--DATA--> <!--DATA-->"})
    EXPECT_EQ(to_page(bundle, "{}", ""), "") << bundle;
}

TEST(Page, TheBundleHasThatPlaceAndAsksNobody) {
  const auto bundle = page_bundle();
  EXPECT_FALSE(to_page(bundle, "{}", "").empty());
  EXPECT_EQ(bundle, test::read_file("web/dist/report.html"));
  for (const auto* outside : {"src=\"", "@import", "url(http", "<link rel=\"stylesheet\""})
    EXPECT_EQ(bundle.find(outside), std::string_view::npos) << outside;
}

TEST(Markdown, TellsVerdictClocksAndHowToRepeatIt) {
  const auto log = test::clean_failover().log;
  const auto x =
    judge(log, {expect_failover{"us-east1", 20s}, {expect_failback{"us-east1", 1s}, "back"}}, {});
  test::expect_golden("tests/report/golden/clean_failover.md", to_markdown(x, log, source));
}

TEST(Markdown, ShowsNamesAsTheyAre) {
  event_log log{{"director"}};
  log.record(run_start, "director", {}, run_started{"a|b_c", "*x* <b>\ny", 1, 1s, 0s});
  log.record(run_start + 1s, "director", {}, run_ended{});
  const auto text = to_markdown(judge(log, {}, {}), log, source);
  EXPECT_TRUE(text.starts_with("## ✅ a\\|b\\_c: no expectations\n\n\\*x\\* \\<b\\> y\n")) << text;
}

} // namespace
