#include "app/oracle/replay.hpp"

namespace spillover::oracle {

using nlohmann::json;

namespace {

kpa::activity activity_of(const json& x) {
  if (x == "True")
    return kpa::activity::active;
  return x == "False" ? kpa::activity::inactive : kpa::activity::activating;
}

const char* name_of(kpa::activity x) {
  switch (x) {
    case kpa::activity::active: return "True";
    case kpa::activity::inactive: return "False";
    case kpa::activity::activating: break;
  }
  return "Unknown";
}

const char* name_of(kpa::path_mode x) {
  return x == kpa::path_mode::serve ? "Serve" : "Proxy";
}

std::optional<kpa::path_mode> mode_of(const json& x) {
  if (x.is_null())
    return std::nullopt;
  return x == "Serve" ? kpa::path_mode::serve : kpa::path_mode::proxy;
}

std::optional<duration> span_of(const json& x) {
  return x.is_null() ? std::nullopt : std::optional{milliseconds_of(x)};
}

json waits_of(const std::optional<duration>& x) {
  return x ? json::array({x->count() / 1'000'000}) : json::array();
}

/// -1 keeps what was known.
std::int32_t status_after(std::int32_t want, const json& before) {
  return want < 0 && !before.is_null() && before.get<std::int32_t>() >= 0
           ? before.get<std::int32_t>()
           : want;
}

/// Everything of a simulated revision that the log's lines are replayed into.
class loop {
public:
  loop(const json_lines& lines, tally& to)
    : lines_(lines), to_(to), head_(lines.front()), texts_(texts_of(head_.at("settings"))) {
    settings_ = kpa::resolve(texts_);
    settings_.progress_deadline = deadline();
  }

  void run() {
    comparison compared{head_};
    compare_spec(compared, settings_, head_.at("spec"));
    compared.exact("panic_window_ms", settings_.panic_window.count() / 1'000'000);
    compared.exact("min_scale", settings_.min_scale);
    compared.exact("max_scale", settings_.max_scale);
    compared.exact("grace_period_ms", settings_.grace_period.count() / 1'000'000);
    to_.add(1, compared.differences());
    for (std::size_t i = 1; i < lines_.size(); ++i)
      replay(i);
  }

private:
  [[nodiscard]] duration deadline() {
    texts_.progress_deadline = head_.at("progress_deadline").get<std::string>();
    return kpa::resolve(texts_).progress_deadline;
  }

  void replay(std::size_t i) {
    const auto& line = lines_[i];
    const auto what = line.at("ev").get<std::string>();
    if (what == "pods")
      ready_ = line.at("ready").get<std::uint32_t>();
    else if (what == "metric")
      on_metric(line);
    else if (what == "reachability")
      on_reachability(line);
    else if (what == "stat")
      on_stat(i);
    else if (what == "tick")
      on_tick(i);
    else if (what == "reconcile")
      on_reconcile(i);
  }

  void on_metric(const json& line) {
    const auto now = time_of(head_, line);
    if (!samples_) {
      samples_.emplace(settings_);
      scraped_ = !line.at("scrape_target").get<std::string>().empty();
    } else {
      samples_->update(now, settings_);
    }
  }

  void on_reachability(const json& line) {
    texts_.reach = line.at("value") == "Unreachable" ? kpa::reachability::unreachable
                                                     : kpa::reachability::reachable;
    settings_ = kpa::resolve(texts_);
    if (decider_)
      decider_->update(settings_);
  }

  void on_stat(std::size_t i) {
    const auto& line = lines_[i];
    const auto x = stat_of(line);
    if (samples_)
      samples_->record(time_of(head_, line), x);
    if (line.at("from") != "activator" || !published_)
      return;
    const auto poked = i + 1 < lines_.size() && lines_[i + 1].at("ev") == "tick"
                       && lines_[i + 1].at("poked").get<bool>();
    comparison compared{line};
    if (published_->pokes(x) != poked)
      compared.exact("ev", published_->pokes(x) ? "a poke" : "no poke");
    to_.add(i + 1, compared.differences());
  }

  void on_tick(std::size_t i) {
    const auto& line = lines_[i];
    const auto now = time_of(head_, line);
    auto load = samples_->read(now);
    if (!load && !scraped_)
      load.emplace();
    comparison compared{line};
    compared.exact("data", load.has_value());
    const auto seen = load.value_or(kpa::averages{});
    compared.close("stable", seen.stable);
    compared.close("panic", seen.panic);
    const auto said = decider_->evaluate(now, {load, line.at("ready").get<std::uint32_t>()});
    compare_decision(compared, head_, said, *decider_);
    published_->publish(said);
    to_.add(i + 1, compared.differences());
  }

