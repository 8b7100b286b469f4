#pragma once

#include "report/stop_condition.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// Follows a run event by event and says when the first of its conditions is met.
class stop_watch {
public:
  /// @param conditions what to stop on; of several that one event meets, the first counts
  /// @param consumers how many record a second each
  /// @param warm_up nothing that happens before its end counts
  stop_watch(const std::vector<stop_condition>& conditions, std::size_t consumers,
             duration warm_up);

  /// @returns whether there is nothing to watch for.
  [[nodiscard]] bool idle() const noexcept { return watched_.empty(); }

  /// Takes an event into account.
  /// @param x the next one of the log
  /// @returns the condition that it meets, in words, once: from then on nothing is met
  std::optional<std::string> see(const event& x);

private:
  struct second {
    std::uint64_t ended = 0;
    std::uint64_t failed = 0;
  };

  /// A condition and how far it is.
  struct watched {
    stop_condition condition;
    /// Of a queue or instances: seconds in a row for which it holds.
    std::int64_t held = 0;
    /// Of errors: the last seconds, their sum, the second that is not complete, and how many consumers
    /// it has.
    std::deque<second> seconds = {};
    second sum = {};
    second next = {};
    std::size_t consumers = 0;
  };

  bool is_met(watched& x, const stop_on_errors& what, const event& e) const;
  bool is_met(watched& x, const stop_on_queue& what, const event& e) const;
  bool is_met(watched& x, const stop_on_instances& what, const event& e) const;
  bool is_met(watched& x, const stop_on_event& what, const event& e) const;

  std::vector<watched> watched_;
  std::size_t consumers_;
  instant from_;
  bool met_ = false;
};

} // namespace spillover
