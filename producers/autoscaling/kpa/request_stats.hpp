#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <optional>

namespace spillover::kpa {

/// One report about requests: of a pod's queue-proxy, of an activator, or of all pods together (C-7).
struct request_report {
  double concurrency = 0;
  /// The part of it that an activator has reported already.
  double proxied_concurrency = 0;
  double requests = 0;
  double proxied_requests = 0;
  friend bool operator==(const request_report&, const request_report&) = default;
};

/// Counts the requests in flight at one pod or activator (C-7).
///
/// Divides by the time that passed, not by the nominal period. An event that is late moves no time:
/// it counts from the latest one on. Nothing is clamped: an end without its begin makes the count
/// negative.
class request_stats {
public:
  /// @param start from when on time counts
  explicit request_stats(instant start) noexcept : at_(start) {}

  /// A request comes, or goes.
  /// @param proxied it came through an activator
  void begin(instant now, bool proxied = false) noexcept;
  void end(instant now, bool proxied = false) noexcept;

  /// @returns the means and counts since the last report; the means are 0 when no time passed.
  request_report report(instant now) noexcept;

  [[nodiscard]] std::int64_t in_flight() const noexcept { return open_; }

private:
  void advance(instant now) noexcept;

  instant at_;
  std::int64_t open_ = 0;
  std::int64_t proxied_open_ = 0;
  std::int64_t begun_ = 0;
  std::int64_t proxied_begun_ = 0;
  double busy_ = 0; // requests x seconds
  double proxied_busy_ = 0;
  double seconds_ = 0;
};

/// What one activator tells of one revision, a report a second (C-8).
class activator_stats {
public:
  /// A request comes.
  /// @returns the report that goes out at once when the revision was not known: it starts the
  ///          revision from zero, whatever follows
  std::optional<request_report> begin(instant now);

  void end(instant now) noexcept;

  /// @returns the report of the period; nothing for a revision that is not known. One that had no
  ///          request in it, and has none open, is forgotten.
  std::optional<request_report> report(instant now);

  [[nodiscard]] bool knows() const noexcept { return stats_.has_value(); }

private:
  std::optional<request_stats> stats_;
  bool told_first_ = false; // what went out at once is still to be taken off
};

} // namespace spillover::kpa
