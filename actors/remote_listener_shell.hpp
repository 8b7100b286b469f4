#pragma once

#include "actors/shell.hpp"

namespace spillover {

/// Stands for the load balancer of a consumer that another process holds: what it is told goes there.
class remote_listener_shell final : public shell<health_listener_actor> {
public:
  /// @param consumer its site's number in the plan
  remote_listener_shell(caf::actor_config& config, site& where, std::string path,
                        std::uint16_t consumer);

protected:
  behavior_type make_behavior() override;

private:
  std::uint16_t consumer_;
};

} // namespace spillover
