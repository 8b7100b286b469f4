#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <optional>

namespace spillover {

/// A bottleneck that lets a number of messages pass each second, evenly, while the others wait in
/// line for a limited time.
///
/// Exact to the nanosecond for every rate: over a busy second of any length it passes as many as its
/// rate says, since the rest of a division is carried on. Nothing is saved up while the line is
/// empty.
class message_limit {
public:
  /// @param per_second 1..1,000,000
  /// @param longest_wait at least 0; a message that would wait longer is refused
  message_limit(std::uint32_t per_second, duration longest_wait) noexcept
    : per_second_(per_second), longest_wait_(longest_wait) {}

  /// Takes a message, or refuses it and stays as it was.
  /// @param now never earlier than last time
  /// @returns how long the message waits until it may pass; nothing when it is refused
  std::optional<duration> admit(instant now) noexcept;

private:
  std::uint32_t per_second_;
  duration longest_wait_;
  // The next message may pass at free_ + part_ / per_second_ nanoseconds.
  instant free_ = run_start;
  std::uint32_t part_ = 0;
};

} // namespace spillover
