#pragma once

#include "report/stop_condition.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// Follows a run event by event and says when the first of its conditions is met.
///
/// Events of one site come in order. Those of several may come in any order, as they do in a deployment: errors are
/// counted by the instants that the consumers' seconds name, and a second that a consumer does not tell, because its
/// process is gone, counts without it once others have told of `straggling` later ones.
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

  /// So much later a second counts although not every consumer has told it; in emulated time.
  static constexpr duration straggling = std::chrono::seconds{5};

private:
  /// What ended in a second, for the consumers that told.
  struct second {
    std::uint64_t ended = 0;
    std::uint64_t failed = 0;
    std::size_t consumers = 0;
  };

  /// A condition and how far it is.
  struct watched {
    stop_condition condition;
    /// Of a queue or instances: seconds in a row for which it holds.
    std::int64_t held = 0;
    /// Of errors: the last seconds by the instants at which they ended, those that count already (up to
    /// `counted`) and those that are not complete.
    std::map<instant, second> seconds = {};
    instant counted{};
  };

  bool is_met(watched& x, const stop_on_errors& what, const event& e) const;
  /// @returns whether too many failed in the seconds up to an instant.
  static bool failed_too_often(const watched& x, const stop_on_errors& what, instant until);
  bool is_met(watched& x, const stop_on_queue& what, const event& e) const;
  bool is_met(watched& x, const stop_on_instances& what, const event& e) const;
  bool is_met(watched& x, const stop_on_event& what, const event& e) const;

  std::vector<watched> watched_;
  std::size_t consumers_;
  instant from_;
  bool met_ = false;
};

} // namespace spillover
