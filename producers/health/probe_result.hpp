#pragma once

#include <cstdint>

namespace spillover {

/// What a probe meets.
enum class probe_result : std::uint8_t {
  /// A failure that is known at once: no process, or a refusal.
  refused,
  /// A failure that is known at once, because the process answers with an error.
  failed,
  /// A failure that takes the timeout to notice.
  silent,
  /// A success.
  answered,
};

} // namespace spillover
