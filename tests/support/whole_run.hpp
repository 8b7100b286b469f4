#pragma once

#include "actors/world.hpp"

namespace spillover::test {

/// A run of a scenario from its start to its end, books closed.
class whole_run {
public:
  explicit whole_run(const scenario& x) : world_(x) {
    world_.run_until(run_start + x.lasts);
    world_.finish();
  }

  [[nodiscard]] const event_log& log() const noexcept { return world_.log(); }
  [[nodiscard]] const world& ended() const noexcept { return world_; }

private:
  world world_;
};

} // namespace spillover::test
