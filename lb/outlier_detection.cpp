#include "lb/outlier_detection.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <cmath>

namespace spillover {

namespace {

constexpr duration longest_time = std::chrono::seconds{86400};

std::int64_t milli(double x) {
  return std::llround(x * 1000);
}

bool is_local(ejection_type x) noexcept {
  return x == ejection_type::consecutive_local_origin_failure
         || x == ejection_type::success_rate_local_origin
         || x == ejection_type::failure_percentage_local_origin;
}

std::string enforcing_name(ejection_type x) {
  // Envoy names this one setting in another order than the detector.
  if (x == ejection_type::success_rate_local_origin)
    return "enforcing_local_origin_success_rate";
  return "enforcing_" + std::string{to_string(x)};
}

} // namespace

std::uint32_t outlier_detection_config::enforcing(ejection_type x) const noexcept {
  switch (x) {
    case ejection_type::consecutive_5xx: return enforcing_consecutive_5xx;
    case ejection_type::consecutive_gateway_failure: return enforcing_consecutive_gateway_failure;
    case ejection_type::consecutive_local_origin_failure:
      return enforcing_consecutive_local_origin_failure;
    case ejection_type::success_rate: return enforcing_success_rate;
    case ejection_type::success_rate_local_origin: return enforcing_local_origin_success_rate;
    case ejection_type::failure_percentage: return enforcing_failure_percentage;
    case ejection_type::failure_percentage_local_origin: break;
  }
  return enforcing_failure_percentage_local_origin;
}

std::uint32_t outlier_detection_config::most_ejected(std::uint32_t hosts) const noexcept {
  const auto by_share = static_cast<std::uint64_t>(max_ejection_percent) * hosts / 100;
  return std::max(static_cast<std::uint32_t>(by_share), always_eject_one_host ? 1U : 0U);
}

bool outlier_detection_config::can_eject(ejection_type x, std::uint32_t hosts) const noexcept {
  if (enforcing(x) == 0 || (is_local(x) && !split_external_local_origin_errors))
    return false;
  switch (x) {
    case ejection_type::consecutive_5xx: return consecutive_5xx > 0;
    case ejection_type::consecutive_gateway_failure: return consecutive_gateway_failure > 0;
    case ejection_type::consecutive_local_origin_failure:
      return consecutive_local_origin_failure > 0;
    case ejection_type::success_rate:
    case ejection_type::success_rate_local_origin: {
      // None of n numbers is more than sqrt(n - 1) standard deviations below their mean.
      const auto factor = success_rate_stdev_factor / 1000.0;
      return hosts >= success_rate_minimum_hosts && hosts > 0 && factor * factor < hosts - 1;
    }
    case ejection_type::failure_percentage:
    case ejection_type::failure_percentage_local_origin: break;
  }
  return hosts >= failure_percentage_minimum_hosts;
}

std::vector<std::string> validate(const outlier_detection_config& x) {
  std::vector<std::string> problems;
  const auto time = [&problems](const char* name, duration value, duration least) {
    if (value < least || value > longest_time)
      problems.push_back(std::string{name} + ": must be from "
                         + (least == duration{} ? "0s" : "1ms") + " to 86400s");
  };
  const auto percent = [&problems](const char* name, std::uint32_t value) {
    if (value > 100)
      problems.push_back(std::string{name} + ": must be at most 100");
  };
  const duration shortest = std::chrono::milliseconds{1};
  time("interval", x.interval, shortest);
  time("base_ejection_time", x.base_ejection_time, shortest);
  time("max_ejection_time", x.max_ejection_time, shortest);
  time("max_ejection_time_jitter", x.max_ejection_time_jitter, duration{});
  if (x.max_ejection_time < x.base_ejection_time)
    problems.emplace_back("max_ejection_time: must be at least base_ejection_time");
  percent("max_ejection_percent", x.max_ejection_percent);
  percent("failure_percentage_threshold", x.failure_percentage_threshold);
  for (std::size_t i = 0; i < ejection_type_count; ++i) {
    const auto type = static_cast<ejection_type>(i);
    percent(enforcing_name(type).c_str(), x.enforcing(type));
  }
  return problems;
}

outlier_detector::outlier_detector(const outlier_detection_config& config, std::uint32_t hosts,
                                   const random_stream& random, duration phase)
  : config_(config), random_(random), hosts_(hosts), next_sweep_(run_start + phase) {
  SPILLOVER_CHECK(hosts >= 1 && phase > duration{} && phase <= config.interval);
}

std::span<const outlier_change> outlier_detector::observe(instant now, std::uint32_t host,
                                                          outcome how) {
  changes_.clear();
  switch (how) {
    case outcome::lb_timeout:
    case outcome::lost: unanswered(now, host, how); break;
    // Whoever asked is gone: that says nothing about the region.
    case outcome::client_timeout: break;
    default: answered(now, host, how);
  }
  return changes_;
}

void outlier_detector::answered(instant now, std::uint32_t host, outcome how) {
  auto& x = hosts_[host];
  const auto gateway =
    how == outcome::bad_gateway || how == outcome::unavailable || how == outcome::gateway_timeout;
  const auto failed = gateway || how == outcome::internal_error;
  ++x.tallies[external].total;
  if (config_.split_external_local_origin_errors) {
    ++x.tallies[local].total;
    ++x.tallies[local].successes;
    x.consecutive_local_origin_failure = 0;
  }
  if (failed) {
    count_5xx(now, host, gateway);
    return;
  }
  ++x.tallies[external].successes;
  x.consecutive_5xx = 0;
  x.consecutive_gateway_failure = 0;
}

void outlier_detector::unanswered(instant now, std::uint32_t host, outcome how) {
  auto& x = hosts_[host];
  if (!config_.split_external_local_origin_errors) {
    answered(now, host,
             how == outcome::lb_timeout ? outcome::gateway_timeout : outcome::unavailable);
    return;
  }
  ++x.tallies[local].total;
  in_a_row(now, host, ejection_type::consecutive_local_origin_failure,
           x.consecutive_local_origin_failure, config_.consecutive_local_origin_failure);
}

void outlier_detector::count_5xx(instant now, std::uint32_t host, bool gateway) {
  auto& x = hosts_[host];
  if (gateway)
    in_a_row(now, host, ejection_type::consecutive_gateway_failure, x.consecutive_gateway_failure,
             config_.consecutive_gateway_failure);
  else
    x.consecutive_gateway_failure = 0;
  in_a_row(now, host, ejection_type::consecutive_5xx, x.consecutive_5xx, config_.consecutive_5xx);
}

// Counts one more; at the threshold the region is found, and counting begins anew whether it is
// ejected or not.
void outlier_detector::in_a_row(instant now, std::uint32_t host, ejection_type type,
                                std::uint32_t& count, std::uint32_t threshold) {
  ++count;
  if (count != threshold || hosts_[host].ejected)
    return;
  count = 0;
  found(now, {.host = host,
              .detector = type,
              .inputs = {{"consecutive", threshold}, {"threshold", threshold}}});
}

std::span<const outlier_change> outlier_detector::sweep(instant now) {
  changes_.clear();
  next_sweep_ = now + config_.interval;
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    hosts_[host].told = 0;
    if (hosts_[host].ejected && now >= hosts_[host].until)
      take_back(now, host);
  }
  for (const auto where : {external, local}) {
    judge_success_rates(now, where);
    judge_failure_percentages(now, where);
  }
  for (auto& x : hosts_) {
    x.tallies = {};
    // Not in the sweep that took it back, but in each after it.
    if (!x.ejected && x.returned != never && now - x.returned >= config_.interval
        && x.multiplier > 0)
      --x.multiplier;
  }
  return changes_;
}

