#pragma once

#include "producers/health/aggregation.hpp"
#include "producers/health/health_check.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spillover {

/// What a probe of an endpoint finds.
enum class endpoint_condition : std::uint8_t {
  /// An answer that counts as a success.
  answering,
  /// An error or a refusal, at once.
  failing,
  /// Nothing until the probe's timeout.
  silent,
};

constexpr std::string_view to_string(endpoint_condition x) noexcept {
  switch (x) {
    case endpoint_condition::answering: return "answering";
    case endpoint_condition::failing: return "failing";
    case endpoint_condition::silent: return "silent";
  }
  return "?";
}

/// One endpoint over time.
struct endpoint_history {
  /// From `at` on; nothing: it is gone, for good.
  struct step {
    instant at{};
    std::optional<endpoint_condition> is;
    friend bool operator==(const step&, const step&) = default;
  };

  /// What probers agreed on at a time.
  struct verdict {
    instant at{};
    health state = health::unknown;
    friend bool operator==(const verdict&, const verdict&) = default;
  };

  std::string name;

  /// In the order of time; it is there from the first on. Never empty.
  std::vector<step> conditions;

  /// In the order of time; what a run recorded, for candidates without a health check of their own. One
  /// of an endpoint that counts by its own readiness probe is UNKNOWN when it counts no longer.
  std::vector<verdict> verdicts = {};

  friend bool operator==(const endpoint_history&, const endpoint_history&) = default;
};

/// The endpoints of one backend service in one region over time, in the order in which they came.
struct backend_history {
  /// "region/service/backend_service".
  std::string path;
  std::vector<endpoint_history> endpoints;
  /// The recorded verdicts are those of readiness probes: an endpoint counts from the first on (B-68).
  bool by_readiness = false;
  friend bool operator==(const backend_history&, const backend_history&) = default;
};

/// A policy whose work over a history is asked for.
struct policy_candidate {
  std::string name;

  /// Of every health source that `sources` does not name.
  aggregation_policy aggregation = {};

  /// By backend service, e.g. "web".
  std::map<std::string, aggregation_policy> sources = {};

  /// Probes the conditions; nothing: the recorded verdicts are taken as they are.
  std::optional<health_check_config> health_check = {};

  propagation_config timing = {};

  friend bool operator==(const policy_candidate&, const policy_candidate&) = default;
};

/// A state and since when.
struct health_step {
  instant at{};
  health state = health::unknown;
  friend bool operator==(const health_step&, const health_step&) = default;
};

/// What one health source would have said, and when it changed its mind.
struct source_replay {
  std::string path;
  struct step {
    instant at{};
    health_source::transition change;
    friend bool operator==(const step&, const step&) = default;
  };
  std::vector<step> steps;
  friend bool operator==(const source_replay&, const source_replay&) = default;
};

/// @returns the verdicts that probers with these settings would have come to, of each endpoint of a
///          backend service in its order; the same draws as the prober group of a run with that seed.
/// @param end nothing happens at this time or later
std::vector<std::vector<endpoint_history::verdict>> probe_history(const backend_history& of,
                                                                  const health_check_config& how,
                                                                  std::uint64_t seed, instant end);

/// @returns what a health source over one backend service would have said; it judges at the same ticks
///          as that of a run with that seed (B-16, B-19, B-23).
source_replay replay_source(const backend_history& of, const policy_candidate& policy,
                            std::uint64_t seed, instant end);

/// @returns the states of a composite health check over some sources (B-20), from UNKNOWN at the start
///          on; each differs from the one before.
std::vector<health_step> join_sources(std::span<const source_replay> sources);

/// How many endpoints there are, and answer, from a time on.
struct answering_step {
  instant at{};
  std::uint32_t answering = 0;
  std::uint32_t total = 0;
  friend bool operator==(const answering_step&, const answering_step&) = default;
};

/// @returns how many endpoints of a backend service truly answered over time; one step for each instant
///          at which that changed.
std::vector<answering_step> answering_over_time(const backend_history& of);

} // namespace spillover
