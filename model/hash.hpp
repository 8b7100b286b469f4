#pragma once

#include <cstdint>
#include <string_view>

namespace spillover {

/// Hashes bytes, the same on every machine and for ever, unlike `std::hash`.
///
/// FNV-1a in its 64-bit form, by Fowler, Noll and Vo.
constexpr std::uint64_t fnv1a_64(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto x : bytes) {
    hash ^= static_cast<unsigned char>(x);
    hash *= 0x100000001b3;
  }
  return hash;
}

/// Turns any 64 bits into a sequence of well mixed ones, to seed a generator with.
///
/// Steele, Lea and Flood's SplitMix64.
class splitmix64 {
public:
  constexpr explicit splitmix64(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t operator()() noexcept {
    state_ += 0x9e3779b97f4a7c15;
    auto z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

private:
  std::uint64_t state_;
};

} // namespace spillover
