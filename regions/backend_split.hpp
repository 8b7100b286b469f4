#pragma once

#include <cstdint>
#include <vector>

namespace spillover {

/// Divides the requests of a published service over its backend services by weight.
///
/// Smooth weighted round robin, as nginx does it: deterministic, and at any moment within one
/// request of the exact shares.
class backend_split {
public:
  /// @param weights at least one, each at least 1
  explicit backend_split(const std::vector<std::uint32_t>& weights);

  /// @returns the place of the backend service that the next request goes to.
  std::uint32_t next() noexcept;

private:
  struct share {
    std::int64_t weight;
    std::int64_t current;
  };
  std::vector<share> shares_;
  std::int64_t total_ = 0;
};

} // namespace spillover
