#pragma once

#include "actors/gate.hpp"
#include "actors/world.hpp"
#include "net/transport.hpp"
#include "scenario/scenario.hpp"
#include "sites/peer_ledger.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace spillover {

/// Joins the actors of one process to those of the others: what they send goes to the transport, and what
/// comes from there goes to them. What becomes of a record where the other process is not there is decided by
/// `peer_ledger`; a refusal comes back after the time to there and back.
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
  [[nodiscard]] bool reaches(std::uint16_t site) const noexcept { return ledger_.reaches(site); }

  /// @returns the sites that the actors of a site send something to, or take something from.
  [[nodiscard]] static std::set<std::uint16_t>
  spoken_with(const scenario& spec, const std::vector<std::string>& sites, const std::string& site);

  /// What was handed to a site, and came from it, so far: books of the account "wire".
  [[nodiscard]] books_closed books(std::uint16_t site) const { return ledger_.books(site); }

private:
  void take(const net::health_arrival& x);

  net::transport& wire_;
  peer_ledger ledger_;
  std::vector<std::vector<net::timed_record>> outgoing_; // by site
  world* world_ = nullptr;
  std::vector<net::health_arrival> early_; // before there was a world
};

} // namespace spillover
