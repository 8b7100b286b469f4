#pragma once

#include "lb/region_set.hpp"
#include "model/endpoint_view.hpp"
#include "model/health.hpp"
#include "model/random.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spillover {

/// What an UNKNOWN PSC NEG counts as (B-31, inferred), and an endpoint without a state.
///
/// `last_known` is its last state that was not UNKNOWN, or HEALTHY when there was none.
enum class unknown_policy : std::uint8_t { as_healthy, as_unhealthy, last_known };

/// Where new requests go.
struct region_route {
  /// Places of the regions that get any, ascending.
  std::vector<std::uint32_t> regions;

  /// Percents of `regions`, where they say more than that one gets all or all the same; else empty.
  std::vector<std::uint32_t> shares = {};

  /// Nobody is well, so everybody is used (B-30, B-62).
  bool fail_open = false;

  friend bool operator==(const region_route&, const region_route&) = default;
};

/// Whoever chooses the region of each request at one process of a load balancer: what is known of the
/// regions, which is the same for every kind, and a decision, which is not.
///
/// Place 0 is the closest region, and so on (B-34). Times that it is given never go back.
class region_router {
public:
  /// What `pick` returns when no region may be used: the load balancer answers itself, with 503.
  static constexpr std::uint32_t nowhere = 0xffffffff;

  /// @param regions number of PSC NEGs, 1..region_set::capacity
  region_router(std::uint32_t regions, unknown_policy unknown);
  virtual ~region_router() = default;

  region_router(const region_router&) = delete;
  region_router& operator=(const region_router&) = delete;

  /// Takes the state of one PSC NEG into account.
  void set(instant now, std::uint32_t region, health state);

  /// Takes the endpoints of a region into account; routers that need none only keep them.
  void set_endpoints(instant now, std::uint32_t region, const endpoint_view& x);

  /// Outlier detection ejected a region, or took it back.
  void set_ejected(instant now, std::uint32_t region, bool ejected);

  [[nodiscard]] bool ejected(std::uint32_t region) const noexcept {
    return ejected_.contains(region);
  }

  /// @returns what a PSC NEG was last said to be.
  [[nodiscard]] health state(std::uint32_t region) const noexcept { return states_[region]; }

  /// @returns its endpoints, once they were told.
  [[nodiscard]] const std::optional<endpoint_view>& endpoints(std::uint32_t region) const noexcept {
    return endpoints_[region];
  }

  /// @returns where new requests go now.
  [[nodiscard]] const region_route& current() const noexcept { return route_; }

  /// @returns whether requests may go to a region: because of what is known of it, or because nobody is
  ///          well. A region that may be used need not be the one that is.
  [[nodiscard]] virtual bool usable(std::uint32_t region) const noexcept {
    return route_.fail_open || eligible(region);
  }

  /// Chooses the region of a try.
  ///
  /// How many numbers it draws does not depend on what is known of the regions.
  /// @param tried where the request was already: left out while there is another choice; when there
  ///        is none, they count as untried
  /// @param client the request's number at its consumer: what belongs together by it stays together
  /// @returns a place, or `nowhere`
  virtual std::uint32_t pick(instant now, random_stream& random, const region_set& tried,
                             std::uint64_t client) noexcept = 0;

  /// A try that `pick` chose the region of is over, however it ended.
  void ended(std::uint32_t region) noexcept {
    if (counts_tries_)
      count_ended(region);
  }

  /// @returns when `on_time` has work next, or `never`.
  [[nodiscard]] virtual instant next_change() const noexcept { return never; }

  /// Does what is due by `now`, which may change the route.
  virtual void on_time(instant now) { static_cast<void>(now); }

  /// @returns what it takes a region for, e.g. "UNHEALTHY".
  [[nodiscard]] virtual std::string described(std::uint32_t region) const {
    return std::string{to_string(states_[region])};
  }

protected:
  /// Decides anew after a change of what is known, and calls `route_to`. Derived classes call it once
  /// when they are made.
  virtual void update(instant now) = 0;

  [[nodiscard]] std::uint32_t regions() const noexcept {
    return static_cast<std::uint32_t>(states_.size());
  }

  /// Called for each `ended` once `count_tries` was.
  virtual void count_ended(std::uint32_t region) noexcept { static_cast<void>(region); }

  /// Asks for calls of `count_ended`, which others are spared.
  void count_tries() noexcept { counts_tries_ = true; }

  /// @returns whether a PSC NEG counts as healthy: by its state, by the policy when that is UNKNOWN, and
  ///          never while ejected.
  [[nodiscard]] bool eligible(std::uint32_t region) const noexcept;

  [[nodiscard]] unknown_policy unknown() const noexcept { return unknown_; }

  void route_to(region_route x) { route_ = std::move(x); }

private:
  unknown_policy unknown_;
  bool counts_tries_ = false;
  std::vector<health> states_;
  std::vector<health> last_known_;
  std::vector<std::optional<endpoint_view>> endpoints_;
  region_set ejected_;
  region_route route_;
};

} // namespace spillover
