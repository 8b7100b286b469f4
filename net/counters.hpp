#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spillover::net {

/// Sockets of their own for each kind of traffic, so that none delays another.
enum class plane : std::uint8_t {
  /// Requests and responses: at most once.
  data,
  /// States of published services: the newest arrives.
  health,
  /// Commands and heartbeats: acknowledged, retried, carried out once.
  control,
  /// Lines of the event log: without gaps, or with gaps that are known.
  telemetry,
};

inline constexpr std::size_t plane_count = 4;
/// Those that go both ways; telemetry goes to its collector only.
inline constexpr std::size_t two_way_planes = 3;

std::string_view to_string(plane x) noexcept;

/// Why something was not sent, or had no effect when it came. Items are records, states, commands,
/// answers or lines; where a frame could not be read, it counts as one.
enum class drop : std::uint8_t {
  /// The own queue was full.
  queue_full,
  /// The inbox was full: the site did not look into it.
  inbox_full,
  /// There is no connection to the peer, or none any more.
  unreachable,
  /// The peer has not been heard of for too long.
  peer_lost,
  /// The command was not answered in time.
  unanswered,
  /// There was no room in the spill file.
  spill_full,
  /// As flaws of the wire format name them.
  oversized,
  malformed,
  other_version,
  out_of_range,
  not_accepted,
  /// A body that is not known here; of a higher minor version.
  unknown_body,
  /// A body that does not belong to this plane.
  wrong_plane,
  /// A sender that is not a site of the deployment.
  unknown_site,
  /// A sender that is not the owner of its connection's key.
  impostor,
  /// The peer runs another scenario.
  other_scenario,
  /// The peer has not said hello since its, or our, process began.
  not_introduced,
  /// Of an earlier process of the sender, or an older state.
  stale,
  /// Seen before.
  repeated,
  /// Came after something that has not come yet, and will be sent again.
  out_of_order,
};

inline constexpr std::size_t drop_count = 20;

std::string_view to_string(drop x) noexcept;

/// What happened on one plane with one peer, since the start.
struct plane_counters {
  std::uint64_t frames_sent = 0;
  std::uint64_t items_sent = 0;
  std::uint64_t frames_received = 0;
  /// Items that were taken in.
  std::uint64_t items_received = 0;
  /// Indexed by `drop`.
  std::array<std::uint64_t, drop_count> dropped{};

  [[nodiscard]] std::uint64_t of(drop x) const noexcept {
    return dropped[static_cast<std::size_t>(x)];
  }
};

/// What happened with one peer.
struct site_counters {
  /// Empty for all senders that are not known.
  std::string site;
  /// Indexed by `plane`.
  std::array<plane_counters, plane_count> planes{};

  [[nodiscard]] const plane_counters& on(plane x) const noexcept {
    return planes[static_cast<std::size_t>(x)];
  }
};

/// A look at everything that a transport counts.
struct counters {
  /// As the deployment lists its sites; the last one stands for senders that are not known.
  std::vector<site_counters> sites;
  /// Connections that were turned away, because their key is not authorised.
  std::uint64_t refused_keys = 0;

  /// @returns the number of items dropped for a reason, on all planes and with all sites.
  [[nodiscard]] std::uint64_t dropped(drop why) const noexcept;
};

/// Counts; any thread may do so at any time.
class live_counters {
public:
  explicit live_counters(std::vector<std::string> sites);

  /// Stands for a sender that is not known.
  [[nodiscard]] std::size_t stranger() const noexcept { return sites_.size(); }

  void sent(std::size_t site, plane where, std::uint64_t items) noexcept;
  void frame_received(std::size_t site, plane where) noexcept;
  void received(std::size_t site, plane where, std::uint64_t items) noexcept;
  void dropped(std::size_t site, plane where, drop why, std::uint64_t items = 1) noexcept;
  void key_refused() noexcept { refused_keys_.fetch_add(1, std::memory_order_relaxed); }

  [[nodiscard]] counters look() const;

private:
  using number = std::atomic<std::uint64_t>;
  struct cell {
    number frames_sent{0};
    number items_sent{0};
    number frames_received{0};
    number items_received{0};
    std::array<number, drop_count> dropped{};
  };

  [[nodiscard]] cell& at(std::size_t site, plane where) const noexcept {
    return cells_[site * plane_count + static_cast<std::size_t>(where)];
  }

  std::vector<std::string> sites_;
  std::unique_ptr<cell[]> cells_;
  number refused_keys_{0};
};

} // namespace spillover::net
