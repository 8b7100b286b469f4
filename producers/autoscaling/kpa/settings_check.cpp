#include "producers/autoscaling/kpa/read_text.hpp"
#include "producers/autoscaling/kpa/settings.hpp"

#include <limits>
#include <optional>

namespace spillover::kpa {

namespace {

using std::chrono::hours;
using std::chrono::seconds;
using dictionary = std::map<std::string, std::string, std::less<>>;

constexpr auto unbounded = std::numeric_limits<double>::infinity();

/// Checks the keys of one place.
class checker {
public:
  checker(const dictionary& from, std::string_view prefix, std::vector<std::string>& problems)
    : from_(from), prefix_(prefix), problems_(problems) {}

  void fail(std::string_view key, std::string_view reason) {
    auto& text = problems_.emplace_back(prefix_);
    text.append(key).append(": ").append(reason);
  }

  /// @returns the value, when there is one that can be read.
  template <class T>
  std::optional<T> value(std::string_view key, std::string_view kind) {
    const auto found = from_.find(key);
    if (found == from_.end())
      return std::nullopt;
    auto result = read_text<T>(found->second);
    if (!result)
      fail(key, "must be " + std::string{kind} + "; got \"" + found->second + '"');
    return result;
  }

  void number(std::string_view key, double least, bool least_too, double most,
              std::string_view rule) {
    const auto x = value<double>(key, "a number");
    if (x && ((least_too ? *x < least : *x <= least) || *x > most))
      fail(key, rule);
  }

  void whole(std::string_view key, std::int32_t least, std::string_view rule) {
    const auto x = value<std::int32_t>(key, "a whole number");
    if (x && *x < least)
      fail(key, rule);
  }

  void span(std::string_view key, duration least, duration most, bool whole_seconds,
            std::string_view rule) {
    const auto x = value<duration>(key, "a duration such as 60s");
    if (x && (*x < least || *x > most || (whole_seconds && *x % seconds{1} != duration::zero())))
      fail(key, rule);
  }

  void burst_capacity() {
    const auto x = value<double>("target-burst-capacity", "a number");
    if (x && *x < 0 && *x != -1)
      fail("target-burst-capacity", "must be -1 or at least 0");
  }

  void scales() {
    whole("min-scale", 0, "must be at least 0");
    whole("max-scale", 0, "must be at least 0");
    const auto number = [this](std::string_view key) {
      const auto found = from_.find(key);
      return found == from_.end() ? 0 : read_text<std::int32_t>(found->second).value_or(0);
    };
    if (number("max-scale") > 0 && number("max-scale") < number("min-scale"))
      fail("max-scale", "must be 0 or at least min-scale");
  }

private:
  const dictionary& from_;
  std::string_view prefix_;
  std::vector<std::string>& problems_;
};

void check_cluster(checker& x) {
  x.number("container-concurrency-target-percentage", 0, false, 100,
           "must be above 0, at most 100");
  x.number("container-concurrency-target-default", 0.01, true, unbounded, "must be at least 0.01");
  x.number("requests-per-second-target-default", 0.01, true, unbounded, "must be at least 0.01");
  x.burst_capacity();
  x.span("stable-window", seconds{6}, hours{1}, true, "must be whole seconds from 6s to 1h");
  x.number("panic-window-percentage", 1, true, 100, "must be from 1 to 100");
  x.value<double>("panic-threshold-percentage", "a number");
  x.number("max-scale-up-rate", 1, false, unbounded, "must be above 1");
  x.number("max-scale-down-rate", 1, false, unbounded, "must be above 1");
  x.value<bool>("enable-scale-to-zero", "true or false");
  x.span("scale-to-zero-grace-period", duration{1}, duration::max(), false, "must be above 0s");
  x.span("scale-to-zero-pod-retention-period", {}, duration::max(), false, "must be at least 0s");
  x.span("scale-down-delay", {}, hours{24}, true, "must be whole seconds from 0s to 24h");
  const auto zero = x.value<bool>("allow-zero-initial-scale", "true or false").value_or(false);
  if (zero)
    x.whole("initial-scale", 0, "must be at least 0");
  else
    x.whole("initial-scale", 1, "must be at least 1 without allow-zero-initial-scale");
  x.scales();
  x.whole("max-scale-limit", 0, "must be at least 0");
  x.number("activator-capacity", 1, true, unbounded, "must be at least 1");
}

void check_annotations(checker& x) {
  x.number("target", 0.01, true, unbounded, "must be at least 0.01");
  x.number("target-utilization-percentage", 1, true, 100, "must be from 1 to 100");
  x.burst_capacity();
  x.span("window", seconds{6}, hours{1}, true, "must be whole seconds from 6s to 1h");
  x.number("panic-window-percentage", 1, true, 100, "must be from 1 to 100");
  x.number("panic-threshold-percentage", 110, true, 1000, "must be from 110 to 1000");
  x.span("scale-to-zero-pod-retention-period", {}, hours{1}, false, "must be from 0s to 1h");
  x.span("scale-down-delay", {}, hours{1}, true, "must be whole seconds from 0s to 1h");
  x.whole("initial-scale", 0, "must be at least 0");
  x.whole("activation-scale", 2, "must be at least 2");
  x.scales();
  const auto by = x.value<std::string>("metric", "a text");
  if (by && *by != "concurrency" && *by != "rps")
    x.fail("metric", "must be concurrency or rps; got \"" + *by + '"');
  const auto how = x.value<std::string>("metric-aggregation-algorithm", "a text");
  if (how && *how != "linear" && *how != "weighted-exponential" && *how != "weightedExponential")
    x.fail("metric-aggregation-algorithm",
           "must be linear or weighted-exponential; got \"" + *how + '"');
  x.span("progress-deadline", duration{1}, duration::max(), false, "must be above 0s");
}

} // namespace

std::vector<std::string> validate(const texts& x) {
  std::vector<std::string> problems;
  checker cluster{x.config, "config.", problems};
  check_cluster(cluster);
  checker annotations{x.annotations, "annotations.", problems};
  check_annotations(annotations);
  if (x.container_concurrency > 1000)
    problems.emplace_back("container_concurrency: must be at most 1000");
  if (const auto span = read_text<duration>(x.progress_deadline);
      !span || *span <= duration::zero())
    problems.emplace_back("progress_deadline: must be a duration above 0s");
  if (!problems.empty())
    return problems;
  const auto to = resolve(x);
  const auto limit = x.config.find("max-scale-limit");
  const auto most =
    limit == x.config.end() ? 0 : read_text<std::int32_t>(limit->second).value_or(0);
  if (most > 0 && (to.max_scale < 1 || to.max_scale > most))
    problems.emplace_back("config.max-scale-limit: max-scale must be from 1 to this");
  const auto bounded = to.max_scale > 0;
  if (to.activation_scale > 0
      && (to.activation_scale < to.min_scale || (bounded && to.activation_scale > to.max_scale)))
    problems.emplace_back("annotations.activation-scale: must be from min-scale to max-scale");
  if (to.reachable && bounded && to.max_scale < to.min_scale)
    problems.emplace_back("annotations.max-scale: must be 0 or at least min-scale");
  return problems;
}

} // namespace spillover::kpa
