#include "producers/autoscaling/kpa/settings.hpp"

#include "producers/autoscaling/kpa/read_text.hpp"

#include <algorithm>
#include <optional>

namespace spillover::kpa {

namespace {

using std::chrono::seconds;
using dictionary = std::map<std::string, std::string, std::less<>>;

const std::string* find(const dictionary& from, std::string_view key) {
  const auto found = from.find(key);
  return found == from.end() ? nullptr : &found->second;
}

template <class T>
std::optional<T> value_of(const dictionary& from, std::string_view key) {
  const auto* text = find(from, key);
  return text == nullptr ? std::nullopt : read_text<T>(*text);
}

/// Reads keys of both places, the annotation first.
class reader {
public:
  explicit reader(const texts& x) : x_(x) {}

  template <class T>
  [[nodiscard]] T cluster(std::string_view key, T otherwise) const {
    return value_of<T>(x_.config, key).value_or(otherwise);
  }

  template <class T>
  [[nodiscard]] std::optional<T> annotation(std::string_view key) const {
    return value_of<T>(x_.annotations, key);
  }

  template <class T>
  [[nodiscard]] T either(std::string_view annotation_key, std::string_view cluster_key,
                         T otherwise) const {
    const auto own = annotation<T>(annotation_key);
    return own ? *own : cluster(cluster_key, otherwise);
  }

  template <class T>
  [[nodiscard]] T either(std::string_view key, T otherwise) const {
    return either(key, key, otherwise);
  }

private:
  const texts& x_;
};

void read_target(const reader& from, const texts& x, settings& to) {
  const auto own = from.annotation<double>("target");
  double utilisation = 0.7;
  if (to.by == metric::rps) {
    to.total = own.value_or(from.cluster("requests-per-second-target-default", 200.0));
  } else {
    // A percentage of at most 1 is a share already, so "1" is all of it.
    utilisation = from.cluster("container-concurrency-target-percentage", 0.7);
    if (utilisation > 1)
      utilisation /= 100;
    const auto limit = static_cast<double>(x.container_concurrency);
    to.total = limit > 0 ? limit : from.cluster("container-concurrency-target-default", 100.0);
    if (own)
      to.total = limit > 0 ? std::min(*own, limit) : *own;
  }
  if (const auto share = from.annotation<double>("target-utilization-percentage"))
    utilisation = *share / 100;
  to.target = std::max(0.01, to.total * utilisation);
}

void read_windows(const reader& from, settings& to) {
  to.stable_window = from.either<duration>("window", "stable-window", seconds{60});
  const auto percent = from.either("panic-window-percentage", 10.0);
  const duration panic{
    static_cast<duration::rep>(static_cast<double>(to.stable_window.count()) * percent / 100)};
  // To whole seconds, halves up.
  to.panic_window = std::max<duration>(
    seconds{1}, std::chrono::floor<seconds>(panic + std::chrono::milliseconds{500}));
  const auto algorithm = from.annotation<std::string>("metric-aggregation-algorithm");
  if (algorithm == "weighted-exponential" || algorithm == "weightedExponential")
    to.aggregate = aggregation::weighted_exponential;
  to.scale_down_delay = from.either<duration>("scale-down-delay", {});
}

void read_scales(const reader& from, settings& to) {
  to.initial_scale = from.cluster<std::int32_t>("initial-scale", 1);
  const auto initial = from.annotation<std::int32_t>("initial-scale");
  if (initial && (*initial > 0 || from.cluster("allow-zero-initial-scale", false)))
    to.initial_scale = *initial;
  to.activation_scale = from.annotation<std::int32_t>("activation-scale").value_or(0);
  to.min_scale = to.reachable ? from.either<std::int32_t>("min-scale", 0) : 0;
  to.max_scale = from.either<std::int32_t>("max-scale", 0);
}

} // namespace

std::map<std::string, std::string, std::less<>> default_config() {
  return {{"activator-capacity", "100"},
          {"allow-zero-initial-scale", "false"},
          {"container-concurrency-target-default", "100"},
          {"container-concurrency-target-percentage", "70"},
          {"enable-scale-to-zero", "true"},
          {"initial-scale", "1"},
          {"max-scale", "0"},
          {"max-scale-down-rate", "2"},
          {"max-scale-limit", "0"},
          {"max-scale-up-rate", "1000"},
          {"min-scale", "0"},
          {"panic-threshold-percentage", "200"},
          {"panic-window-percentage", "10"},
          {"requests-per-second-target-default", "200"},
          {"scale-down-delay", "0s"},
          {"scale-to-zero-grace-period", "30s"},
          {"scale-to-zero-pod-retention-period", "0s"},
          {"stable-window", "60s"},
          {"target-burst-capacity", "211"}};
}

settings resolve(const texts& x) {
  const reader from{x};
  settings to;
  to.reachable = x.reach != reachability::unreachable;
  if (from.annotation<std::string>("metric") == "rps")
    to.by = metric::rps;
  read_target(from, x, to);
  read_windows(from, to);
  read_scales(from, to);
  to.panic_threshold = from.either("panic-threshold-percentage", 200.0) / 100;
  to.burst_capacity = from.either("target-burst-capacity", 211.0);
  to.activator_capacity = from.cluster("activator-capacity", 100.0);
  to.max_up_rate = from.cluster("max-scale-up-rate", 1000.0);
  to.max_down_rate = from.cluster("max-scale-down-rate", 2.0);
  to.scale_to_zero = from.cluster("enable-scale-to-zero", true);
  to.grace_period = from.cluster<duration>("scale-to-zero-grace-period", seconds{30});
  to.pod_retention = from.either<duration>("scale-to-zero-pod-retention-period", {});
  to.progress_deadline =
    from.annotation<duration>("progress-deadline")
      .value_or(read_text<duration>(x.progress_deadline).value_or(seconds{600}));
  return to;
}

} // namespace spillover::kpa