void outlier_detector::judge_success_rates(instant now, origin where) {
  const auto rate = [where](const host_state& x) {
    return 100.0 * static_cast<double>(x.tallies[where].successes)
           / static_cast<double>(x.tallies[where].total);
  };
  const auto counts = [&](const host_state& x) {
    return !x.ejected && x.tallies[where].total > 0
           && x.tallies[where].total >= config_.success_rate_request_volume;
  };
  std::uint32_t enough = 0;
  double sum = 0;
  for (const auto& x : hosts_)
    if (counts(x)) {
      ++enough;
      sum += rate(x);
    }
  if (enough == 0 || enough < config_.success_rate_minimum_hosts)
    return;
  const auto mean = sum / enough;
  double squares = 0;
  for (const auto& x : hosts_)
    if (counts(x))
      squares += (rate(x) - mean) * (rate(x) - mean);
  const auto stdev = std::sqrt(squares / enough);
  const auto threshold = mean - stdev * (config_.success_rate_stdev_factor / 1000.0);
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    const auto& x = hosts_[host];
    if (counts(x) && rate(x) < threshold)
      found(now, {.host = host,
                  .detector = where == local ? ejection_type::success_rate_local_origin
                                             : ejection_type::success_rate,
                  .inputs = {{"requests", static_cast<std::int64_t>(x.tallies[where].total)},
                             {"success_rate_milli", milli(rate(x))},
                             {"mean_milli", milli(mean)},
                             {"stdev_milli", milli(stdev)},
                             {"threshold_milli", milli(threshold)},
                             {"compared", enough}}});
  }
}

