#pragma once

#include "net/moment.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace spillover::net {

/// Lets one line of each kind pass in a minute, so that no peer can fill the log. Counts what it keeps back.
class log_limiter {
public:
  static constexpr span_of_time pause = std::chrono::minutes{1};

  /// @param kind what the line is about
  /// @param times how often it happened
  /// @returns how often it had happened since the last line that passed, without these times; nothing when
  ///          this line is to be kept back too
  std::optional<std::uint64_t> pass(int kind, moment now, std::uint64_t times = 1) {
    auto [at, first] = kinds_.try_emplace(kind, now, 0);
    auto& [since, kept_back] = at->second;
    if (!first && now - since < pause) {
      kept_back += times;
      return std::nullopt;
    }
    since = now;
    return std::exchange(kept_back, 0);
  }

private:
  std::map<int, std::pair<moment, std::uint64_t>> kinds_;
};

} // namespace spillover::net
