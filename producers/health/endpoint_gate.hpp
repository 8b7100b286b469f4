#pragma once

#include "model/health.hpp"
#include "model/record.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spillover {

/// The load balancer in front of a published service's backend services (B-11).
enum class producer_balancer : std::uint8_t {
  internal_passthrough_network,
  regional_internal_application,
  regional_internal_proxy_network,
};

/// How new requests are kept from endpoints that health checks find unhealthy (B-11, B-69).
struct producer_balancer_config {
  producer_balancer kind = producer_balancer::internal_passthrough_network;

  /// Of a passthrough one: connections are dropped when no endpoint is healthy; otherwise all endpoints
  /// are used as a last resort (B-58).
  bool drop_traffic_if_unhealthy = false;

  friend bool operator==(const producer_balancer_config&,
                         const producer_balancer_config&) = default;
};

/// Says which endpoints of a backend service get new requests, by their health (B-69).
///
/// Unhealthy ones get none; what is not known yet counts as healthy. When every endpoint is unhealthy,
/// a proxy refuses what comes, and a passthrough load balancer uses all or drops what comes. A backend
/// service without endpoints is its platform's concern.
class endpoint_gate {
public:
  /// An endpoint gets new requests from now on, or none.
  struct change {
    std::uint32_t index = 0;
    bool avoided = false;
    friend bool operator==(const change&, const change&) = default;
  };

  explicit endpoint_gate(const producer_balancer_config& config) noexcept;

  /// An endpoint came, or its health changed.
  /// @returns what follows for endpoints, ascending
  std::vector<change> set(std::uint32_t index, health state);

  /// An endpoint left.
  /// @returns what follows for the others, ascending
  std::vector<change> remove(std::uint32_t index);

  /// @returns how a new request ends that is not let through; `lost` when it is dropped.
  [[nodiscard]] std::optional<outcome> refusal() const noexcept;

private:
  struct endpoint {
    bool present = false;
    bool unhealthy = false;
    bool avoided = false;
  };
  std::vector<change> settle();

  bool last_resort_;
  outcome refusal_;
  std::uint32_t count_ = 0;
  std::uint32_t usable_ = 0;
  std::vector<endpoint> endpoints_; // by index
};

} // namespace spillover
