#include "actors/wall_clock.hpp"

#include "model/check.hpp"

#include <cmath>

namespace spillover {

wall_clock::wall_clock(real::time_point start, double speed) : start_(start), speed_(speed) {
  SPILLOVER_CHECK(speed >= 0.001 && speed <= 10'000);
}

instant wall_clock::at(real::time_point x) const noexcept {
  const auto passed = std::chrono::duration_cast<duration>(x - start_);
  return run_start
         + duration{
           static_cast<duration::rep>(std::floor(static_cast<double>(passed.count()) * speed_))};
}

wall_clock::real::time_point wall_clock::real_of(instant x) const noexcept {
  const auto left = std::chrono::duration_cast<duration>(real::time_point::max() - start_);
  const auto span = std::ceil(static_cast<double>(x.time_since_epoch().count()) / speed_);
  if (x == never || span >= static_cast<double>(left.count()))
    return real::time_point::max();
  auto result = start_ + duration{static_cast<duration::rep>(span)};
  // What `at` rounds down may be a nanosecond short.
  while (at(result) < x)
    result += duration{1};
  return result;
}

} // namespace spillover
