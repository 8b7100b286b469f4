#include "net/telemetry.hpp"

#include <algorithm>

namespace spillover::net {

telemetry_sender::telemetry_sender(const std::filesystem::path& spill, std::uint64_t most_bytes,
                                   span_of_time again_after)
  : file_(spill, most_bytes), again_after_(again_after) {}

bool telemetry_sender::next(moment now, telemetry_batch& into) {
  if (cursor_ > acknowledged_ && now - progress_ >= again_after_)
    start_over();
  if (cursor_ >= file_.last() || cursor_ - acknowledged_ >= window)
    return false;
  return file_.read(cursor_, into);
}

void telemetry_sender::sent(const telemetry_batch& x, moment now) noexcept {
  if (cursor_ == acknowledged_)
    progress_ = now;
  cursor_ = x.first + x.lines.size() - 1;
  furthest_ = std::max(furthest_, cursor_);
}

void telemetry_sender::on_ack(const telemetry_ack& x, moment now) noexcept {
  // Nobody can have what was never sent.
  if (x.through > furthest_)
    return;
  if (x.again) {
    // May lie below what was acknowledged: another collector that knows less.
    acknowledged_ = x.through;
    cursor_ = x.through;
  } else if (x.through > acknowledged_) {
    acknowledged_ = x.through;
    cursor_ = std::max(cursor_, acknowledged_);
  } else {
    return;
  }
  progress_ = now;
  file_.acknowledge(acknowledged_);
}

telemetry_receiver::verdict telemetry_receiver::judge(const telemetry_batch& x) const noexcept {
  const auto last = x.first + x.lines.size() - 1;
  if (last <= through_)
    return {.known = x.lines.size()};
  if (x.first <= through_ + 1)
    return {.known = through_ + 1 - x.first, .take = true};
  if (x.previous <= through_)
    return {.take = true, .gone = x.first - through_ - 1};
  return {};
}

std::optional<telemetry_ack> telemetry_receiver::ask_again(moment now) noexcept {
  if (asked_ && asked_after_ == through_ && now - *asked_ < again_after_)
    return std::nullopt;
  asked_ = now;
  asked_after_ = through_;
  return telemetry_ack{.through = through_, .again = true, .answers = 0};
}

} // namespace spillover::net
