#pragma once

#include "model/outlier.hpp"
#include "model/random.hpp"
#include "model/record.hpp"
#include "model/time.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace spillover {

/// How a consumer's load balancer finds regions that fail by the answers it gets, and leaves them
/// for a while. Names and defaults are Envoy's (B-43), which Google Cloud has too (B-44).
struct outlier_detection_config {
  /// Answers of 500 to 599 in a row that eject a region; 0 for never. GCP: `consecutiveErrors`.
  std::uint32_t consecutive_5xx = 5;

  /// Answers of 502, 503 or 504 in a row; 0 for never.
  std::uint32_t consecutive_gateway_failure = 5;

  /// From one sweep to the next, 1ms..86400s. Sweeps take back regions whose time is over, and judge
  /// success rates and failure percentages of what came since the sweep before.
  duration interval = std::chrono::seconds{10};

  /// Of a first ejection, 1ms..86400s; the n-th in a row lasts n times as long.
  duration base_ejection_time = std::chrono::seconds{30};

  /// The longest ejection without its jitter, from `base_ejection_time` to 86400s. A scenario that
  /// names none gets the larger of 300s and `base_ejection_time`.
  duration max_ejection_time = std::chrono::seconds{300};

  /// The most that is added to an ejection, drawn evenly in milliseconds, 0s..86400s.
  duration max_ejection_time_jitter{};

  /// The share of regions that may be ejected at a time, 0..100.
  std::uint32_t max_ejection_percent = 10;

  /// One region may be ejected whatever `max_ejection_percent` says, as in the version of Envoy that
  /// B-43 is read from; newer ones have this off.
  bool always_eject_one_host = true;

  /// Chances, 0..100 %, that a region which was found is ejected.
  std::uint32_t enforcing_consecutive_5xx = 100;
  std::uint32_t enforcing_consecutive_gateway_failure = 0;
  std::uint32_t enforcing_success_rate = 100;
  std::uint32_t enforcing_failure_percentage = 0;

  /// Regions with enough requests that there must be, and how many requests in an interval are
  /// enough; how many thousandths of the standard deviation below the mean a success rate must be
  /// to be one of an outlier (B-46).
  std::uint32_t success_rate_minimum_hosts = 5;
  std::uint32_t success_rate_request_volume = 100;
  std::uint32_t success_rate_stdev_factor = 1900;

  /// The share of failures, 0..100 %, from which on a region is an outlier, and the same two minima.
  std::uint32_t failure_percentage_threshold = 85;
  std::uint32_t failure_percentage_minimum_hosts = 5;
  std::uint32_t failure_percentage_request_volume = 50;

  /// Counts tries that were never answered apart from answers that are errors. Without it they count
  /// as 504 (no answer in time) or 503 (connection lost), and what follows means nothing.
  bool split_external_local_origin_errors = false;

  /// Tries without an answer in a row; 0 for never.
  std::uint32_t consecutive_local_origin_failure = 5;
  std::uint32_t enforcing_consecutive_local_origin_failure = 100;
  std::uint32_t enforcing_local_origin_success_rate = 100;
  std::uint32_t enforcing_failure_percentage_local_origin = 0;

  /// @returns the chance in percent that what a detector finds is carried out.
  [[nodiscard]] std::uint32_t enforcing(ejection_type x) const noexcept;

  /// @returns how many of `hosts` may be ejected at a time (B-43).
  [[nodiscard]] std::uint32_t most_ejected(std::uint32_t hosts) const noexcept;

  /// @returns whether a detector can ever eject one of `hosts`, whatever the cap.
  [[nodiscard]] bool can_eject(ejection_type x, std::uint32_t hosts) const noexcept;

  friend bool operator==(const outlier_detection_config&,
                         const outlier_detection_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const outlier_detection_config& x);

/// What became of one region at one proxy.
struct outlier_change {
  std::uint32_t host = 0;
  outlier_action action = outlier_action::ejected;
  ejection_type detector = ejection_type::consecutive_5xx;
  /// Of `spared`: what kept it.
  std::string reason = {};
  /// When its time is over; `never` when it is not ejected.
  instant until = never;
  /// Every number that went in, by name.
  std::vector<std::pair<std::string, std::int64_t>> inputs = {};
};

/// The outlier detection of one proxy, with Envoy's rules (B-45, B-46); its hosts are the regions of
/// a load balancer, each one PSC NEG (B-33).
///
/// Errors in a row eject at once; success rates and failure percentages are judged at sweeps, which
/// also end ejections. An ejected region that is used all the same, because none is left, is counted
/// and never found again until it is back. Draws two numbers each time it finds an outlier, whatever
/// becomes of that.
class outlier_detector {
public:
  /// @param hosts number of regions, at least 1
  /// @param random a stream of its own
  /// @param phase when its first sweep is, after the run's start; above 0, at most the interval
  outlier_detector(const outlier_detection_config& config, std::uint32_t hosts,
                   const random_stream& random, duration phase);

  /// Takes the end of a try into account.
  /// @param now never earlier than last time
  /// @returns what that changed, until the next call
  std::span<const outlier_change> observe(instant now, std::uint32_t host, outcome how);

  /// @returns when the next sweep is.
  [[nodiscard]] instant next_sweep() const noexcept { return next_sweep_; }

  /// Ends ejections whose time is over, and judges what came since the last sweep.
  /// @param now when the sweep was due
  /// @returns what that changed, until the next call
  std::span<const outlier_change> sweep(instant now);

  [[nodiscard]] bool ejected(std::uint32_t host) const noexcept { return hosts_[host].ejected; }

  /// @returns how many regions are ejected.
  [[nodiscard]] std::uint32_t ejected_count() const noexcept { return ejected_; }

private:
  struct tally {
    std::uint64_t successes = 0;
    std::uint64_t total = 0;
  };

  /// Where a try can fail: at the other end, or on the way there.
  enum origin : std::uint8_t { external, local, origin_count };

  struct host_state {
    std::uint32_t consecutive_5xx = 0;
    std::uint32_t consecutive_gateway_failure = 0;
    std::uint32_t consecutive_local_origin_failure = 0;
    std::array<tally, origin_count> tallies{}; // since the last sweep
    bool ejected = false;
    std::uint8_t told = 0; // a bit for each detector that spared it since the last sweep
    ejection_type by = ejection_type::consecutive_5xx;
    std::uint32_t multiplier = 0;
    instant until = never;
    instant returned = never; // when it was last taken back
  };

  void answered(instant now, std::uint32_t host, outcome how);
  void unanswered(instant now, std::uint32_t host, outcome how);
  void count_5xx(instant now, std::uint32_t host, bool gateway);
  void in_a_row(instant now, std::uint32_t host, ejection_type type, std::uint32_t& count,
                std::uint32_t threshold);
  void judge_success_rates(instant now, origin where);
  void judge_failure_percentages(instant now, origin where);
  void found(instant now, outlier_change change);
  void eject(instant now, duration jitter, outlier_change& change);
  void take_back(instant now, std::uint32_t host);

  outlier_detection_config config_;
  random_stream random_;
  std::vector<host_state> hosts_;
  std::uint32_t ejected_ = 0;
  instant next_sweep_;
  std::vector<outlier_change> changes_;
};

} // namespace spillover
