#pragma once

#include "model/record.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace spillover {

/// What a fault makes of instances. One vocabulary for scenario, command line and API.
enum class ailment : std::uint8_t {
  /// The process ends; requests it held fail with 502 and probes are refused. Its successor starts
  /// when the fault ends.
  crashed,
  /// Accepts requests and probes, answers none, uses no CPU and holds its slots.
  silent,
  /// Answers a share of requests and probes with an error at once.
  failing,
};

constexpr std::string_view to_string(ailment x) noexcept {
  switch (x) {
    case ailment::crashed: return "crashed";
    case ailment::silent: return "silent";
    case ailment::failing: return "failing";
  }
  return "?";
}

/// Kinds of traffic between sites that a fault can hit apart.
enum class plane : std::uint8_t { data, health };

inline constexpr std::size_t plane_count = 2;

constexpr std::string_view to_string(plane x) noexcept {
  return x == plane::data ? "data" : "health";
}

/// Hits instances of one backend service in one region.
struct instance_fault {
  /// Path of the backend service, e.g. "us-east1/checkout/web".
  std::string of;
  ailment become = ailment::silent;

  /// Share of the instances present at the onset, rounded up, in (0, 1]; unused when `count` is set.
  double fraction = 1;

  /// How many instances, at most all that are present.
  std::optional<std::uint32_t> count = std::nullopt;

  /// Of `failing`: the share of requests and probes that fail, in (0, 1].
  double error_fraction = 1;

  /// Of `failing`: what a request gets; `internal_error`, `bad_gateway` or `unavailable`.
  outcome status = outcome::unavailable;

  friend bool operator==(const instance_fault&, const instance_fault&) = default;
};

/// Takes a whole region away: every instance, present or started later, is silent, and data links
/// to and from the region are cut. The health plane goes on, as Google's probers and propagation
/// are not part of the region's customer workload.
struct region_fault {
  std::string region;
  friend bool operator==(const region_fault&, const region_fault&) = default;
};

/// Changes the link from one site to another.
struct link_fault {
  std::string from;
  std::string to;

  /// Both directions.
  bool both = false;
  bool data = true;
  bool health = false;

  /// Nothing passes.
  bool cut = false;

  /// Added to the latency, at least 0; unused when `cut`.
  duration delay{};

  friend bool operator==(const link_fault&, const link_fault&) = default;
};

/// One entry of the fault timeline.
struct fault {
  instant at{};

  /// From `at`; the fault lasts to the end of the run when absent.
  std::optional<duration> lasts = std::nullopt;

  std::variant<instance_fault, region_fault, link_fault> what;

  friend bool operator==(const fault&, const fault&) = default;
};

/// @returns the fault in words, e.g. "instances us-east1/checkout/web: 50 % silent".
std::string to_string(const fault& x);

/// @returns whom the fault hits: a backend service, a region or a link.
std::string target_of(const fault& x);

} // namespace spillover
