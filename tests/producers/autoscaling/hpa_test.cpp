#include "producers/autoscaling/hpa.hpp"

#include <gtest/gtest.h>

#include <string>

namespace spillover {
namespace {

using namespace std::chrono_literals;

/// So many pods, all alike, for so long; each with 2 vCPUs.
class deployment {
public:
  explicit deployment(const hpa_config& x) : subject_(make_hpa(x, 2)) {}

  /// @returns what is decided at the end
  recommendation pass(int seconds, std::uint32_t pods, const instance_usage& each) {
    for (int i = 0; i < seconds; ++i) {
      now_ += 1s;
      std::vector<instance_usage> usages;
      for (std::uint32_t pod = 0; pod < pods; ++pod) {
        usages.push_back(each);
        usages.back().index = first_ + pod;
      }
      subject_->observe({now_, 0, 0, 0, usages});
    }
    return subject_->decide(now_, {.recommended = pods, .running = pods});
  }

  /// The pods there are from now on are others.
  void replace_all() { first_ += 100; }

private:
  std::unique_ptr<autoscaler> subject_;
  std::uint32_t first_ = 0;
  instant now_ = run_start;
};

hpa_config by(const hpa::metric_spec& x) {
  hpa_config result;
  result.kubernetes.metrics = {x};
  result.kubernetes.cpu_initialization_period = 0s;
  result.kubernetes.downscale_stabilization = 0s;
  return result;
}

constexpr auto pods_that_are_ready = instance_state::ready;

TEST(HpaScaler, ReadsTheMetricsThatTheEmulatorHas) {
  using enum hpa::metric_source;
  using enum hpa::target_type;
  struct {
    const char* why;
    hpa::metric_spec metric = {};
    std::uint32_t count = 0;
    std::string_view driver = {};
  } const cases[] = {
    {"1.8 of 2 vCPU, aimed at 60 %", {resource, "cpu", utilization, 60}, 6, "CPU"},
    {"1.8 vCPU each, aimed at 0.9", {resource, "cpu", average_value, 900}, 8, "CPU"},
    {"30 in flight each, aimed at 20",
     {pods, "concurrency", average_value, 20'000},
     6,
     "CONCURRENCY"},
    {"50 a second each, aimed at 100",
     {pods, "requests_per_second", average_value, 100'000},
     2,
     "REQUESTS_PER_SECOND"},
    {"200 a second in all, aimed at 25 each",
     {external, "requests_per_second", average_value, 25'000},
     8,
     "REQUESTS_PER_SECOND"},
    {"120 in flight in all, aimed at 60", {object, "concurrency", value, 60'000}, 8, "CONCURRENCY"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    deployment subject{by(x.metric)};
    // What there is when it begins counts as its first proposal.
    subject.pass(15, 4, {.state = pods_that_are_ready});
    const auto said = subject.pass(
      30, 4, {.state = pods_that_are_ready, .cpu = 1.8, .concurrency = 30, .requests = 50});
    EXPECT_EQ(said.count, x.count);
    EXPECT_EQ(said.driver, x.driver);
    EXPECT_FALSE(said.inputs.empty());
  }
}

TEST(HpaScaler, E_5_APodWithoutAWholeWindowHasNoMetricYet) {
  deployment subject{by({})};
  const instance_usage busy{.state = pods_that_are_ready, .cpu = 2};
  EXPECT_EQ(subject.pass(14, 4, busy).count, 4u) << "none has one";
  EXPECT_EQ(subject.pass(1, 4, busy).count, 5u) << "100 % of 80 %";
  subject.replace_all();
  EXPECT_EQ(subject.pass(14, 4, busy).count, 4u) << "others count from nothing";
}

TEST(HpaScaler, PodsThatStartOrDrainAreNotReady) {
  deployment subject{by({.target = 50})};
  EXPECT_EQ(subject.pass(30, 4, {.state = instance_state::starting, .cpu = 2}).count, 4u);
  EXPECT_EQ(subject.pass(30, 4, {.state = instance_state::draining, .cpu = 2}).count, 4u);
  EXPECT_EQ(subject.pass(30, 4, {.state = pods_that_are_ready, .cpu = 2}).count, 8u);
}

TEST(HpaScaler, APodThatIsRestartedInPlaceIsAsOldAsItWas) {
  auto config = by({.target = 50});
  config.kubernetes.cpu_initialization_period = 5min;
  deployment subject{config};
  subject.pass(400, 4, {.state = pods_that_are_ready, .cpu = 1});
  // All crashed and start again; by their first processes they are long past their beginning, so that
  // their CPU counts, and says that none is used.
  const instance_usage again{.state = instance_state::starting,
                             .started = run_start + 400s,
                             .ready_changed = run_start + 400s};
  EXPECT_LT(subject.pass(30, 4, again).count, 4u);
}

TEST(HpaScaler, APodThatCrashedIsAReplica) {
  // 100 a second in all, aimed at 25 for each of 4, one of which is down: nothing to change.
  deployment subject{by({hpa::metric_source::external, "requests_per_second",
                         hpa::target_type::average_value, 25'000})};
  subject.pass(15, 4, {.state = instance_state::crashed, .requests = 25});
  EXPECT_EQ(subject.pass(15, 4, {.state = instance_state::crashed, .requests = 25}).count, 4u);
}

TEST(HpaScaler, KnowsItsMetricsByName) {
  EXPECT_TRUE(validate(hpa_config{}).empty());
  auto none = by({hpa::metric_source::external, "requests_per_second", hpa::target_type::value, 1});
  none.kubernetes.min_replicas = 0;
  EXPECT_EQ(validate(none).size(), 1u) << "nothing would ever call for a pod";
  EXPECT_EQ(
    validate(by({.name = "memory"})),
    (std::vector<std::string>{"metrics[0].name: must be cpu for a resource, else concurrency "
                              "or requests_per_second"}));
  EXPECT_EQ(
    validate(by({hpa::metric_source::pods, "cpu", hpa::target_type::average_value, 1})).size(), 1u);
}

} // namespace
} // namespace spillover
