#include "tests/report/judged.hpp"
#include "tests/report/log_builder.hpp"

namespace spillover::test {
namespace {

using namespace std::chrono_literals;

const std::string web = "us-west1/checkout/web";

revision_sample sample(std::uint32_t arrivals, std::uint32_t ready, std::uint32_t queue_peak = 0) {
  revision_sample x;
  x.arrivals = arrivals;
  x.ready = ready;
  x.queue_peak = queue_peak;
  return x;
}

TEST(JudgeQueue, FailsInTheFirstSecondAboveTheLimit) {
  log_builder run;
  run.add(180s, web, {}, sample(0, 1, 900)); // still in the warm-up
  run.add(181s, web, {}, sample(0, 1, 10));
  run.add(182s, web, {}, sample(0, 1, 500));
  run.add(183s, web, {}, sample(0, 1, 600));
  run.add(183s, "us-west1/checkout/web2", {}, sample(0, 1, 999));
  run.add(184s, web, {}, sample(0, 1, 20));
  run.end();
  const judged_case cases[] = {
    {"the longest one decides", expect_queue{.of = web, .at_most = 1'000}, true, "peak 600", 600,
     183s},
    {"exactly the limit", expect_queue{.of = web, .at_most = 600}, true, "peak 600", 600, 183s},
    {"one more", expect_queue{.of = web, .at_most = 599}, false, "peak 600", 600, 183s},
    {"the first of several", expect_queue{.of = web, .at_most = 499}, false, "peak 600", 600, 182s},
    {"before a window", expect_queue{.of = web, .from = run_start + 183s, .at_most = 100}, true,
     "peak 20", 20, 184s},
    {"up to a window's end", expect_queue{.of = web, .to = run_start + 181s, .at_most = 10}, true,
     "peak 10", 10, 181s},
    {"no second", expect_queue{.of = web, .from = run_start + 300s, .at_most = 10}, false,
     "no second lies there", std::nullopt, std::nullopt},
  };
  // The window [183, ...) begins with the second that ends at 184.
  expect_judged(run.log, cases);
}

TEST(JudgeRate, IsTheMeanOverTheSecondsOfTheWindow) {
  log_builder run;
  run.add(180s, web, {}, sample(9'000, 1));
  run.add(181s, web, {}, sample(100, 1));
  run.add(182s, web, {}, sample(301, 1));
  run.add(182s, "us-west1/checkout/api", {}, sample(99, 1));
  run.add(182s, "us-east1/checkout/web", {}, sample(9'999, 1));
  run.end();
  const auto rate = [](std::string of, duration to, std::optional<double> least,
                       std::optional<double> most) {
    return expect_rate{std::move(of), run_start + 180s, run_start + to, least, most};
  };
  const judged_case cases[] = {
    {"of a backend service", rate(web, 182s, 200, 201), true, "200.5/s", 200'500, 182s},
    {"of a region, each second once", rate("us-west1", 182s, 250, 250), true, "250/s", 250'000,
     182s},
    {"exactly the least", rate(web, 182s, 200.5, std::nullopt), true, "200.5/s", 200'500, 182s},
    {"a thousandth more is too much to ask", rate(web, 182s, 200.501, std::nullopt), false,
     "200.5/s", 200'500, 182s},
    {"exactly the most", rate(web, 182s, std::nullopt, 200.5), true, "200.5/s", 200'500, 182s},
    {"certain when more came than the whole window allows", rate(web, 182s, std::nullopt, 49.9),
     false, "200.5/s", 200'500, 181s},
    {"but not before", rate(web, 182s, std::nullopt, 50), false, "200.5/s", 200'500, 182s},
    {"none", rate("clients-east", 182s, 0, std::nullopt), false, "no second lies there",
     std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

TEST(JudgeInstances, CountsThoseThatServe) {
  log_builder run;
  auto mixed = sample(0, 3);
  mixed.deprioritised = 2;
  mixed.starting = 9;
  mixed.draining = 9;
  mixed.crashed = 9;
  run.add(179s, web, {}, sample(0, 1));
  run.add(180s, web, {}, sample(0, 4)); // at the end of the warm-up
  run.add(181s, web, {}, mixed);
  run.add(182s, web, {}, sample(0, 8));
  run.add(183s, web, {}, sample(0, 7));
  run.end();
  const auto between = [](duration from, duration to, std::optional<std::uint32_t> least,
                          std::optional<std::uint32_t> most) {
    return expect_instances{web, run_start + from, run_start + to, least, most};
  };
  const judged_case cases[] = {
    {"at an instant", between(181s, 181s, 5, 5), true, "5 instances", 5, 181s},
    {"as they were last seen", between(181'900ms, 181'900ms, 5, 5), true, "5 instances", 5, 181s},
    {"too few", between(181s, 181s, 6, std::nullopt), false, "5 instances", 5, 181s},
    {"not even one is too many", between(181s, 181s, std::nullopt, 4), false, "5 instances", 5,
     181s},
    {"both ends of a window count", between(180s, 183s, 4, 8), true, "4 to 8 instances", 8, 183s},
    {"the first second with too few", between(180s, 183s, 6, std::nullopt), false,
     "4 to 8 instances", 4, 180s},
    {"the first second with too many", between(180s, 183s, std::nullopt, 6), false,
     "4 to 8 instances", 8, 182s},
    {"the warm-up is left out", between(0s, 180s, 2, std::nullopt), true, "4 instances", 4, 180s},
    {"no second", between(184s, 190s, 0, std::nullopt), false, "no second lies there", std::nullopt,
     std::nullopt},
  };
  expect_judged(run.log, cases);
}

TEST(JudgeCost, AddsUpWhatIsBilled) {
  log_builder run;
  const auto second = [&run](duration at, std::uint64_t full, std::uint64_t idle) {
    auto x = sample(0, 99);
    x.billed_milli = full;
    x.billed_idle_milli = idle;
    run.add(at, web, {}, x);
  };
  second(180s, 9'000, 9'000); // still in the warm-up
  second(181s, 1'000, 250);
  second(182s, 500, 250);
  second(183s, 2'000, 40);
  run.end();
  const auto cost = [](std::uint64_t limit, std::optional<duration> from,
                       std::optional<duration> to) {
    const auto at = [](const auto& x) { return x ? std::optional{run_start + *x} : std::nullopt; };
    return expect_cost{.vcpu_seconds_at_most = limit, .from = at(from), .to = at(to)};
  };
  const judged_case cases[] = {
    {"idle minimum instances as well", cost(5, {}, {}), true, "4.0 vCPU-seconds", 4'040, 183s},
    {"a little more", cost(4, {}, {}), false, "4.0 vCPU-seconds", 4'040, 183s},
    {"exactly the limit", cost(2, {}, 182s), true, "2.0 vCPU-seconds", 2'000, 182s},
    {"the first second above", cost(1, {}, 182s), false, "2.0 vCPU-seconds", 2'000, 181s},
    {"from an instant on", cost(2, 182s, {}), false, "2.0 vCPU-seconds", 2'040, 183s},
    {"no second", cost(2, 300s, {}), false, "no second lies there", std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

TEST(JudgeCost, AddsUpWhatIsPaidFor) {
  log_builder run;
  auto all = sample(0, 1);
  all.starting = 2;
  all.deprioritised = 3;
  all.draining = 4;
  all.crashed = 100;
  run.add(180s, web, {}, sample(0, 1'000));
  run.add(181s, web, {}, all);
  run.add(182s, web, {}, sample(0, 5));
  run.add(182s, "us-east1/checkout/web", {}, sample(0, 100));
  run.end();
  const judged_case cases[] = {
    {"everything", expect_cost{"", 115}, true, "115 instance-seconds", 115, 182s},
    {"a region, exactly the limit", expect_cost{"us-west1", 15}, true, "15 instance-seconds", 15,
     182s},
    {"one less", expect_cost{"us-west1", 14}, false, "15 instance-seconds", 15, 182s},
    {"the first second above", expect_cost{web, 9}, false, "15 instance-seconds", 15, 181s},
    {"nothing is free of charge", expect_cost{"nowhere", 9}, false, "no second lies there",
     std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

TEST(JudgeRevisions, EndWithARunThatWasStopped) {
  log_builder run;
  run.add(181s, web, {}, sample(10, 4, 5));
  run.add(181s, "director", {}, run_stopped{"enough"});
  run.add(181s, "director", {}, run_ended{});
  const judged_case cases[] = {
    {"a queue as far as it was seen", expect_queue{.of = web, .at_most = 5}, true, "peak 5", 5,
     181s},
    {"a rate of what was seen", expect_rate{web, run_start + 180s, run_start + 200s, 10, 10}, true,
     "10/s", 10'000, 181s},
    {"instances at an instant that did not come",
     expect_instances{web, run_start + 182s, run_start + 182s, 0, std::nullopt}, false,
     "stopped before", std::nullopt, std::nullopt},
    {"a window that did not come", expect_queue{.of = web, .from = run_start + 181s, .at_most = 5},
     false, "stopped before", std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

} // namespace
} // namespace spillover::test
