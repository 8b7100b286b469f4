#pragma once

#include <cstdint>
#include <optional>

namespace spillover {

/// Chooses the instance that a request goes to, and counts what each of them has.
class request_router {
public:
  /// Ready instances come before deprioritised ones, where a router tells them apart.
  enum class tier : std::uint8_t { ready, deprioritised };

  virtual ~request_router() = default;

  /// Makes an instance eligible; what it still has in flight from before counts on.
  virtual void add(std::uint32_t index, tier where) = 0;

  /// Moves an eligible instance to another tier; it keeps its count.
  virtual void move(std::uint32_t index, tier where) = 0;

  /// Takes an eligible instance out of the choice; requests it has still count down by `finish`.
  virtual void remove(std::uint32_t index) = 0;

  /// Chooses an instance that may have one more and counts the request in.
  virtual std::optional<std::uint32_t> dispatch() = 0;

  /// Counts a request of `index` out.
  virtual void finish(std::uint32_t index) = 0;

  /// Forgets all requests of an instance that is not eligible (it ended).
  virtual void forget(std::uint32_t index) = 0;

  [[nodiscard]] virtual std::uint32_t in_flight(std::uint32_t index) const noexcept = 0;

  /// Requests in flight on all instances.
  [[nodiscard]] virtual std::uint64_t in_flight() const noexcept = 0;
};

} // namespace spillover
