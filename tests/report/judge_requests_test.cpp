#include "tests/report/judged.hpp"
#include "tests/report/log_builder.hpp"

namespace spillover::test {
namespace {

using namespace std::chrono_literals;

expect_errors errors(duration from, duration to, double at_most, std::string consumer = {},
                     std::string region = {}) {
  return {run_start + from, run_start + to, at_most, std::move(consumer), std::move(region), {}};
}

expect_errors outage(duration from, duration to, double at_least,
                     std::optional<double> at_most = std::nullopt) {
  return {.from = run_start + from, .to = run_start + to, .at_most = at_most, .at_least = at_least};
}

void tries_second(log_builder& to, duration at, const std::string& region, std::uint32_t good,
                  std::uint32_t bad, std::string_view consumer = "clients-east") {
  attempt_sample sample;
  sample.region = region;
  sample.sent = good + bad;
  sample.ended[static_cast<std::size_t>(outcome::ok)] = good;
  sample.ended[static_cast<std::size_t>(outcome::unavailable)] = bad;
  to.add(at, std::string{consumer} + "/lb", {}, sample);
}

log_builder few_seconds() {
  log_builder run;
  run.client_second(180s, 0, 50); // [179, 180): still in the warm-up
  run.client_second(181s, 95, 5);
  run.client_second(182s, 100, 0);
  run.client_second(182s, 100, 0, "clients-west");
  run.client_second(183s, 0, 20);
  run.client_second(183s, 40, 0, "clients-west");
  tries_second(run, 181s, "us-east1", 90, 10);
  tries_second(run, 181s, "us-west1", 7, 3);
  tries_second(run, 182s, "us-east1", 100, 0);
  tries_second(run, 182s, "us-east1", 0, 5, "clients-west");
  return run;
}

TEST(JudgeErrors, CountWhatEndedInTheWindow) {
  auto run = few_seconds();
  run.end();
  const judged_case cases[] = {
    {"within the limit", errors(180s, 182s, 0.02), true, "1.67 % (5 of 300)", 16'667, 182s},
    {"exactly the limit", errors(180s, 181s, 0.05), true, "5.00 % (5 of 100)", 50'000, 181s},
    {"a little below it", errors(180s, 181s, 0.0499), false, "5.00 % (5 of 100)", 50'000, 181s},
    {"the warm-up is left out", errors(0s, 181s, 1), true, "5.00 % (5 of 100)", 50'000, 181s},
    {"a second that overlaps the window", errors(181'500ms, 181'600ms, 0), true,
     "0.00 % (0 of 200)", 0, 182s},
    {"certain when more failed than the whole window allows", errors(180s, 183s, 0.01), false,
     "6.94 % (25 of 360)", 69'445, 181s},
    {"not before", errors(180s, 183s, 0.02), false, "6.94 % (25 of 360)", 69'445, 183s},
    {"of one consumer", errors(180s, 183s, 0, "clients-west"), true, "0.00 % (0 of 140)", 0, 183s},
    {"of the other one", errors(180s, 183s, 0, "clients-east"), false, "11.36 % (25 of 220)",
     113'637, 181s},
    {"tries in a region", errors(180s, 182s, 0.1, "", "us-east1"), true, "7.32 % (15 of 205)",
     73'171, 182s},
    {"of one consumer in a region", errors(180s, 182s, 0.1, "clients-west", "us-east1"), false,
     "100.00 % (5 of 5)", 1'000'000, 182s},
    {"exactly the least", outage(180s, 181s, 0.05), true, "5.00 % (5 of 100)", 50'000, 181s},
    {"a little above it", outage(180s, 181s, 0.0501), false, "5.00 % (5 of 100)", 50'000, 181s},
    {"certain at the end of the window only", outage(180s, 183s, 0.07), false, "6.94 % (25 of 360)",
     69'445, 183s},
    {"between both", outage(180s, 181s, 0.05, 0.05), true, "5.00 % (5 of 100)", 50'000, 181s},
    {"above both", outage(180s, 181s, 0.01, 0.04), false, "5.00 % (5 of 100)", 50'000, 181s},
    {"nothing ended", errors(300s, 360s, 1), false, "no request ended then", std::nullopt,
     std::nullopt},
    {"nothing ended in the region", errors(180s, 183s, 1, "clients-west", "us-west1"), false,
     "no try ended then", std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

TEST(JudgeErrors, EndWithARunThatWasStopped) {
  auto run = few_seconds();
  run.add(183s, "director", {}, run_stopped{"queue"});
  run.add(183s, "director", {}, run_ended{});
  const judged_case cases[] = {
    {"what was seen is judged", errors(182s, 360s, 1), true, "33.33 % (20 of 60)", 333'334, 183s},
    {"nothing was seen", errors(183s, 360s, 1), false, "stopped before", std::nullopt,
     std::nullopt},
  };
  expect_judged(run.log, cases);
}

void latency_second(log_builder& to, duration at,
                    std::vector<std::pair<duration, std::uint64_t>> ok,
                    std::string_view consumer = "clients-east") {
  client_sample sample;
  for (const auto& [latency, count] : ok)
    sample.latency.emplace_back(latency_histogram::bucket_of(latency), count);
  to.add(at, std::string{consumer} + "/clients", {}, sample);
}

TEST(JudgeLatency, IsAQuantileOfWhatEndedWell) {
  log_builder run;
  latency_second(run, 180s, {{9s, 100}});
  latency_second(run, 181s, {{10ms, 95}, {1s, 1}});
  latency_second(run, 182s, {{10ms, 99}, {1s, 1}});
  latency_second(run, 183s, {{10ms, 1}, {1s, 3}});
  latency_second(run, 183s, {{20ms, 100}}, "clients-west");
  run.end();
  const auto bound = [](duration x) {
    return latency_histogram::upper_bound(latency_histogram::bucket_of(x));
  };
  const auto fast = bound(10ms);
  const auto slow = bound(1s);
  const auto latency = [](double quantile, duration from, duration to, duration at_most,
                          std::string consumer = {}) {
    return expect_latency{quantile, run_start + from, run_start + to, at_most, std::move(consumer)};
  };
  const judged_case cases[] = {
    {"1 of 100 may be slower", latency(0.99, 181s, 182s, 100ms), true, "10 ms of 100 requests",
     fast.count(), 182s},
    {"exactly the limit", latency(0.99, 181s, 182s, fast), true, "10 ms of 100 requests",
     fast.count(), 182s},
    {"a nanosecond less", latency(0.99, 181s, 182s, fast - 1ns), false, "10.112 ms of 100 requests",
     fast.count(), 182s},
    {"the slowest", latency(1, 181s, 182s, 100ms), false, "1.0 s of 100 requests", slow.count(),
     182s},
    {"the warm-up is left out", latency(1, 0s, 181s, 5s), true, "1.0 s of 96 requests",
     slow.count(), 181s},
    {"5 of 200 are slower where 2 may be, certain with the third",
     latency(0.99, 180s, 183s, 100ms, "clients-east"), false, "1.0 s of 200 requests", slow.count(),
     183s},
    {"of one consumer", latency(0.99, 180s, 183s, 100ms, "clients-west"), true,
     "20 ms of 100 requests", bound(20ms).count(), 183s},
    {"nothing ended ok", latency(0.5, 300s, 360s, 1h), false, "no request ended ok then",
     std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

books_closed consumer_books(std::uint64_t taken, std::uint64_t ok, std::uint64_t failed) {
  books_closed x;
  x.account = "consumer";
  x.taken = taken;
  x.ended[static_cast<std::size_t>(outcome::ok)] = ok;
  x.ended[static_cast<std::size_t>(outcome::lb_timeout)] = failed;
  x.in_flight = taken - ok - failed;
  return x;
}

TEST(JudgeLost, CountsFailuresAndWhatIsOpenThoughNotYoung) {
  log_builder run{20min, 3min};
  client_sample begun;
  begun.started = 40;
  run.client_second(180s, 0, 50);
  run.client_second(300s, 10, 2);
  run.client_second(301s, 10, 1);
  run.add(1180s, "clients-west/clients", {}, begun);
  run.add(1190s, "clients-west/clients", {}, begun); // ends as the young ones' time begins
  run.add(1195s, "clients-west/clients", {}, begun);
  run.add(20min, "clients-east/clients", {}, consumer_books(73, 20, 53));
  // 122 begun, 42 of them young; 45 are open, of which 3 at least are not young.
  run.add(20min, "clients-west/clients", {}, consumer_books(122, 77, 0));
  run.end();
  const judged_case cases[] = {
    {"exactly the limit", expect_lost{6}, true, "6 lost: 3 failed, 3 still open", 6, 20min},
    {"open ones decide at the end", expect_lost{5}, false, "6 lost: 3 failed, 3 still open", 6,
     20min},
    {"failures decide when they happen", expect_lost{2}, false, "6 lost: 3 failed, 3 still open", 6,
     301s},
    {"none", expect_lost{}, false, "6 lost: 3 failed, 3 still open", 6, 300s},
    {"of one consumer", expect_lost{3, "clients-east"}, true, "3 lost: 3 failed, 0 still open", 3,
     20min},
    {"younger still: nobody knows more of the rest", expect_lost{0, "clients-west", 5s}, false,
     "43 lost: 0 failed, 43 still open", 43, 20min},
    {"all of them may be young", expect_lost{0, "clients-west", 20s}, true,
     "0 lost: 0 failed, 0 still open", 0, 20min},
    {"a consumer without requests", expect_lost{0, "nobody"}, false, "no request was begun",
     std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

} // namespace
} // namespace spillover::test
