#include "tests/scenario/sample.hpp"

namespace spillover::test {

namespace {

const std::string extension =
  "checkout/web: policy cloud_run behind a composite health check is this emulator's extension "
  "(A-74); in Google Cloud a Cloud Run service cannot be a health source";

TEST(Notes, SayThatCloudRunBehindACompositeIsAnExtension) {
  const auto remarks = notes(valid(edited("web: {autoscaling: {min_instances: 1}}", "{}")));
  EXPECT_EQ(joined(remarks), extension);
}

TEST(Notes, SayWhenOneNewInstanceWouldFailTheRegionOver) {
  // 1 of 2 is 50 %, 2 of 3 is 66 %.
  EXPECT_EQ(joined(notes(valid(sample))),
            extension
              + "\n"
                "us-west1/checkout/web: a new endpoint counts as unhealthy until its first probes "
                "(B-38), so scaling out from 1 makes 1 of 2 healthy and the composite UNHEALTHY");
}

TEST(Notes, SayWhenASourceMayHaveNoEndpoints) {
  EXPECT_EQ(joined(notes(valid(edited("{min_instances: 1}", "{min_instances: 0}")))),
            extension
              + "\n"
                "us-west1/checkout/web: may scale to zero, and a source without endpoints is "
                "UNHEALTHY (B-18), which sends consumers elsewhere; min_instances 1 avoids it");
}

TEST(Notes, HaveNothingToSayAboutFixedFleets) {
  EXPECT_EQ(joined(notes(valid(edited("{backend_service: web,", "{backend_service: api,")))), "");
}

} // namespace

} // namespace spillover::test
