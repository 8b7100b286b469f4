#pragma once

#include "lb/capacity.hpp"
#include "lb/capacity_config.hpp"
#include "lb/region_router.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// Chooses the region of each request by the capacities of the regions' backends, as Google's load balancers do
/// before groups that have a balancing mode (B-49..B-57).
///
/// It measures its own load: requests sent in each interval, or requests in flight at its end, and of these the
/// mean over the latest intervals. At the end of each, and whenever the endpoints of a region change, it
/// distributes that load anew; in between each request goes to a region at random, by the regions' loads. Which
/// endpoint of a region it meets, and of which zone, is decided there.
///
/// Of a utilization it makes the rate that would bring the target about: what it sent to the region, times
/// target over utilization, whenever the region tells another one, or the same for a whole window (inferred).
///
/// A region whose endpoints, or whose utilization, were never told has room for everything while its state lets it be used. The
/// endpoints of a region that outlier detection ejected all count as unhealthy.
class capacity_router final : public region_router {
public:
  /// @param config of as many regions
  /// @param regions number of regions, 1..region_set::capacity
  /// @param proxies that each measure and decide for themselves: each takes the others to be as busy as
  ///        itself
  capacity_router(const capacity_config& config, std::uint32_t regions, unknown_policy unknown,
                  std::uint32_t proxies);

  /// Draws one number in every case. A request that was tried everywhere where load goes is tried in the
  /// closest other region that has capacity (inferred).
  std::uint32_t pick(instant now, random_stream& random, const region_set& tried,
                     std::uint64_t client) noexcept override;

  /// @returns the end of the interval.
  [[nodiscard]] instant next_change() const noexcept override { return next_; }
  void on_time(instant now) override;

  /// @returns healthy of all endpoints, load and capacity in whole units, and what keeps it from more, e.g.
  ///          "4/10,load:120/200,drained"; the state before its endpoints were told.
  [[nodiscard]] std::string described(std::uint32_t region) const override;

  /// @returns the load as measured, in thousandths of a request a second, or of a request in flight.
  [[nodiscard]] std::uint64_t load_milli() const noexcept { return load_; }

  /// @returns the backends as load was distributed over last: what is drained or isolated has a scaler of 0,
  ///          what outlier detection ejected no healthy endpoint.
  [[nodiscard]] const std::vector<capacity_backend>& backends() const noexcept { return backends_; }

  /// @returns the load of each of them.
  [[nodiscard]] const std::vector<std::uint64_t>& loads() const noexcept { return loads_; }

private:
  /// Why a backend is not used though it could be.
  enum class hold : std::uint8_t { none, drained, isolated };

  /// The latest samples of something, and their mean.
  class window {
  public:
    void add(std::uint64_t sample, std::size_t most);
    /// @returns 0 before the first sample.
    [[nodiscard]] std::uint64_t mean() const noexcept;

  private:
    std::vector<std::uint64_t> samples_;
    std::size_t oldest_ = 0; // once there are enough
  };

  /// What is measured of a region whose capacity is a utilization.
  struct meter {
    std::uint64_t sent = 0;                        // in this interval
    window rate = {};                              // in thousandths
    std::optional<std::uint32_t> utilization = {}; // that the estimate was made of
    std::size_t age = 0;                           // of the estimate, in intervals
    std::uint64_t per_endpoint = 0; // the rate that makes the target, in thousandths; 0: not known
  };

  /// A region that gets load.
  struct choice {
    std::uint32_t region = 0;
    std::uint64_t load = 0;
    std::uint64_t upto = 0; // sum of the loads up to and with this one
  };

  void update(instant now) override;
  void count_ended(std::uint32_t) noexcept override { --active_; }
  void measure();
  void measure_region(std::uint32_t region, std::size_t most);
  [[nodiscard]] std::uint64_t rate_of(std::uint64_t count) const noexcept;
  void find_backends();
  void drain(instant now);
  void leave_ejected();
  /// @returns false when nobody may get anything
  bool isolate();
  [[nodiscard]] std::vector<std::uint64_t> last_resort() const;
  void find_choices();
  void find_route(bool fail_open);
  [[nodiscard]] std::uint32_t weighted(std::uint64_t bits) const noexcept;
  [[nodiscard]] std::uint32_t untried(std::uint64_t bits, const region_set& tried) const noexcept;

  capacity_config config_;
  std::uint64_t proxies_;
  std::vector<capacity_backend> backends_; // by region, then by zone
  std::vector<hold> holds_;                // of these
  std::vector<std::uint64_t> loads_;       // of these
  std::size_t drainable_ = 0;              // backends that `drain_` knows
  std::optional<auto_capacity_drain> drain_;
  std::vector<choice> choices_; // where requests go, closest first
  region_set able_;             // regions with capacity
  std::vector<meter> meters_;   // by region, of `utilization` only
  window window_;
  std::uint64_t load_ = 0;
  std::uint64_t sent_ = 0;   // in this interval
  std::uint64_t active_ = 0; // in flight
  instant next_;
};

} // namespace spillover
