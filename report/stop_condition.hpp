#pragma once

#include "model/time.hpp"
#include "report/event_pattern.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace spillover {

/// More than a share of the requests that ended in the last so many seconds failed.
struct stop_on_errors {
  /// 0..1.
  double above = 0;
  /// Whole seconds, at least one.
  duration over = std::chrono::seconds{1};
  /// All when empty.
  std::string consumer = {};
  friend bool operator==(const stop_on_errors&, const stop_on_errors&) = default;
};

/// A pending queue is longer for so many seconds in a row.
struct stop_on_queue {
  /// Path of a backend service.
  std::string of;
  /// Compared with the longest queue of each second.
  std::uint32_t above = 0;
  /// Whole seconds, at least one.
  duration lasting = std::chrono::seconds{1};
  /// Name of one of its revisions; all of them together when empty.
  std::string revision = {};
  friend bool operator==(const stop_on_queue&, const stop_on_queue&) = default;
};

/// More, or fewer, instances run (ready or deprioritised) for so many seconds in a row.
struct stop_on_instances {
  /// Path of a backend service.
  std::string of;
  /// At least one of the two is set.
  std::optional<std::uint32_t> above = std::nullopt;
  std::optional<std::uint32_t> below = std::nullopt;
  /// Whole seconds, at least one.
  duration lasting = std::chrono::seconds{1};
  /// Name of one of its revisions; all of them together when empty.
  std::string revision = {};
  friend bool operator==(const stop_on_instances&, const stop_on_instances&) = default;
};

/// Such an event happens.
struct stop_on_event {
  event_pattern what;
  friend bool operator==(const stop_on_event&, const stop_on_event&) = default;
};

/// What ends a run before its time, after the warm-up.
struct stop_condition {
  std::variant<stop_on_errors, stop_on_queue, stop_on_instances, stop_on_event> what;

  /// What people call it; may be empty.
  std::string name = {};

  friend bool operator==(const stop_condition&, const stop_condition&) = default;
};

/// @returns the condition in words, e.g. "queue of us-east1/checkout/web above 1,000 for 10s", with
///          its name in front if it has one.
std::string to_string(const stop_condition& x);

} // namespace spillover
