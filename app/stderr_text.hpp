#pragma once

#include <cstdio>
#include <string_view>

namespace spillover::app {

/// Writes to stderr, and does without when that cannot be: a full disk or a terminal that is gone must not end
/// the work that is told of.
inline void try_to_tell(std::string_view text) noexcept {
  // Not fmt::print, which throws.
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

} // namespace spillover::app
