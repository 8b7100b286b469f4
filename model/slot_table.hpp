#pragma once

#include "model/check.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spillover {

/// Keeps values under small keys that are used again; adding and removing cost a few operations
/// and, once warm, no allocation.
///
/// A key alone does not tell whether its value is still the one meant: whoever gets a key back from
/// outside compares something unique inside the value.
template <class T>
class slot_table {
public:
  /// @returns the key under which `x` stays until it is taken out.
  std::uint32_t add(const T& x) {
    ++used_;
    if (free_ == none) {
      slots_.push_back({x, in_use});
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const auto key = free_;
    free_ = slots_[key].next_free;
    slots_[key] = {x, in_use};
    return key;
  }

  /// @returns the value under `key`, or nullptr when there is none.
  T* find(std::uint32_t key) noexcept {
    return key < slots_.size() && slots_[key].next_free == in_use ? &slots_[key].value : nullptr;
  }

  const T* find(std::uint32_t key) const noexcept {
    return key < slots_.size() && slots_[key].next_free == in_use ? &slots_[key].value : nullptr;
  }

  /// Lets the processor fetch the value under `key`, which need not be there.
  void fetch(std::uint32_t key) const noexcept {
    if (key < slots_.size())
      __builtin_prefetch(&slots_[key]);
  }

  T& at(std::uint32_t key) noexcept {
    SPILLOVER_CHECK(key < slots_.size() && slots_[key].next_free == in_use);
    return slots_[key].value;
  }

  const T& at(std::uint32_t key) const noexcept {
    SPILLOVER_CHECK(key < slots_.size() && slots_[key].next_free == in_use);
    return slots_[key].value;
  }

  void remove(std::uint32_t key) {
    SPILLOVER_CHECK(key < slots_.size() && slots_[key].next_free == in_use);
    slots_[key].next_free = free_;
    free_ = key;
    --used_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return used_; }

  /// Calls `f(key, value)` for each value, by ascending key.
  template <class F>
  void for_each(F&& f) {
    for (std::uint32_t key = 0; key < slots_.size(); ++key)
      if (slots_[key].next_free == in_use)
        f(key, slots_[key].value);
  }

private:
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::uint32_t in_use = 0xfffffffe;

  struct slot {
    T value;
    std::uint32_t next_free; // or that the slot is in use
  };

  std::vector<slot> slots_;
  std::uint32_t free_ = none;
  std::size_t used_ = 0;
};

} // namespace spillover
