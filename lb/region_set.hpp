#pragma once

#include <bit>
#include <cstdint>

namespace spillover {

/// A set of regions, each named by its place among the PSC NEGs of a load balancer.
///
/// Two words, so that it is copied and compared like a number, and requests can carry one each.
class region_set {
public:
  /// Places go from 0 to this, exclusively.
  static constexpr std::uint32_t capacity = 128;

  constexpr region_set() = default;

  /// @returns the places from 0 to `count`, exclusively.
  static constexpr region_set first_of(std::uint32_t count) noexcept {
    region_set result;
    for (std::uint32_t i = 0; i < count; ++i)
      result.insert(i);
    return result;
  }

  constexpr void insert(std::uint32_t place) noexcept { words_[place >> 6] |= bit(place); }
  constexpr void insert(const region_set& x) noexcept {
    words_[0] |= x.words_[0];
    words_[1] |= x.words_[1];
  }
  constexpr void erase(std::uint32_t place) noexcept { words_[place >> 6] &= ~bit(place); }

  [[nodiscard]] constexpr bool contains(std::uint32_t place) const noexcept {
    return (words_[place >> 6] & bit(place)) != 0;
  }

  [[nodiscard]] constexpr bool empty() const noexcept { return (words_[0] | words_[1]) == 0; }

  [[nodiscard]] constexpr std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(std::popcount(words_[0]) + std::popcount(words_[1]));
  }

  /// @returns the n-th smallest place.
  /// @param n from 0, below `size()`
  [[nodiscard]] constexpr std::uint32_t nth(std::uint64_t n) const noexcept {
    const auto low = static_cast<std::uint64_t>(std::popcount(words_[0]));
    auto word = n < low ? words_[0] : words_[1];
    const std::uint32_t base = n < low ? 0 : 64;
    for (n -= n < low ? 0 : low; n > 0; --n)
      word &= word - 1;
    return base + static_cast<std::uint32_t>(std::countr_zero(word));
  }

  /// @returns what is in this one and not in the other.
  [[nodiscard]] constexpr region_set without(const region_set& x) const noexcept {
    region_set result;
    result.words_[0] = words_[0] & ~x.words_[0];
    result.words_[1] = words_[1] & ~x.words_[1];
    return result;
  }

  friend constexpr bool operator==(const region_set&, const region_set&) = default;

private:
  static constexpr std::uint64_t bit(std::uint32_t place) noexcept {
    return std::uint64_t{1} << (place & 63);
  }

  std::uint64_t words_[2]{};
};

} // namespace spillover
