#pragma once

#include "lb/capacity_router.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spillover::test {

/// Endpoints of a region by zone, and its CPU utilization in thousandths if it tells one.
struct region_zones {
  std::vector<endpoint_counts> zones = {};
  std::optional<std::uint32_t> utilization = {};
};

inline endpoint_view view_of(const region_zones& x) {
  endpoint_view result;
  char zone = 'a';
  for (const auto& counts : x.zones)
    result.at(std::string(1, zone++)) = counts;
  result.utilization_milli = x.utilization;
  return result;
}

/// A router and the seconds that pass for it.
class capacity_run {
public:
  capacity_run(const capacity_config& config, unknown_policy unknown = unknown_policy::as_healthy,
               std::uint32_t proxies = 1)
    : router_(std::make_unique<capacity_router>(
      config, static_cast<std::uint32_t>(config.regions.size()), unknown, proxies)) {}

  void tell(std::uint32_t region, const region_zones& x) {
    router_->set_endpoints(now_, region, view_of(x));
  }

  /// Lets so many seconds pass with a rate; what is sent is answered at the end of the second, or stays in
  /// flight.
  /// @returns how many of the last second went where
  std::vector<std::uint32_t> pass(std::uint32_t seconds, std::uint32_t rate, bool answered = true) {
    std::vector<std::uint32_t> sent;
    for (; seconds > 0; --seconds) {
      sent.assign(count(), 0);
      for (std::uint32_t i = 0; i < rate; ++i)
        if (const auto x = router_->pick(now_, random_, {}, i); x != region_router::nowhere)
          ++sent[x];
      now_ += std::chrono::seconds{1};
      while (router_->next_change() <= now_)
        router_->on_time(router_->next_change());
      for (std::uint32_t region = 0; region < count() && answered; ++region)
        for (auto n = sent[region]; n > 0; --n)
          router_->ended(region);
    }
    return sent;
  }

  /// @returns regions as letters with their percents, and a '!' when it fails open.
  [[nodiscard]] std::string route() const {
    std::string result;
    const auto& [regions, shares, fail_open] = router_->current();
    for (std::size_t i = 0; i < regions.size(); ++i) {
      result.append(i == 0 ? "" : " ").append(1, static_cast<char>('a' + regions[i]));
      result.append(shares.empty() ? "" : std::to_string(shares[i]));
    }
    return fail_open ? result + '!' : result;
  }

  [[nodiscard]] std::uint32_t count() const {
    std::uint32_t result = 0;
    for (const auto& x : router_->backends())
      result = std::max(result, x.region + 1);
    return result;
  }

  [[nodiscard]] instant now() const noexcept { return now_; }
  capacity_router& router() noexcept { return *router_; }

private:
  std::unique_ptr<capacity_router> router_;
  random_stream random_{1, "capacity"};
  instant now_ = run_start;
};

} // namespace spillover::test
