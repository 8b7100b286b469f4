#pragma once

#include <cstdint>

namespace spillover {

/// What somebody meets who asks an instance whether it is well.
enum class probe_result : std::uint8_t {
  healthy,
  /// It says that it is not, or refuses.
  error,
  /// Nothing comes until the timeout.
  silence,
};

} // namespace spillover
