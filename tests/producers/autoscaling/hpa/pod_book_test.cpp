#include "producers/autoscaling/hpa/pod_book.hpp"

#include "model/random.hpp"
#include "tests/producers/autoscaling/hpa/hpa_world.hpp"

#include <map>

namespace {

using namespace spillover;
using namespace spillover::hpa;
using namespace std::chrono_literals;

constexpr std::int64_t request = 2000;

/// Everything that was ever told of one pod.
struct told {
  instant started{};
  bool served = false;
  std::vector<instance_usage> seconds = {}; // the last one ends now
};

/// The straightforward way: keeps every second of every pod, and looks at all of it when asked.
class plain_book {
public:
  explicit plain_book(settings x) : settings_(std::move(x)) {}

  void observe(instant ended, const std::vector<instance_usage>& pods) {
    now_ = ended;
    all_.push_back(pods);
    std::map<std::uint32_t, told> present;
    for (const auto& x : pods) {
      const auto known = pods_.find(x.index);
      auto& pod = present[x.index] = known == pods_.end() ? told{x.started} : known->second;
      pod.served = pod.served || x.state == instance_state::ready;
      pod.seconds.push_back(x);
    }
    pods_ = std::move(present);
  }

  [[nodiscard]] metric_reading read(instant now, const metric_spec& metric) const {
    if (metric.source == metric_source::external)
      return read_all(metric);
    std::vector<pod> pods;
    std::vector<pod_sample> samples;
    for (const auto& [index, x] : pods_) {
      pods.push_back(pod_of(x));
      samples.push_back(sample_of(x, metric));
    }
    return {.pods = tally_of(now, settings_, metric, pods, samples)};
  }

  [[nodiscard]] snapshot seen() const {
    snapshot result{.pods = static_cast<std::int32_t>(pods_.size())};
    for (const auto& [index, x] : pods_) {
      result.status_replicas += x.seconds.back().state != instance_state::draining ? 1 : 0;
      result.ready += is_ready(x.seconds.back()) ? 1 : 0;
    }
    return result;
  }

private:
  static bool is_ready(const instance_usage& x) {
    return x.state == instance_state::ready && x.passes_readiness;
  }

  static double used(const instance_usage& x, const metric_spec& metric) {
    if (metric.name == "cpu")
      return x.cpu;
    return metric.name == "concurrency" ? x.concurrency : x.requests;
  }

  static std::int64_t milli(double x) { return static_cast<std::int64_t>(x * 1000 + 0.5); }

  static pod pod_of(const told& x) {
    const auto& last = x.seconds.back();
    const auto waits = last.state == instance_state::starting && !x.served;
    return {.phase = waits ? pod_phase::pending : pod_phase::running,
            .terminating = last.state == instance_state::draining,
            .started = x.started,
            .ready = is_ready(last),
            .ready_changed = last.ready_changed};
  }

  /// Seconds of a window, and since the last one ended.
  [[nodiscard]] std::size_t window() const {
    return static_cast<std::size_t>(settings_.metrics_resolution / 1s);
  }
  [[nodiscard]] std::size_t since() const {
    return static_cast<std::size_t>(now_.time_since_epoch() % settings_.metrics_resolution / 1s);
  }

  [[nodiscard]] pod_sample sample_of(const told& x, const metric_spec& metric) const {
    pod_sample result{.missing = x.seconds.size() < window() + since(),
                      .request = metric.name == "cpu" ? request : 0};
    if (result.missing)
      return result;
    const auto last = x.seconds.size() - since();
    for (auto i = last - window(); i < last; ++i)
      result.value += milli(used(x.seconds[i], metric));
    result.value /= static_cast<std::int64_t>(window());
    result.at = now_ - static_cast<std::int64_t>(since()) * 1s;
    result.window = settings_.metrics_resolution;
    return result;
  }

  [[nodiscard]] metric_reading read_all(const metric_spec& metric) const {
    if (all_.size() < window() + since())
      return {.available = false};
    std::int64_t value = 0;
    const auto last = all_.size() - since();
    for (auto i = last - window(); i < last; ++i) {
      double sum = 0;
      for (const auto& x : all_[i])
        sum += used(x, metric);
      value += milli(sum);
    }
    return {.value = value / static_cast<std::int64_t>(window())};
  }

  settings settings_;
  std::map<std::uint32_t, told> pods_;
  std::vector<std::vector<instance_usage>> all_;
  instant now_ = run_start;
};

/// Pods that come, become ready, crash, drain and go as they like.
class random_pods {
public:
  explicit random_pods(std::uint64_t seed) : random_(seed, "pods") {}

