#pragma once

#include "model/record.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spillover {

/// Sends what belongs to one session to one instance, as well as it can.
struct session_affinity_config {
  /// Sessions of each consumer, 1..1000000: its requests belong to them in turn.
  std::uint32_t sessions = 1'000;

  /// How long a cookie leads to its instance, above 0.
  duration ttl = std::chrono::hours{30 * 24};

  friend bool operator==(const session_affinity_config&, const session_affinity_config&) = default;
};

/// How requests find instances where Cloud Run leaves a choice, or its users have one.
struct routing_config {
  /// With all instances that there may be, and these at 90 % of their CPU or above in the last second, a
  /// request that finds no slot is refused at once instead of waiting (A-38; the share is inferred).
  bool early_reject = false;

  /// While a minimum of instances is kept, requests go to all that serve alike, those that are not
  /// needed included, instead of to the needed ones first.
  bool spread_over_minimum = false;

  /// None: any instance will do.
  std::optional<session_affinity_config> affinity = std::nullopt;

  friend bool operator==(const routing_config&, const routing_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const routing_config& x);

/// The cookies of all sessions. Each consumer's take memory once it has sent a request.
class session_table {
public:
  explicit session_table(const session_affinity_config& x) : config_(x) {}

  /// @returns the instance that a request's cookie leads to, if it has one that is still good.
  [[nodiscard]] std::optional<std::uint32_t> find(instant now,
                                                  const record& request) const noexcept;

  /// The request went to an instance: its session's cookie leads there from now on. A cookie that leads
  /// there already keeps its age.
  void remember(instant now, const record& request, std::uint32_t instance);

private:
  static constexpr std::uint32_t nobody_yet = 0xffffffff;

  struct cookie {
    std::uint32_t instance = nobody_yet;
    instant set{};
  };

  [[nodiscard]] std::size_t session_of(const record& x) const noexcept {
    return x.request % config_.sessions;
  }

  session_affinity_config config_;
  std::vector<std::pair<entity_id, std::vector<cookie>>> consumers_; // few
};

} // namespace spillover
