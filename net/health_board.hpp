#pragma once

#include "net/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace spillover::net {

/// The states that a site has for others: of each resource, kind and receiver the newest, to be sent when it
/// comes, and again and again, because a message may be lost without anybody noticing (B-24).
class health_outbox {
public:
  /// @returns the state to send, or nothing when it is older than what stands here
  const health_state* put(std::size_t peer, health_state x);

  /// @returns all that `peer` should know.
  [[nodiscard]] std::vector<const health_state*> of(std::size_t peer) const;

private:
  /// By receiver, kind and resource.
  std::map<std::tuple<std::size_t, resource_kind, std::string>, health_state> states_;
};

/// What a site has heard: decides whether a state is news.
class health_inbox {
public:
  enum class verdict : std::uint8_t {
    newer,
    /// The same pair again.
    repeated,
    /// An older pair.
    stale,
    /// The sender names more resources than `most_resources`.
    too_many,
  };

  /// Of one sender; bounds what a peer can make us keep.
  static constexpr std::size_t most_resources = 4096;

  /// Decides by (incarnation, generation) alone; takes nothing in.
  [[nodiscard]] verdict judge(std::size_t peer, const health_state& x) const;

  /// Takes in what `judge` called newer.
  void take(std::size_t peer, const health_state& x);

  /// Another process of the peer: what the one before said does not count any more.
  void forget(std::size_t peer);

private:
  using pair = std::pair<std::uint32_t, std::uint64_t>;
  /// By sender, kind and resource.
  std::map<std::size_t, std::map<std::pair<resource_kind, std::string>, pair>> known_;
};

} // namespace spillover::net
