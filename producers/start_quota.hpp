#pragma once

#include "model/fault.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace spillover {

/// Limits the starts of instances while quotas lie on a backend service. Quotas stack: each must be
/// met.
///
/// A rate counts starts in the 60 s that end now, those before the quota came included; a start exactly
/// 60 s ago is out. What makes a process of an instance that is a member already (a crashed one that
/// comes back) is no start here: it needs nothing new.
class start_quota {
public:
  /// What a quota says to a wish.
  struct answer {
    std::uint32_t granted = 0;
    /// The limit in words when not all was granted, e.g. "quota of 3 starts a minute".
    std::string reason = {};
    /// The fault that sets this limit.
    std::uint32_t fault = 0;
    friend bool operator==(const answer&, const answer&) = default;
  };

  /// A quota begins to limit starts, beside those that lie already.
  /// @param fault its number in the scenario; not laid on already
  void lay(std::uint32_t fault, const quota_fault& what) { quotas_.push_back({fault, what}); }
  /// A quota ends; does nothing when it is not there.
  void take_off(std::uint32_t fault);

  /// @param members starting, running and crashed instances
  /// @returns how many of `wanted` instances may start now
  [[nodiscard]] answer ask(instant now, std::uint32_t wanted, std::uint32_t members);

  /// One instance starts.
  /// @param now never earlier than last time
  void started(instant now);

private:
  struct laid {
    std::uint32_t fault = 0;
    quota_fault what;
  };

  void forget_before(instant now);

  std::vector<laid> quotas_;
  std::deque<instant> starts_; // of the last 60 s
};

} // namespace spillover
