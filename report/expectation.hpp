#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace spillover {

/// Consumers leave a region within a time of the first fault that made it unhealthy.
struct expect_failover {
  std::string from;
  duration within{};
  friend bool operator==(const expect_failover&, const expect_failover&) = default;
};

/// Consumers are back in a region within a time of that fault's end.
struct expect_failback {
  std::string to;
  duration within{};
  friend bool operator==(const expect_failback&, const expect_failback&) = default;
};

/// The surviving region keeps up within a time of the end of routing.
struct expect_capacity_recovered {
  std::string in;
  duration within{};
  friend bool operator==(const expect_capacity_recovered&,
                         const expect_capacity_recovered&) = default;
};

/// Of the requests that ended in [from, to), at most this share failed.
struct expect_errors {
  instant from{};
  instant to{};
  /// 0..1.
  double at_most = 0;
  friend bool operator==(const expect_errors&, const expect_errors&) = default;
};

/// A published service's composite changes at most so often after the warm-up; a change from
/// UNKNOWN does not count.
struct expect_transitions {
  /// Region and service, e.g. "us-east1/checkout".
  std::string of;
  std::uint32_t at_most = 0;
  friend bool operator==(const expect_transitions&, const expect_transitions&) = default;
};

using expectation = std::variant<expect_failover, expect_failback, expect_capacity_recovered,
                                 expect_errors, expect_transitions>;

/// When a surviving region counts as having recovered its capacity.
struct recovery_rule {
  /// The pending queue stays empty and completions keep up for this long, whole seconds, at least
  /// 1s.
  duration window = std::chrono::seconds{10};

  /// Completions in the window, as a share of its arrivals, that count as keeping up, in (0, 1].
  double keep_up = 0.95;

  friend bool operator==(const recovery_rule&, const recovery_rule&) = default;
};

} // namespace spillover
