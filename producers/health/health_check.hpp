#pragma once

#include "model/health.hpp"
#include "model/time.hpp"
#include "producers/health/probe_result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// What a probe speaks (B-35).
enum class probe_protocol : std::uint8_t {
  /// Wants an answer with a status on a path.
  http,
  https,
  http2,
  /// Wants the answer SERVING; any other is an error.
  grpc,
  /// Wants the process to accept a connection, and no answer.
  tcp,
};

constexpr std::string_view to_string(probe_protocol x) noexcept {
  switch (x) {
    case probe_protocol::http: return "http";
    case probe_protocol::https: return "https";
    case probe_protocol::http2: return "http2";
    case probe_protocol::grpc: return "grpc";
    case probe_protocol::tcp: return "tcp";
  }
  return "?";
}

/// @returns whether its probes ask for a path, and look at the status of the answer.
constexpr bool has_path(probe_protocol x) noexcept {
  return x != probe_protocol::grpc && x != probe_protocol::tcp;
}

/// How the endpoints of a backend service are probed (B-35..B-41).
struct health_check_config {
  /// From the start of one probe to the start of the next by the same prober, 1s..300s.
  duration interval = std::chrono::seconds{5};

  /// A probe without an answer by then has failed; above 0, at most `interval`.
  duration timeout = std::chrono::seconds{5};

  /// Successes in a row that make an endpoint healthy, 1..10.
  std::uint32_t healthy_threshold = 2;

  /// Failures in a row that make it unhealthy, 1..10.
  std::uint32_t unhealthy_threshold = 2;

  /// Probers, each with a random phase of its own for each endpoint, 1..32 (B-37, inferred).
  std::uint32_t probers = 3;

  /// Probers that must agree, 1..probers; 0 means the majority, probers / 2 + 1.
  std::uint32_t quorum = 0;

  /// How long a healthy instance takes to answer a probe; below `timeout`.
  duration response_time = std::chrono::milliseconds{1};

  probe_protocol protocol = probe_protocol::http;

  /// What is asked for, with a protocol that has paths; begins with '/'.
  std::string path = "/";

  /// What a well instance answers there, 100..599: 302 or 404 where a check asks for the wrong path.
  std::uint32_t path_status = 200;

  /// Statuses that count as success, each 100..599, at least one. Google's checks take 200 only.
  std::vector<std::uint32_t> expected_statuses = {200};

  /// A prober's first result of an endpoint decides, whatever the thresholds say, as in Envoy (B-36).
  bool first_result_decides = false;

  /// An answer that is an error makes a prober find the endpoint unhealthy at once, as in Envoy; what
  /// was not answered needs the threshold still (B-36).
  bool error_decides = false;

  // Envoy's other intervals, each 1ms..1h (B-36). As soon as one of them is given, every interval
  // counts from a probe's end to the next one's start.

  /// Instead of all others, until the backend service had its first request.
  std::optional<duration> no_traffic_interval = std::nullopt;

  /// While a prober finds the endpoint unhealthy; `interval` when absent.
  std::optional<duration> unhealthy_interval = std::nullopt;

  /// After a failure that did not reach its threshold; `unhealthy_interval` when absent.
  std::optional<duration> unhealthy_edge_interval = std::nullopt;

  /// After a success that did not reach its threshold; `interval` when absent.
  std::optional<duration> healthy_edge_interval = std::nullopt;

  /// From the start of a new instance to its first probe; 0s..1h (case C43).
  duration initial_delay{};

  /// For this long after the start of a new instance the network reaches it from some places only:
  /// every other probe of a prober is refused, beginning with the first; 0s..1h (case C43).
  duration network_lag{};

  friend bool operator==(const health_check_config&, const health_check_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const health_check_config& x);

/// @returns how many probers must agree.
std::uint32_t quorum_of(const health_check_config& x) noexcept;

/// @returns what a check makes of what a probe met: `failed` when a well instance answers its path with a
///          status that is not expected.
probe_result judged_by(const health_check_config& x, probe_result met) noexcept;

/// @returns whether a check counts intervals from a probe's end, as Envoy does.
bool is_paced(const health_check_config& x) noexcept;

/// @returns how long a prober waits after the end of a probe, with a check that is paced.
/// @param success how it ended
/// @param pending it was against what the prober thinks, and has not changed that
/// @param traffic the backend service had a request
duration pause_after(const health_check_config& x, bool success, bool pending,
                     bool traffic) noexcept;

/// What several probers together think of one endpoint: each needs its threshold of equal results
/// in a row (B-36), and the endpoint changes when enough of them agree (B-40).
class endpoint_tracker {
public:
  /// What a result changed.
  struct transition {
    health before = health::unknown;
    health after = health::unknown;
    /// Probers that agree with `after`.
    std::uint32_t agreeing = 0;
    friend bool operator==(const transition&, const transition&) = default;
  };

  /// @param initial `unknown` for endpoints that a run begins with, `unhealthy` for later ones
  ///        (B-38)
  endpoint_tracker(const health_check_config& config, health initial);

  /// Takes one result of one prober into account.
  /// @param result `answered` is a success, all else a failure
  /// @param may_change false while too few probers are left to reach the quorum: the endpoint then
  ///        keeps its state; the next result that may change it lets it follow what all probers think
  /// @returns the transition it caused, if any
  std::optional<transition> observe(std::uint32_t prober, probe_result result,
                                    bool may_change = true);

  /// The thresholds are others from the next result on. A row of results counts on, as far as it was counted.
  /// @param healthy,unhealthy at least 1
  void set_thresholds(std::uint32_t healthy, std::uint32_t unhealthy) noexcept {
    healthy_threshold_ = healthy;
    unhealthy_threshold_ = unhealthy;
  }

  /// @returns whether the last result of a prober was against what it thinks, and has not changed that.
  [[nodiscard]] bool is_pending(std::uint32_t prober) const noexcept;

  [[nodiscard]] health state() const noexcept { return state_; }

private:
  struct streak {
    health verdict = health::unknown;
    std::uint32_t length = 0;
    bool success = false;
  };
  // Changes when enough probers think so.
  std::optional<transition> turn(health to);

  std::uint32_t healthy_threshold_;
  std::uint32_t unhealthy_threshold_;
  std::uint32_t quorum_;
  bool first_decides_;
  bool error_decides_;
  health state_;
  std::vector<streak> probers_;
  bool withheld_ = false; // a prober changed its mind while the endpoint could not change
};

} // namespace spillover
