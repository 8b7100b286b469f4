#include "producers/autoscaling/knative_kpa.hpp"

#include "producers/autoscaling/kpa/collector.hpp"
#include "producers/autoscaling/kpa/decider.hpp"
#include "producers/autoscaling/kpa/pod_reports.hpp"
#include "producers/autoscaling/kpa/reconciler.hpp"
#include "producers/thousandths.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace spillover {

namespace {

using std::chrono::seconds;

// Between two decisions, and between two reports (C-4).
constexpr duration tick = seconds{2};
constexpr duration report_period = seconds{1};

// How long what is at rest when the run begins has been so.
constexpr duration long_ago = std::chrono::hours{24};

kpa::texts texts_of(const knative_kpa_config& x, std::uint32_t concurrency) {
  auto texts = x.knative;
  texts.container_concurrency = concurrency;
  return texts;
}

// As many pods as other policies may have.
constexpr std::int32_t most_at_once = 10'000;

// Pods of a revision at rest: without scaling to zero the last one stays (C-25).
std::int32_t resting_pods(const kpa::settings& x) noexcept {
  return x.scale_to_zero ? x.min_scale : std::max(x.min_scale, 1);
}

std::uint32_t count_of(std::int32_t x) noexcept {
  return static_cast<std::uint32_t>(std::max(x, 0));
}

// Without a maximum scale Knative's counts end where 32 bits do.
scaling_bounds bounds_by(const kpa::settings& x) noexcept {
  const auto most = x.max_scale > 0 ? x.max_scale : std::numeric_limits<std::int32_t>::max();
  return {count_of(resting_pods(x)), count_of(most)};
}

// A ticker's first instant from `began` on; tickers count from the run's start.
instant first_after(instant began, duration offset, duration period) noexcept {
  const auto since = began - (run_start + offset);
  const auto periods = since <= duration::zero() ? 0 : (since - duration{1}) / period + 1;
  return run_start + offset + periods * period;
}

class knative_kpa final : public autoscaler, private request_watcher {
public:
  knative_kpa(const knative_kpa_config& x, const kpa::texts& texts, random_stream random,
              instant began)
    : texts_(texts),
      settings_(kpa::resolve(texts)),
      collector_(settings_),
      pods_(x.scrape_sample, settings_.stable_window, random),
      // One pod and no panic are the same start to a decider.
      decider_(began, settings_,
               x.deployed_at_start ? 0 : std::min(count_of(resting_pods(settings_)), 1U)),
      publication_(settings_),
      replicas_(resting_pods(settings_)),
      active_since_(began),
      in_path_since_(began),
      next_report_(first_after(began, x.report_offset, report_period)),
      next_tick_(first_after(began, x.tick_offset, tick)),
      look_again_(began) {
    if (x.deployed_at_start)
      replicas_ = std::max(settings_.initial_scale, settings_.min_scale);
    else
      rest();
  }

  [[nodiscard]] std::string_view policy() const noexcept override {
    return knative_kpa_config::policy;
  }

  [[nodiscard]] scaling_bounds bounds() const noexcept override { return bounds_by(settings_); }

  // It looks when its own tickers say so.
  [[nodiscard]] duration period() const noexcept override { return duration::max(); }
  [[nodiscard]] bool on_demand() const noexcept override { return false; }
  [[nodiscard]] request_watcher* watcher() noexcept override { return this; }
  [[nodiscard]] instant next_look() const noexcept override {
    return std::min({next_report_, next_tick_, look_again_});
  }
  [[nodiscard]] bool looks_at_changes() const noexcept override { return true; }

  void set_reachable(instant now, bool reachable) override {
    texts_.reach = reachable ? kpa::reachability::reachable : kpa::reachability::unreachable;
    settings_ = kpa::resolve(texts_);
    decider_.update(settings_);
    look_again_ = now;
  }

  void observe(const second_usage&) override {}

