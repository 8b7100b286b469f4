#pragma once

#include "lb/priority_channel.hpp"
#include "lb/region_router.hpp"

#include <string>

namespace spillover {

/// Chooses the region of each request as a client does that balances for itself over connections (B-87): the one
/// that its channel uses, or waits for. A region whose PSC NEG is UNHEALTHY is no priority, as if its endpoints
/// had been withdrawn; nobody fails open.
class grpc_router final : public region_router {
public:
  /// @param regions number of PSC NEGs, closest first, 1..region_set::capacity
  /// @param random of the pauses between attempts to connect
  grpc_router(const grpc_config& config, std::uint32_t regions, unknown_policy unknown,
              const random_stream& random);

  /// Draws nothing. `tried` changes nothing: the region in use is the only one.
  std::uint32_t pick(instant now, random_stream& random, const region_set& tried,
                     std::uint64_t client) noexcept override;

  [[nodiscard]] bool usable(std::uint32_t region) const noexcept override {
    return channel_.usable(region);
  }

  /// @returns the connection's state, e.g. "READY"; the PSC NEG's while that keeps it from being used.
  [[nodiscard]] std::string described(std::uint32_t region) const override;

  [[nodiscard]] priority_channel& channel() noexcept { return channel_; }
  [[nodiscard]] const priority_channel& channel() const noexcept { return channel_; }

  /// Takes over what became of the channel.
  void follow();

private:
  void update(instant now) override;
  void count_ended(std::uint32_t) noexcept override { channel_.ended(); }

  priority_channel channel_;
};

} // namespace spillover
