#include "regions/message_limit.hpp"

namespace spillover {

std::optional<duration> message_limit::admit(instant now) noexcept {
  constexpr std::uint32_t second = 1'000'000'000;
  // Nobody passes before the time that the fraction leads to.
  const auto next = part_ == 0 ? free_ : free_ + duration{1};
  duration wait{};
  if (next > now) {
    wait = next - now;
    if (wait > longest_wait_)
      return std::nullopt;
  } else {
    free_ = now;
    part_ = 0;
  }
  free_ += duration{second / per_second_};
  part_ += second % per_second_;
  if (part_ >= per_second_) {
    part_ -= per_second_;
    free_ += duration{1};
  }
  return wait;
}

} // namespace spillover
