#pragma once

#include "model/distribution.hpp"
#include "model/random.hpp"
#include "model/time.hpp"
#include "producers/autoscaling/config.hpp"
#include "producers/billing/config.hpp"

#include <cstdint>
#include <vector>

namespace spillover::test {

/// Draws what scenarios are made of.
class random_source {
public:
  explicit random_source(std::uint64_t seed) : random_(seed, "scenario") {}

  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random_.below(most - least + 1));
  }
  bool coin() { return random_.below(2) == 1; }

  // Any nanosecond of the range, or a round number in it.
  duration span(duration least, duration most) {
    const auto width = static_cast<std::uint64_t>((most - least).count()) + 1;
    const auto any = least + duration{static_cast<duration::rep>(random_.below(width))};
    const auto seconds = std::chrono::floor<std::chrono::seconds>(any);
    return coin() && seconds >= least ? duration{seconds} : any;
  }

  // Of (0, 1], or 0 as well.
  double share(bool zero) { return coin() ? 1 - random_.unit() : zero && coin() ? 0 : 0.25; }

  template <class T>
  const T& one_of(const std::vector<T>& x) {
    return x[random_.below(x.size())];
  }

  /// Of [0, 1).
  double unit() { return random_.unit(); }

  distribution any_distribution();

protected:
  random_stream random_;
};

autoscaling_config any_autoscaling(random_source& from);

/// Only Cloud Run's instances can be paid for by the request.
billing::config any_billing(random_source& from, const autoscaling_config& policy);

} // namespace spillover::test
