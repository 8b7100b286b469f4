#pragma once

#include "model/record.hpp"
#include "model/time.hpp"

#include <cstdint>

namespace spillover {

struct service_health;
struct service_endpoints;

/// How the actors of one process of a deployment reach those of the others. Everything here was let through
/// by the emulated links already; what the real network does to it comes on top.
class gate {
public:
  /// Sends a record that is due at the other end then. It goes at once, so that the real way is hidden
  /// behind the emulated one; where it cannot go, a request is refused by the other end (see docs/wire.md).
  /// @param site by its number in the plan
  virtual void ship(std::uint16_t site, const record& x, instant due) = 0;

  /// Lets a consumer know the state, and the endpoints, of a published service here.
  virtual void tell(std::uint16_t site, const service_health& x) = 0;
  virtual void tell(std::uint16_t site, const service_endpoints& x) = 0;

protected:
  ~gate() = default;
};

} // namespace spillover
