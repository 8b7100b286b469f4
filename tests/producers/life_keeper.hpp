#pragma once

#include "producers/fleet.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

namespace spillover::test {

/// Adds up the lives of instances in its own way: what instance-based billing charges, each interval
/// rounded.
class life_keeper {
public:
  void changed(instant now, const fleet::change& x) {
    auto& own = lives_[x.index];
    const auto at_once = own.crashed == now;
    if (own.crashed && !at_once)
      close(own, *own.crashed);
    own.crashed.reset();
    switch (x.after) {
      case instance_state::starting:
        if (!own.begun)
          own.begun = now;
        break;
      case instance_state::crashed: own.crashed = now; break;
      case instance_state::stopped: close(own, now); break;
      default: break;
    }
  }

  [[nodiscard]] duration total(instant now) const {
    auto sum = sum_;
    for (const auto& [index, x] : lives_)
      if (x.begun)
        sum += charged(x.crashed.value_or(now) - *x.begun);
    return sum;
  }

private:
  struct life {
    std::optional<instant> begun;
    std::optional<instant> crashed;
  };

  static duration charged(duration x) {
    constexpr duration unit = std::chrono::milliseconds{100};
    return std::max<duration>(std::chrono::seconds{60}, (x + unit - duration{1}) / unit * unit);
  }

  void close(life& x, instant at) {
    if (x.begun)
      sum_ += charged(at - *x.begun);
    x = {};
  }

  std::map<std::uint32_t, life> lives_;
  duration sum_{};
};

} // namespace spillover::test
