#include "lb/make_router.hpp"

#include "lb/capacity_router.hpp"
#include "lb/dns_router.hpp"
#include "lb/envoy_router.hpp"
#include "lb/failover_router.hpp"
#include "model/check.hpp"

namespace spillover {

std::unique_ptr<region_router> make_region_router(const load_balancer_config& x,
                                                  std::uint32_t regions) {
  if (x.distribution)
    return std::make_unique<capacity_router>(*x.distribution, regions, x.unknown,
                                             deciding_proxies(x));
  switch (x.kind) {
    case load_balancer_kind::dns: return std::make_unique<dns_router>(x.dns, regions, x.unknown);
    case load_balancer_kind::envoy:
      return std::make_unique<envoy_router>(x.envoy, regions, x.unknown);
    case load_balancer_kind::grpc: SPILLOVER_CHECK_NEVER("its routers draw numbers of their own");
    case load_balancer_kind::global_external_application:
    case load_balancer_kind::cross_region_internal_application:
    case load_balancer_kind::internal_proxy_network: break;
  }
  return std::make_unique<failover_router>(regions, x.unknown);
}

} // namespace spillover