void outlier_detector::judge_failure_percentages(instant now, origin where) {
  const auto counts = [&](const host_state& x) {
    return !x.ejected && x.tallies[where].total > 0
           && x.tallies[where].total >= config_.failure_percentage_request_volume;
  };
  const auto enough =
    static_cast<std::uint32_t>(std::count_if(hosts_.begin(), hosts_.end(), counts));
  if (enough < config_.failure_percentage_minimum_hosts)
    return;
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    const auto& x = hosts_[host];
    const auto& tried = x.tallies[where];
    const auto failures = tried.total - tried.successes;
    if (counts(x) && failures * 100 >= tried.total * config_.failure_percentage_threshold)
      found(now, {.host = host,
                  .detector = where == local ? ejection_type::failure_percentage_local_origin
                                             : ejection_type::failure_percentage,
                  .inputs = {{"requests", static_cast<std::int64_t>(tried.total)},
                             {"failures", static_cast<std::int64_t>(failures)},
                             {"threshold", config_.failure_percentage_threshold},
                             {"compared", enough}}});
  }
}

void outlier_detector::found(instant now, outlier_change change) {
  const auto enforcing = config_.enforcing(change.detector);
  const auto most = config_.most_ejected(static_cast<std::uint32_t>(hosts_.size()));
  // Both in every case, so that a cap does not change what later ejections meet.
  const auto enforced = random_.below(100) < enforcing;
  const auto jitter = std::chrono::milliseconds{random_.below(
    static_cast<std::uint64_t>(config_.max_ejection_time_jitter / std::chrono::milliseconds{1})
    + 1)};
  auto& x = hosts_[change.host];
  change.inputs.emplace_back("ejected", ejected_);
  change.inputs.emplace_back("regions", static_cast<std::int64_t>(hosts_.size()));
  change.inputs.emplace_back("most_ejected", most);
  if (ejected_ < most && enforced) {
    eject(now, jitter, change);
    changes_.push_back(std::move(change));
    return;
  }
  // Otherwise a region that stays in use would be told of with every few requests.
  const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(change.detector));
  if (enforcing == 0 || (x.told & bit) != 0)
    return;
  x.told = static_cast<std::uint8_t>(x.told | bit);
  change.action = outlier_action::spared;
  change.reason =
    ejected_ >= most
      ? "max_ejection_percent " + std::to_string(config_.max_ejection_percent) + " of "
          + std::to_string(hosts_.size()) + " allows " + std::to_string(most) + " ejected at a time"
      : enforcing_name(change.detector) + " " + std::to_string(enforcing) + " % did not enforce it";
  changes_.push_back(std::move(change));
}

void outlier_detector::eject(instant now, duration jitter, outlier_change& change) {
  auto& x = hosts_[change.host];
  const auto base = config_.base_ejection_time;
  if (x.multiplier * base < config_.max_ejection_time + base)
    ++x.multiplier;
  x.ejected = true;
  x.by = change.detector;
  x.until = now + std::min(x.multiplier * base, config_.max_ejection_time) + jitter;
  ++ejected_;
  change.action = outlier_action::ejected;
  change.until = x.until;
  change.inputs.emplace_back("multiplier", x.multiplier);
  change.inputs.emplace_back("base_ejection_time_ns", base.count());
  change.inputs.emplace_back("max_ejection_time_ns", config_.max_ejection_time.count());
  change.inputs.emplace_back("jitter_ns", jitter.count());
}

// A few errors after its return must not add up with those that had ejected it.
void outlier_detector::take_back(instant now, std::uint32_t host) {
  auto& x = hosts_[host];
  x.consecutive_5xx = 0;
  x.consecutive_gateway_failure = 0;
  x.consecutive_local_origin_failure = 0;
  x.ejected = false;
  x.until = never;
  x.returned = now;
  --ejected_;
  changes_.push_back({.host = host,
                      .action = outlier_action::returned,
                      .detector = x.by,
                      .inputs = {{"ejected", ejected_},
                                 {"regions", std::ssize(hosts_)},
                                 {"multiplier", x.multiplier}}});
}

} // namespace spillover
