#pragma once

#include "actors/messages.hpp"
#include "model/event.hpp"
#include "model/record.hpp"
#include "net/transport.hpp"
#include "scenario/scenario.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace spillover {

/// Decides what becomes of a record for another process, and keeps the account "wire" of each.
///
/// A request to a region whose process is not there is refused at once, as by a machine that has no such
/// port; so it is until a new process of the region has said that it is healthy. Where the process is there and
/// does not answer, records are sent, and nothing comes back.
///
/// Pure: takes what the transport says, and returns what is to be done.
class peer_ledger {
public:
  /// @param sites the plan's; a site has the same number in the transport
  peer_ledger(const scenario& spec, std::vector<std::string> sites);

  enum class fate : std::uint8_t {
    /// It goes to the transport.
    sent,
    /// It is a request, and answered at once.
    refused,
    /// There is no connection: it is lost.
    dropped,
  };

  /// Takes in a record that the actors here send.
  fate ship(std::size_t site, const record& x);

  /// @returns the answer to a request that is refused.
  [[nodiscard]] static record refusal(const record& request);

  /// So many of the records that were to be sent found no room in the transport.
  void not_taken(std::size_t site, std::uint64_t records) { peers_[site].dropped += records; }

  /// So many records came from a site.
  void arrived(std::size_t site, std::uint64_t records) { peers_[site].received += records; }

  /// Takes in who came or went.
  void take(const net::peer_change& x);

  using state = std::variant<service_health, service_endpoints>;
  /// Takes in what a site says of its services.
  /// @returns it as the actors here take it; nothing when the site speaks for another one
  std::optional<state> take(const net::health_arrival& x);

  [[nodiscard]] const std::vector<std::string>& sites() const noexcept { return sites_; }

  /// @returns whether records can reach a site.
  [[nodiscard]] bool reaches(std::size_t site) const noexcept { return peers_[site].connected; }

  /// What was handed to a site, and came from it, so far: books of the account "wire".
  [[nodiscard]] books_closed books(std::size_t site) const;

private:
  struct peer {
    bool connected = false;
    /// The connection broke while the process gave signs of life: it ended. One that was silent before may be
    /// stopped, or cut off, and refuses nothing.
    bool gone = false;
    bool silent = false;
    /// A new process took the place of one that was there, and has not said that it is healthy.
    bool awaited = false;
    /// It tells of its health at all.
    bool tells = false;
    std::uint64_t taken = 0;
    std::uint64_t refused = 0;
    std::uint64_t dropped = 0;
    std::uint64_t received = 0;
  };

  std::vector<std::string> sites_;
  std::vector<peer> peers_;
};

} // namespace spillover
