#include "actors/remote_listener_shell.hpp"

#include <utility>

namespace spillover {

remote_listener_shell::remote_listener_shell(caf::actor_config& config, site& where,
                                             std::string path, std::uint16_t consumer)
  : shell(config, where, actor_kind::load_balancer, nobody, std::move(path)), consumer_(consumer) {}

remote_listener_shell::behavior_type remote_listener_shell::make_behavior() {
  SPILLOVER_CHECK(site_.others() != nullptr);
  return {
    [this](const service_health& x) { site_.others()->tell(consumer_, x); },
    [this](const service_endpoints& x) { site_.others()->tell(consumer_, x); },
  };
}

} // namespace spillover