  recommendation decide(instant now, const fleet_size& size) override {
    kpa::observation seen{collector_.read(now), size.running};
    if (!seen.load && settings_.burst_capacity == -1)
      seen.load = kpa::averages{};
    const auto decided = decider_.evaluate(now, seen);
    if (decided.valid) {
      last_ = decided;
      load_ = *seen.load;
    }
    return publication_.publish(decided) ? reconcile(now, size) : result(size);
  }

  recommendation look(instant now, const fleet_size& size) override {
    auto decides = false;
    if (next_report_ <= now) {
      next_report_ += report_period;
      decides = collect(now);
    }
    if (next_tick_ <= now) {
      next_tick_ += tick;
      decides = true;
    }
    auto reconciles = size.running != seen_running_;
    seen_running_ = size.running;
    if (look_again_ <= now) {
      look_again_ = never;
      reconciles = true;
    }
    const auto x = decides ? decide(now, size) : result(size);
    return reconciles ? reconcile(now, size) : x;
  }

private:
  // Takes in a second's reports.
  // @returns whether one of them asks for a decision at once
  bool collect(instant now) {
    // With the activator always in the path the pods are not asked (C-10).
    if (const auto report = pods_.scrape(now); report && settings_.burst_capacity != -1)
      collector_.record(now, *report);
    const auto report = activator_.report(now);
    if (!report)
      return false;
    collector_.record(now, *report);
    return publication_.pokes(*report);
  }

  // Puts it where a revision is that had no request for long.
  void rest() {
    const auto pods = count_of(resting_pods(settings_));
    last_ = decider_.evaluate(run_start, {kpa::averages{}, pods});
    publication_.publish(last_);
    initialised_ = true;
    active_ = pods > 0 ? kpa::activity::active : kpa::activity::inactive;
    active_since_ = run_start - long_ago;
    in_path_since_ = active_since_;
    mode_ = kpa::choose_mode(replicas_, last_.excess_burst_capacity);
    look_again_ = never;
    seen_running_ = pods;
  }

  recommendation reconcile(instant now, const fleet_size& size) {
    kpa::revision_state seen;
    seen.desired = publication_.desired();
    seen.excess_burst_capacity = publication_.excess_burst_capacity();
    seen.ready = size.running;
    seen.active = active_;
    seen.active_for = now - active_since_;
    seen.initialised = initialised_;
    seen.replicas = replicas_;
    seen.mode = mode_;
    if (in_path_since_)
      seen.proxy_for = now - *in_path_since_;
    // Nothing stands between the activator and the program that asks.
    seen.probe_ok = true;
    const auto x = kpa::scale(settings_, seen);
    replicas_ = x.patch.value_or(replicas_);
    if (x.look_again)
      look_again_ = std::min(look_again_, now + *x.look_again);
    take_activity(now, kpa::judge_activity(settings_, seen, x.want, true));
    mode_ = kpa::choose_mode(x.want, seen.excess_burst_capacity);
    const auto in_path = mode_ == kpa::path_mode::proxy || size.running == 0;
    if (!in_path)
      in_path_since_.reset();
    else if (!in_path_since_)
      in_path_since_ = now;
    return result(size);
  }

  void take_activity(instant now, const kpa::activity_outcome& x) {
    initialised_ = x.initialised;
    if (x.active == active_ && x.reason == reason_)
      return;
    active_ = x.active;
    reason_ = x.reason;
    // The API server keeps whole seconds.
    active_since_ = std::chrono::floor<seconds>(now);
  }

  [[nodiscard]] std::string_view driver() const noexcept {
    const auto wish = publication_.desired();
    if (wish < 0)
      return "INITIAL";
    if (replicas_ == 0)
      return "ZERO";
    if (wish < replicas_)
      return replicas_ <= settings_.min_scale ? "MIN" : "LAST";
    if (wish > replicas_)
      return "MAX";
    if (last_.panicking)
      return "PANIC";
    return settings_.activation_scale > 0 && wish == settings_.activation_scale ? "ACTIVATION"
                                                                                : "STABLE";
  }

