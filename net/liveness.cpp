#include "net/liveness.hpp"

namespace spillover::net {

liveness::liveness(std::size_t peers, span_of_time lost_after)
  : peers_(peers), lost_after_(lost_after) {}

liveness::standing liveness::of(std::size_t peer, std::uint64_t incarnation) const noexcept {
  const auto known = peers_[peer].incarnation;
  if (incarnation == known && known != 0)
    return standing::current;
  return incarnation < known ? standing::stale : standing::not_introduced;
}

std::optional<peer_step> liveness::introduce(std::size_t peer, std::uint64_t incarnation) noexcept {
  auto& x = peers_[peer];
  if (incarnation <= x.incarnation)
    return std::nullopt;
  const auto first = x.incarnation == 0;
  x.incarnation = incarnation;
  return first ? std::nullopt : std::optional{peer_step::restarted};
}

std::optional<peer_step> liveness::heartbeat(std::size_t peer, moment now) noexcept {
  auto& x = peers_[peer];
  x.heard = now;
  if (x.where == state::up)
    return std::nullopt;
  x.where = state::up;
  return peer_step::back;
}

std::optional<std::size_t> liveness::next_lost(moment now) noexcept {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    auto& x = peers_[i];
    if (x.where == state::up && now - x.heard >= lost_after_) {
      x.where = state::lost;
      return i;
    }
  }
  return std::nullopt;
}

} // namespace spillover::net
