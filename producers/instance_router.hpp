#pragma once

#include "producers/request_router.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace spillover {

/// Chooses the instance that a request goes to: ready before deprioritised, among
/// those the one with the fewest requests in flight, and of equal ones the oldest.
///
/// Indices grow with age: the smaller is the older. Each call costs a few operations whatever the
/// number of instances: instances are bits in one tree of bit sets for each number of requests in
/// flight. The trees take their nodes from one pool, so that memory follows the number of eligible
/// instances, however many levels are used and however far indices have grown.
class instance_router final : public request_router {
public:
  /// @param limit requests that an instance takes at a time, at least 1 and at most 4096
  explicit instance_router(std::uint32_t limit);

  /// Gives an instance another limit of its own, until it is added again. What it has above a
  /// lower one stays.
  /// @param limit at least 1, at most that of the constructor
  void set_limit(std::uint32_t index, std::uint32_t limit);

  /// Counts a request in at an instance that was chosen otherwise.
  /// @returns false when it is not eligible, or has no room
  bool dispatch_to(std::uint32_t index);

  void add(std::uint32_t index, tier where) override;
  void move(std::uint32_t index, tier where) override;
  void remove(std::uint32_t index) override;
  std::optional<std::uint32_t> dispatch() override;
  void finish(std::uint32_t index) override;
  void forget(std::uint32_t index) override;
  [[nodiscard]] std::uint32_t in_flight(std::uint32_t index) const noexcept override;
  [[nodiscard]] std::uint64_t in_flight() const noexcept override { return total_; }

private:
  static constexpr std::uint8_t not_eligible = 0xff;
  static constexpr std::uint32_t none = 0xffffffff;

  struct instance {
    std::uint32_t in_flight = 0;
    std::uint8_t tier = not_eligible;
    std::uint16_t limit = 0;
  };

  /// 4096 instances: 64 words, and a bit for each word that is not 0.
  struct leaf {
    std::uint64_t used = 0;
    std::array<std::uint64_t, 64> words{};
  };

  /// 64 nodes of the depth below, and a bit for each that is there.
  struct branch {
    std::uint64_t used = 0;
    std::array<std::uint32_t, 64> below{};
  };

  /// The instances of one tier by requests in flight.
  struct levels {
    std::vector<std::uint32_t> roots; // by requests in flight; none when nobody has that many
    std::vector<std::uint64_t> used;  // a bit for each root that is there
    std::uint64_t used_words = 0;     // a bit for each word of `used` that is not 0
  };

  void insert(levels& where, std::uint32_t level, std::uint32_t index);
  void erase(levels& where, std::uint32_t level, std::uint32_t index);
  void insert_deep(levels& where, std::uint32_t level, std::uint32_t index);
  void erase_deep(levels& where, std::uint32_t level, std::uint32_t index);
  void occupy(levels& where, std::uint32_t level, std::uint32_t root);
  void vacate(levels& where, std::uint32_t level) noexcept;
  [[nodiscard]] std::uint32_t lowest(std::uint32_t root) const noexcept;
  void grow(std::uint32_t index);
  std::uint32_t new_leaf();
  std::uint32_t new_branch();
  [[nodiscard]] instance& eligible(std::uint32_t index) noexcept;

  std::uint32_t limit_;
  std::uint32_t depth_ = 0; // branches between a root and its leaves
  std::uint64_t total_ = 0;
  std::array<levels, 2> tiers_;
  std::vector<instance> instances_; // by index
  std::vector<leaf> leaves_;
  std::vector<branch> branches_;
  std::vector<std::uint32_t> free_leaves_;
  std::vector<std::uint32_t> free_branches_;
};

} // namespace spillover
