#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// What found a region to be an outlier (B-43); named as Envoy names them.
enum class ejection_type : std::uint8_t {
  consecutive_5xx,
  consecutive_gateway_failure,
  consecutive_local_origin_failure,
  success_rate,
  success_rate_local_origin,
  failure_percentage,
  failure_percentage_local_origin,
};

inline constexpr std::size_t ejection_type_count = 7;

/// @returns the name used in files, e.g. "consecutive_5xx"; "?" for what is none.
constexpr std::string_view to_string(ejection_type x) noexcept {
  switch (x) {
    case ejection_type::consecutive_5xx: return "consecutive_5xx";
    case ejection_type::consecutive_gateway_failure: return "consecutive_gateway_failure";
    case ejection_type::consecutive_local_origin_failure: return "consecutive_local_origin_failure";
    case ejection_type::success_rate: return "success_rate";
    case ejection_type::success_rate_local_origin: return "success_rate_local_origin";
    case ejection_type::failure_percentage: return "failure_percentage";
    case ejection_type::failure_percentage_local_origin: return "failure_percentage_local_origin";
  }
  return "?";
}

/// What became of a region at one proxy: it was ejected; its time was over; it was found to be an
/// outlier, but a cap or an enforcement percentage kept it.
enum class outlier_action : std::uint8_t { ejected, returned, spared };

/// @returns the name used in files, e.g. "ejected"; "?" for what is none.
constexpr std::string_view to_string(outlier_action x) noexcept {
  switch (x) {
    case outlier_action::ejected: return "ejected";
    case outlier_action::returned: return "returned";
    case outlier_action::spared: return "spared";
  }
  return "?";
}

/// A payload of `event`: one proxy of a load balancer ejected a region, took it back, or would have
/// ejected it (B-45).
struct outlier_changed {
  static constexpr std::string_view kind = "outlier_changed";
  /// Of the load balancer's proxies, from 1.
  std::uint32_t proxy = 0;
  std::string region;
  outlier_action action = outlier_action::ejected;
  /// Which of them; of a return, the one that had ejected it.
  ejection_type detector = ejection_type::consecutive_5xx;
  /// Of `spared`: what kept it in use.
  std::string reason = {};
  /// The first sweep from then on takes it back; -1 when it is in use.
  std::int64_t until_ns = -1;
  /// Every number that went in, by name, in a fixed order.
  std::vector<std::pair<std::string, std::int64_t>> inputs = {};

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("proxy", x.proxy);
    f("region", x.region);
    f("action", x.action);
    f("detector", x.detector);
    f("reason", x.reason);
    f("until_ns", x.until_ns);
    f("inputs", x.inputs);
  }
};

} // namespace spillover
