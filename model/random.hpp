#pragma once

#include <pcg_random.hpp>

#include <cstdint>
#include <string_view>

namespace spillover {

/// A reproducible source of random numbers, derived from the run's seed and a name.
///
/// Each consumer of randomness owns a stream of its own, so that a new actor never shifts what an
/// existing one draws. Same seed and name: same numbers, on every compiler and machine.
class random_stream {
public:
  /// @param name usually the entity's path, e.g. "us-east1/checkout/web/7"
  random_stream(std::uint64_t seed, std::string_view name) noexcept;

  /// @returns 64 uniform bits.
  std::uint64_t bits() noexcept { return engine_(); }

  /// @returns a uniform number in [0, 1), a multiple of 2^-53.
  double unit() noexcept { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  /// @returns a uniform integer in [0, n).
  /// @param n at least 1; the bias is below n / 2^64
  std::uint64_t below(std::uint64_t n) noexcept {
    return static_cast<std::uint64_t>((static_cast<wide>(engine_()) * n) >> 64);
  }

private:
  __extension__ using wide = unsigned __int128;
  pcg64 engine_;
};

} // namespace spillover
