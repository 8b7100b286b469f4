#pragma once

#include "model/random.hpp"
#include "producers/request_router.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace spillover {

/// Which of the ready instances the next request goes to.
enum class spread : std::uint8_t {
  /// One after the other, in the order in which they became ready.
  round_robin,
  /// Any, each with the same chance.
  random,
  /// Of two different ones drawn at random the one with fewer requests in flight.
  two_random,
  /// The first, in the order in which they became ready, that may have one more.
  first_available,
};

/// Spreads requests over ready instances the way load balancers and Knative's activator do (C-29).
/// Knows no deprioritised instances: both tiers are one.
class pod_router final : public request_router {
public:
  /// @param random what the drawing ways draw from
  explicit pod_router(random_stream random) : random_(random) {}

  /// Chooses by `how` from now on, among those with fewer than `limit` requests in flight.
  /// @param limit 0 is no limit
  void follow(spread how, std::uint32_t limit);

  void add(std::uint32_t index, tier where) override;
  void move(std::uint32_t index, tier where) override;
  void remove(std::uint32_t index) override;
  std::optional<std::uint32_t> dispatch() override;
  void finish(std::uint32_t index) override;
  void forget(std::uint32_t index) override;
  [[nodiscard]] std::uint32_t in_flight(std::uint32_t index) const noexcept override;
  [[nodiscard]] std::uint64_t in_flight() const noexcept override { return total_; }

private:
  static constexpr std::uint32_t none = 0xffffffff;

  struct pod {
    std::uint32_t in_flight = 0;
    std::uint32_t place = none; // in `ready_`
  };

  [[nodiscard]] bool may_have_more(std::uint32_t index) const noexcept;
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(ready_.size());
  }
  [[nodiscard]] bool is_open(std::uint32_t place) const noexcept;
  void mark(std::uint32_t place, bool open) noexcept;
  void mark_all();
  [[nodiscard]] std::uint32_t open_from(std::uint32_t place) const noexcept;
  [[nodiscard]] std::uint32_t draw_two() noexcept;
  [[nodiscard]] std::uint32_t choose() noexcept;

  random_stream random_;
  spread how_ = spread::round_robin;
  std::uint32_t limit_ = 0;
  std::uint32_t next_ = 0; // place whose turn it is
  std::uint32_t open_count_ = 0;
  std::uint64_t total_ = 0;
  std::vector<std::uint32_t> ready_; // indices, in the order in which they became ready
  std::vector<std::uint64_t> open_;  // a bit for each place that may have one more
  std::vector<pod> pods_;            // by index
};

} // namespace spillover