  [[nodiscard]] recommendation result(const fleet_size& size) const {
    recommendation x{count_of(replicas_), driver(), {}};
    if (x.count == size.recommended)
      return x;
    x.inputs = {{"ready", size.running},
                {"stable_milli", thousandths(load_.stable)},
                {"panic_milli", thousandths(load_.panic)},
                {"target_milli", thousandths(settings_.target)},
                {"stable_pods", last_.stable_wish},
                {"panic_pods", last_.panic_wish},
                {"panicking", last_.panicking},
                {"rate_min", last_.least},
                {"rate_max", last_.most},
                {"desired", publication_.desired()},
                {"excess_burst_capacity", publication_.excess_burst_capacity()},
                {"min", settings_.min_scale},
                {"max", settings_.max_scale}};
    return x;
  }

  // Whatever the mode, the activator stands in for pods while none serves.
  [[nodiscard]] bool proxies() const noexcept override {
    return mode_ == kpa::path_mode::proxy || seen_running_ == 0;
  }

  [[nodiscard]] std::int64_t excess_burst_capacity() const noexcept override {
    return publication_.excess_burst_capacity();
  }

  bool came(instant now) override {
    const auto report = activator_.begin(now);
    if (!report)
      return false;
    collector_.record(now, *report);
    return publication_.pokes(*report);
  }

  void left(instant now) override { activator_.end(now); }

  void began(instant now, std::uint32_t index, bool proxied) override {
    pods_.begin(now, index, proxied);
  }

  void ended(instant now, std::uint32_t index, bool proxied) override {
    pods_.end(now, index, proxied);
  }

  void serves(instant now, std::uint32_t index) override { pods_.add(now, index); }
  void retired(std::uint32_t index) override { pods_.remove(index); }

  kpa::texts texts_;
  kpa::settings settings_; // that they mean
  kpa::collector collector_;
  kpa::activator_stats activator_;
  kpa::pod_reports pods_;
  kpa::decider decider_;
  kpa::publication publication_;
  kpa::decision last_;    // that was valid
  kpa::averages load_;    // that it saw
  std::int32_t replicas_; // of the deployment

  // What the reconciler knows of the revision.
  kpa::activity active_ = kpa::activity::activating;
  std::string_view reason_;
  instant active_since_;
  bool initialised_ = false;
  kpa::path_mode mode_ = kpa::path_mode::proxy;
  std::optional<instant> in_path_since_;
  std::uint32_t seen_running_ = 0;

  instant next_report_;
  instant next_tick_;
  instant look_again_; // when the reconciler wants to
};

} // namespace

std::vector<std::string> validate(const knative_kpa_config& x, std::uint32_t concurrency) {
  const auto texts = texts_of(x, concurrency);
  auto problems = kpa::validate(texts);
  const auto settings = kpa::resolve(texts);
  const auto at_once =
    std::max({settings.min_scale, settings.initial_scale, settings.activation_scale});
  if (problems.empty() && at_once > most_at_once)
    problems.emplace_back(
      "annotations: min-scale, initial-scale and activation-scale must be at most 10000 here");
  if (x.report_offset < duration::zero() || x.report_offset >= report_period)
    problems.emplace_back("report_offset: must be at least 0s and below 1s");
  if (x.tick_offset < duration::zero() || x.tick_offset >= tick)
    problems.emplace_back("tick_offset: must be at least 0s and below 2s");
  return problems;
}

std::unique_ptr<autoscaler> make_knative_kpa(const knative_kpa_config& x, std::uint32_t concurrency,
                                             std::uint64_t seed, std::string_view path,
                                             instant began) {
  return std::make_unique<knative_kpa>(x, texts_of(x, concurrency),
                                       random_stream{seed, std::string{path} + "/scrape"}, began);
}

scaling_bounds bounds_of(const knative_kpa_config& x) {
  return bounds_by(kpa::resolve(texts_of(x, 0)));
}

} // namespace spillover
