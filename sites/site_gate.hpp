#pragma once

#include "actors/gate.hpp"
#include "actors/world.hpp"
#include "net/transport.hpp"
#include "scenario/scenario.hpp"

#include <cstdint>
#include <set>
#include <vector>

namespace spillover {

/// Joins the actors of one process to those of the others: what they send goes to the transport, and what
/// comes from there goes to them.
///
/// A request to a region whose process is not there is refused at once, as by a machine that has no such
/// port, after the time to there and back; so it is until a new process of the region has said that it is
/// healthy. Where the process is there and does not answer, nothing comes back.
class site_gate final : public gate {
public:
  /// @param sites the plan's; a site has the same number in the transport
  site_gate(net::transport& wire, const scenario& spec, std::vector<std::string> sites);

  /// Whose actors they are; what others told before is theirs now.
  void attach(world& x);

  void ship(std::uint16_t site, const record& x, instant due) override;
  void tell(std::uint16_t site, const service_health& x) override;
  void tell(std::uint16_t site, const service_endpoints& x) override;

  /// Hands what was shipped to the transport; called when the site has done all that is due.
  void flush();

  /// Takes what came from others: records, states, and who is there.
  void take(const net::inbox& x);

  /// @returns whether records can reach a site.
  [[nodiscard]] bool reaches(std::uint16_t site) const noexcept { return peers_[site].connected; }

  /// @returns the sites that the actors of a site send something to, or take something from.
  [[nodiscard]] static std::set<std::uint16_t>
  spoken_with(const scenario& spec, const std::vector<std::string>& sites, const std::string& site);

  /// What was handed to a site, and came from it, so far: books of the account "wire".
  [[nodiscard]] books_closed books(std::uint16_t site) const;

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
    std::vector<net::timed_record> outgoing;
    std::uint64_t taken = 0;
    std::uint64_t refused = 0;
    std::uint64_t dropped = 0;
    std::uint64_t received = 0;
  };

  void refuse(peer& to, const record& x, instant due);
  void take(const net::peer_change& x);
  void take(const net::health_arrival& x);

  net::transport& wire_;
  std::vector<std::string> sites_;
  std::vector<peer> peers_;
  world* world_ = nullptr;
  std::vector<net::health_arrival> early_; // before there was a world
};

} // namespace spillover
