#pragma once

#include "actors/shell.hpp"
#include "model/fault.hpp"

#include <array>
#include <memory>

namespace spillover {

/// The link from one site to another, by plane. Data records pass by the sender's port, which asks
/// the model; health passes through this actor.
class link_shell final : public shell<link_actor> {
public:
  using models = std::array<std::shared_ptr<link_model>, plane_count>;

  struct setup {
    std::string path;
    models planes;
  };

  /// @param listener who hears of health at the other end; none on a link towards a producer
  link_shell(caf::actor_config& config, site& where, setup with, health_listener_actor listener);

  void on_exit() override;

protected:
  behavior_type make_behavior() override;

private:
  template <class Message>
  void carry(const Message& x);
  void obey(const link_order& x);
  void close();

  setup setup_;
  health_listener_actor listener_;
};

} // namespace spillover
