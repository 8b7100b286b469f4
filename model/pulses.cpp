#include "model/pulses.hpp"

namespace spillover {

std::optional<instant> next_pulse(const fault& x, instant now, bool lies) noexcept {
  if (!x.flap)
    return std::nullopt;
  const auto next = now + (lies ? x.flap->down : x.flap->period - x.flap->down);
  if (x.lasts && next >= x.at + *x.lasts)
    return std::nullopt;
  return next;
}

} // namespace spillover
