#include "report/verdict.hpp"
#include "tests/report/log_builder.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;

constexpr auto header =
  "second,level,consumer,region,sent,ok,too_many_requests,internal_error,bad_gateway,unavailable,"
  "gateway_timeout,lb_timeout,client_timeout,lost,region_arrivals,region_completions,"
  "region_failures,region_queue,region_ready,region_starting\n";

TEST(RequestsCsv, HasARowForEachSecondConsumerAndRegion) {
  log_builder run;
  revision_sample web{10, 9, 1, 4, 5, 0, 0, 6, 2, 3, 0, 0, 0};
  run.add(2s, "us-west1/checkout/web", {}, web);
  run.add(2s, "us-west1/checkout/api", {}, web);
  run.add(1s, "us-east1/checkout/web", {}, web);
  attempt_sample tries{"us-west1", 12, {}};
  tries.ended[0] = 7;
  tries.ended[8] = 5;
  run.add(2s, "clients-west/lb", {}, tries);
  run.add(2s, "clients-east/lb", {}, tries);
  tries.region = "us-east1";
  run.add(2s, "clients-east/lb", {}, tries);
  run.client_second(2s, 11, 2);
  EXPECT_EQ(requests_csv(run.log),
            std::string{header}
              + "1,requests,clients-east,,13,11,0,0,0,0,0,2,0,0,,,,,,\n"
                "1,tries,clients-east,us-east1,12,7,0,0,0,0,0,0,0,5,0,0,0,0,0,0\n"
                "1,tries,clients-east,us-west1,12,7,0,0,0,0,0,0,0,5,20,18,2,8,6,4\n"
                "1,tries,clients-west,us-west1,12,7,0,0,0,0,0,0,0,5,20,18,2,8,6,4\n");
}

TEST(RequestsCsv, OfAnEmptyLogIsItsHeader) {
  EXPECT_EQ(requests_csv(event_log{{"director"}}), header);
}

TEST(RequestsCsv, QuotesNamesThatNeedIt) {
  event_log log{{"a,\"b\""}};
  log.record(run_start + 1s, "a,\"b\"/clients", {}, client_sample{});
  EXPECT_EQ(requests_csv(log),
            std::string{header} + "0,requests,\"a,\"\"b\"\"\",,0,0,0,0,0,0,0,0,0,0,,,,,,\n");
}

} // namespace
