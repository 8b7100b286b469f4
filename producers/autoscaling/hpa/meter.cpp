#include "producers/autoscaling/hpa/meter.hpp"

namespace spillover::hpa {

namespace {

constexpr duration second = std::chrono::seconds{1};

} // namespace

void meter::observe(instant ended, std::int64_t value) noexcept {
  sum_ += value;
  observed_ += second;
  if (ended.time_since_epoch() % resolution_ != duration::zero())
    return;
  if (observed_ == resolution_)
    sample_ = {.value = sum_ / (resolution_ / second), .at = ended, .window = resolution_};
  observed_ = {};
  sum_ = 0;
}

} // namespace spillover::hpa