  void on_reconcile(std::size_t i) {
    const auto& line = lines_[i];
    comparison compared{line};
    // The pass that finds a service to reach the pods by makes the decider.
    if (!decider_ && !line.at("decider_desired").is_null()) {
      decider_.emplace(time_of(head_, line), settings_, ready_);
      published_.emplace(settings_);
    }
    kpa::revision_state seen;
    if (const auto& x = line.at("decider_desired"); !x.is_null()) {
      seen.desired = x.get<std::int32_t>();
      seen.excess_burst_capacity = line.at("decider_ebc").get<std::int32_t>();
      compared.exact("decider_desired", published_->desired());
      compared.exact("decider_ebc", published_->excess_burst_capacity());
    }
    seen.ready = line.at("ready").get<std::uint32_t>();
    seen.active = activity_of(line.at("active"));
    seen.active_for = milliseconds_of(line.at("active_for_ms"));
    seen.initialised = line.at("initialized").get<bool>();
    seen.replicas = line.at("replicas").get<std::int32_t>();
    seen.mode = mode_of(line.at("sks_mode"));
    seen.proxy_for = span_of(line.at("sks_proxy_for_ms"));
    seen.probe_ok = line.at("probe_ok").get<bool>();

    // Before there is a decider the reconciler only makes the services.
    const auto decided = !line.at("decider_desired").is_null();
    const auto out = decided ? kpa::scale(settings_, seen) : kpa::scale_outcome{};
    compared.exact("new_replicas", out.patch.value_or(*seen.replicas));
    compared.exact("enqueue_after_ms", waits_of(out.look_again));
    compared.exact("probes", static_cast<int>(out.probed));
    compared.exact("async_probes", static_cast<int>(out.probe_in_background));
    compared.exact("new_sks_mode", name_of(kpa::choose_mode(out.want, seen.excess_burst_capacity)));
    compared.exact("num_activators", decided ? kpa::activators_for(settings_, seen.ready) : 2);
    const auto active = kpa::judge_activity(settings_, seen, out.want, seen.mode.has_value());
    compared.exact("new_active", name_of(active.active));
    compared.exact("new_reason", std::string{active.reason});
    compared.exact("new_initialized", active.initialised);
    compared.exact("new_status_desired", status_after(out.want, line.at("status_desired")));
    to_.add(i + 1, compared.differences());
  }

  const json_lines& lines_;
  tally& to_;
  const json& head_;
  kpa::texts texts_;
  kpa::settings settings_;
  std::uint32_t ready_ = 0;
  bool scraped_ = true;
  std::optional<kpa::collector> samples_;
  std::optional<kpa::decider> decider_;
  std::optional<kpa::publication> published_;
};

void replay_resolve(const json& line, comparison& to) {
  const auto x = kpa::resolve(texts_of(line.at("settings")));
  compare_spec(to, x, line.at("spec"));
  to.exact("stable_window_ms", x.stable_window.count() / 1'000'000);
  to.exact("panic_window_ms", x.panic_window.count() / 1'000'000);
  to.exact("aggregation",
           x.aggregate == kpa::aggregation::linear ? "linear" : "weighted-exponential");
  to.exact("min_scale", x.min_scale);
  to.exact("max_scale", x.max_scale);
}

void replay_scale_target(const json& line, comparison& to) {
  auto texts = texts_of(line.at("settings"));
  texts.progress_deadline = line.at("progress_deadline").get<std::string>();
  if (const auto own = line.at("progress_deadline_annotation").get<std::string>(); !own.empty())
    texts.annotations["progress-deadline"] = own;
  kpa::revision_state seen;
  seen.desired = line.at("desired").get<std::int32_t>();
  seen.active = activity_of(line.at("active"));
  seen.active_for = milliseconds_of(line.at("active_since_ms"));
  seen.initialised = line.at("initialized").get<bool>();
  seen.mode = mode_of(line.at("sks_mode"));
  seen.proxy_for = span_of(line.at("sks_proxy_for_ms"));
  if (const auto& x = line.at("replicas"); !x.is_null())
    seen.replicas = x.get<std::int32_t>();
  seen.probe_ok = line.at("probe_ok").get<bool>();
  const auto out = kpa::scale(kpa::resolve(texts), seen);
  to.exact("want", out.want);
  to.exact("patched_replicas", out.patch ? json(*out.patch) : json(nullptr));
  to.exact("enqueue_after_ms", waits_of(out.look_again));
  to.exact("probes", static_cast<int>(out.probed));
  to.exact("async_probes", static_cast<int>(out.probe_in_background));
}

void replay_active_condition(const json& line, comparison& to) {
  kpa::revision_state seen;
  seen.active = activity_of(line.at("active"));
  seen.initialised = line.at("initialized").get<bool>();
  seen.ready = line.at("ready").get<std::uint32_t>();
  const auto want = line.at("want").get<std::int32_t>();
  const auto out = kpa::judge_activity(kpa::resolve(texts_of(line.at("settings"))), seen, want,
                                       line.at("service_name_set").get<bool>());
  to.exact("new_active", name_of(out.active));
  to.exact("new_reason", std::string{out.reason});
  to.exact("new_initialized", out.initialised);
  const std::string reason = seen.active == kpa::activity::activating ? "Queued"
                             : seen.active == kpa::activity::inactive ? "NoTraffic"
                                                                      : "";
  to.exact("transition_time_reset", out.active != seen.active || out.reason != reason);
  to.exact("new_status_desired", status_after(want, line.at("status_desired")));
  to.exact("new_status_actual", seen.ready);
}

} // namespace

void replay_closed_loop(const json_lines& lines, tally& to) {
  loop{lines, to}.run();
}

bool is_case(const std::string& kind) {
  return kind == "resolve" || kind == "scale_target" || kind == "active_condition"
         || kind == "num_activators" || kind == "sample_size";
}

void replay_case(const json& line, std::size_t number, tally& to) {
  const auto kind = line.at("kind").get<std::string>();
  comparison compared{line};
  if (kind == "resolve") {
    replay_resolve(line, compared);
  } else if (kind == "scale_target") {
    replay_scale_target(line, compared);
  } else if (kind == "active_condition") {
    replay_active_condition(line, compared);
  } else if (kind == "num_activators") {
    kpa::settings x;
    x.burst_capacity = line.at("target_burst_capacity").get<double>();
    x.total = line.at("total_value").get<double>();
    x.activator_capacity = line.at("activator_capacity").get<double>();
    compared.exact("num_activators", kpa::activators_for(x, line.at("ready").get<std::uint32_t>()));
  } else {
    compared.exact("sample", kpa::sample_size(line.at("pods").get<std::uint32_t>()));
  }
  to.add(number, compared.differences());
}

} // namespace spillover::oracle
