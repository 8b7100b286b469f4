#pragma once

namespace spillover {

/// Prints where and what, then aborts. Used by `SPILLOVER_CHECK` only.
[[noreturn]] void check_failed(const char* file, int line, const char* expression) noexcept;

} // namespace spillover

/// Aborts, in every build type, when `expression` is false: a bug of ours.
///
/// Never for what a file, a peer or a user can cause. A macro, because clang 14 cannot compile
/// `std::source_location` with libstdc++ 12.
#define SPILLOVER_CHECK(expression)                                                                \
  (static_cast<bool>(expression) ? void(0)                                                         \
                                 : ::spillover::check_failed(__FILE__, __LINE__, #expression))

/// Aborts with `why`: the program must never come here.
#define SPILLOVER_CHECK_NEVER(why) ::spillover::check_failed(__FILE__, __LINE__, why)