  const std::vector<instance_usage>& next(instant ended) {
    std::erase_if(pods_, [this](const instance_usage&) { return random_.below(60) == 0; });
    for (auto& x : pods_)
      if (random_.below(8) == 0)
        turn(x, ended);
    if (pods_.size() < 20 && random_.below(3) == 0)
      pods_.push_back({.index = next_++, .started = ended - 500ms, .ready_changed = ended - 500ms});
    for (auto& x : pods_) {
      x.cpu = static_cast<double>(random_.below(3000)) / 1234;
      x.concurrency = static_cast<double>(random_.below(300)) / 7;
      x.requests = static_cast<std::uint32_t>(random_.below(100));
    }
    return pods_;
  }

private:
  void turn(instance_usage& x, instant ended) {
    using enum instance_state;
    const auto before = x.state;
    switch (before) {
      case starting: x.state = ready; break;
      case ready:
        if (random_.below(2) == 0) {
          x.passes_readiness = !x.passes_readiness;
          x.ready_changed = ended - 200ms;
          return;
        }
        x.state = random_.below(2) == 0 ? crashed : draining;
        break;
      case crashed:
        x.state = starting;
        x.started = ended; // of another process
        break;
      default: break;
    }
    // A quick one is down and ready again between two looks.
    const auto blinked = before == ready && random_.below(3) == 0;
    if (blinked)
      x.state = ready;
    if (blinked || (before == ready) != (x.state == ready)) {
      x.ready_changed = ended - 300ms;
      x.passes_readiness = true;
    }
  }

  random_stream random_;
  std::uint32_t next_ = 0;
  std::vector<instance_usage> pods_;
};

/// Periods are short, so that pods outlive them.
settings random_settings(random_stream& random) {
  settings x;
  const auto seconds = [&random](std::uint64_t n) {
    return std::chrono::seconds{static_cast<std::int64_t>(random.below(n))};
  };
  x.follows = random.below(2) == 0 ? generation::newer : generation::older;
  x.cpu_initialization_period = seconds(40);
  x.initial_readiness_delay = seconds(20);
  x.metrics_resolution = 1s + seconds(9);
  const metric_spec known[] = {
    {.target = 120},
    {metric_source::resource, "cpu", target_type::average_value, 700},
    {metric_source::pods, "concurrency", target_type::average_value, 9'000},
    {metric_source::pods, "requests_per_second", target_type::average_value, 30'000},
    {metric_source::external, "cpu", target_type::value, 1},
    {metric_source::external, "concurrency", target_type::value, 1},
    {metric_source::external, "requests_per_second", target_type::value, 1},
  };
  x.metrics.clear();
  for (const auto& metric : known)
    if (metric.source != metric_source::external || metric.name != "cpu")
      if (random.below(2) == 0)
        x.metrics.push_back(metric);
  if (x.metrics.empty())
    x.metrics.push_back(known[0]);
  return x;
}

/// What a run of comparisons has met, so that it cannot pass by never meeting anything.
struct met {
  int counted = 0;
  int unready = 0;
  int missing = 0;
  int ignored = 0;
  int values = 0;

  void add(const metric_reading& x) {
    counted += x.pods.counted.pods;
    unready += x.pods.unready.pods;
    missing += x.pods.missing.pods;
    ignored += x.pods.ignored;
    values += x.value > 0 ? 1 : 0;
  }
};

void expect_same(const snapshot& said, const plain_book& plain, instant now, const settings& x,
                 met& to) {
  const auto expected = plain.seen();
  EXPECT_EQ(said.pods, expected.pods);
  EXPECT_EQ(said.status_replicas, expected.status_replicas);
  EXPECT_EQ(said.ready, expected.ready);
  ASSERT_EQ(said.readings.size(), x.metrics.size());
  for (std::size_t i = 0; i < x.metrics.size(); ++i) {
    SCOPED_TRACE(x.metrics[i].name);
    const auto reading = plain.read(now, x.metrics[i]);
    EXPECT_EQ(said.readings[i].available, reading.available);
    EXPECT_EQ(said.readings[i].value, reading.value);
    EXPECT_TRUE(said.readings[i].pods == reading.pods);
    to.add(reading);
  }
}

// E-4, E-5: what is kept up second by second is what a look at all pods finds.
TEST(HpaPodBook, CountsAsALookAtEverySecondOfEveryPodDoes) {
  met all;
  for (std::uint64_t seed = 1; seed <= 60 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    random_stream random{seed, "settings"};
    const auto x = random_settings(random);
    pod_book subject{x, request};
    plain_book plain{x};
    random_pods pods{seed};
    for (int second = 1; second <= 120 && !testing::Test::HasFailure(); ++second) {
      SCOPED_TRACE(second);
      const auto now = run_start + second * 1s;
      const auto& usages = pods.next(now);
      subject.observe(now, usages);
      plain.observe(now, usages);
      if (random.below(3) > 0)
        expect_same(subject.seen(now, 1), plain, now, x, all);
      // A look may come between two seconds, and find that a pod's time has passed.
      if (random.below(3) == 0)
        expect_same(subject.seen(now + 700ms, 1), plain, now + 700ms, x, all);
    }
  }
  for (const auto found : {all.counted, all.unready, all.missing, all.ignored, all.values})
    EXPECT_GT(found, 1000);
}

TEST(HpaPodBook, SeesNothingBeforeTheFirstSecond) {
  pod_book subject{settings{}, request};
  const auto said = subject.seen(run_start, 3);
  EXPECT_EQ(said.spec_replicas, 3);
  EXPECT_EQ(said.pods, 0);
  EXPECT_TRUE(said.readings[0].pods == pod_tally{});
}

} // namespace
