#pragma once

#include "model/time.hpp"
#include "producers/health/aggregation.hpp"
#include "producers/health/health_check.hpp"
#include "producers/health/probe_result.hpp"

#include <cstdint>
#include <optional>

namespace spillover {

/// How long something takes: bounds and expected value.
struct time_range {
  duration least{};
  duration most{};
  /// Good to a microsecond.
  duration mean{};

  friend bool operator==(const time_range&, const time_range&) = default;

  /// Of one thing after another. Means add up whether or not they depend on each other.
  friend time_range operator+(const time_range& x, const time_range& y) {
    return {x.least + y.least, x.most + y.most, x.mean + y.mean};
  }
};

/// Says how long one endpoint takes to turn after it changed (B-39, B-40).
///
/// A prober needs its threshold of equal results; its first probe after the change starts a uniform
/// phase later, so it agrees after (threshold - 1) x interval + phase + time of a result. The
/// endpoint turns when the quorum agrees: the phase is then the quorum-th smallest of as many as
/// there are probers. With Envoy's intervals (B-36) the same holds with the pauses that they make, for
/// a backend service that had requests, and for a recovery from failures that were known at once.
/// @param check a valid health check
time_range endpoint_detection(const health_check_config& check, probe_result result);

/// Says how long it takes until `turning` of `changing` endpoints, which change together, have
/// turned (B-41 with the probers of B-40).
///
/// Endpoints are independent of each other, so the last of them is the `turning`-th smallest of
/// `changing` values that each are distributed as in `endpoint_detection`. The expected value of
/// that order statistic of order statistics is an integral over a polynomial, done numerically.
/// @param check a valid health check
/// @param turning 1..changing
/// @param changing at least 1
time_range group_detection(const health_check_config& check, probe_result result,
                           std::uint32_t turning, std::uint32_t changing);

/// Says how long it takes until enough of `failing` endpoints count as unhealthy for a health source
/// with `total` healthy endpoints to turn (B-17, B-41).
/// @param failing at most `total`
/// @returns nothing when the source stays healthy without them
std::optional<time_range> source_detection(const health_check_config& check, probe_result result,
                                           const aggregation_policy& policy, std::uint32_t failing,
                                           std::uint32_t total);

/// From an endpoint's change to its health source's verdict: the next tick, which comes at a uniform
/// phase (B-23). The composite follows at once.
time_range aggregation_time(const propagation_config& x);

/// From the composite's change to its arrival at the last of `consumers` consumers, each of which
/// waits a uniform jitter of its own (B-23); links without delay or loss.
///
/// A repetition that comes right after the change may overtake it. That is left out: it shortens the
/// mean by jitter^2 / (24 resend), 4 ms with the defaults.
/// @param consumers at least 1
time_range propagation_time(const propagation_config& x, std::uint32_t consumers = 1);

/// Says how much a lossy link adds to `propagation_time` of one consumer: the wait for the first
/// repetition that is not lost (B-24). A change comes at a uniform phase between two repetitions,
/// which come at multiples of `resend`; `most` is that of a single lost message.
/// @param loss share of messages lost on the health plane, at least 0, below 1
time_range resend_time(const propagation_config& x, double loss);

/// From a consumer's knowledge to the last request that it sends to the region (B-23): requests go
/// there until the state is applied.
/// @param rate requests a second of independent clients (Poisson), above 0
time_range route_time(const propagation_config& x, double rate);

/// From a failure to the last consumer's new route (B-42): a sum of the parts, without the wait for
/// the next request.
time_range failover_time(const time_range& detection, const propagation_config& x,
                         std::uint32_t consumers = 1);

} // namespace spillover
