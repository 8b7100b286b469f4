#pragma once

#include "net/moment.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace spillover::net {

/// What became known of a peer's process, or of the connection to it.
enum class peer_step : std::uint8_t {
  /// It was heard of for the first time, or again after it was lost.
  back,
  /// It was not heard of for too long.
  lost,
  /// Another process speaks for the same site, later than the one before; whatever the old one knew is gone.
  restarted,
  /// The connection by which records leave for it stands.
  connected,
  /// That connection broke: what is sent until it stands again is dropped. A process that is killed is
  /// noticed by this at once, and by its heartbeats only later.
  disconnected,
};

inline constexpr std::size_t peer_step_count = 5;

/// Judges by heartbeats which peers live. A peer that was never heard of is neither lost nor back.
class liveness {
public:
  /// @param lost_after time without a heartbeat after which a peer is lost, above zero
  liveness(std::size_t peers, span_of_time lost_after);

  /// What a peer's frame is worth by its incarnation.
  enum class standing : std::uint8_t { current, not_introduced, stale };
  [[nodiscard]] standing of(std::size_t peer, std::uint64_t incarnation) const noexcept;

  /// Introduces a process of a peer, unless a later one was seen.
  /// @returns `restarted` when it takes the place of another one
  std::optional<peer_step> introduce(std::size_t peer, std::uint64_t incarnation) noexcept;

  /// Takes a heartbeat of the current process into account.
  std::optional<peer_step> heartbeat(std::size_t peer, moment now) noexcept;

  /// @returns a peer that is lost by now and was not said to be, if any; call again until there is none
  std::optional<std::size_t> next_lost(moment now) noexcept;

  /// @returns whether the peer was heard of and then lost.
  [[nodiscard]] bool lost(std::size_t peer) const noexcept {
    return peers_[peer].where == state::lost;
  }

  /// @returns whether the peer has been heard of in time.
  [[nodiscard]] bool up(std::size_t peer) const noexcept { return peers_[peer].where == state::up; }

  /// @returns the incarnation of the current process; 0 when there was none.
  [[nodiscard]] std::uint64_t incarnation(std::size_t peer) const noexcept {
    return peers_[peer].incarnation;
  }

private:
  enum class state : std::uint8_t { never_heard, up, lost };
  struct known_peer {
    std::uint64_t incarnation = 0;
    moment heard{};
    state where = state::never_heard;
  };
  std::vector<known_peer> peers_;
  span_of_time lost_after_;
};

} // namespace spillover::net
