#include "report/why_outlier.hpp"

#include "report/format.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace spillover {

namespace {

std::int64_t input(const outlier_changed& x, std::string_view name) {
  const auto found = std::find_if(x.inputs.begin(), x.inputs.end(),
                                  [name](const auto& y) { return y.first == name; });
  return found == x.inputs.end() ? 0 : found->second;
}

std::string number(const outlier_changed& x, std::string_view name) {
  return std::to_string(input(x, name));
}

/// @returns an input of thousandths of a percent, e.g. "52.1 %".
std::string percent(const outlier_changed& x, std::string_view name) {
  const auto value = input(x, name);
  const auto tenths = (std::abs(value) + 50) / 100;
  return (value < 0 && tenths > 0 ? "-" : "") + std::to_string(tenths / 10) + "."
         + std::to_string(tenths % 10) + " %";
}

/// @returns what the detector saw.
std::string evidence(const outlier_changed& x) {
  switch (x.detector) {
    case ejection_type::consecutive_5xx: return number(x, "consecutive") + " errors in a row";
    case ejection_type::consecutive_gateway_failure:
      return number(x, "consecutive") + " gateway errors in a row";
    case ejection_type::consecutive_local_origin_failure:
      return number(x, "consecutive") + " tries without an answer in a row";
    case ejection_type::success_rate:
    case ejection_type::success_rate_local_origin:
      return "success rate " + percent(x, "success_rate_milli") + " of " + number(x, "requests")
             + " requests is below mean " + percent(x, "mean_milli") + " less standard deviations, "
             + percent(x, "threshold_milli");
    case ejection_type::failure_percentage:
    case ejection_type::failure_percentage_local_origin: break;
  }
  return number(x, "failures") + " of " + number(x, "requests") + " requests failed, "
         + number(x, "threshold") + " % are enough";
}

std::string time_out(const outlier_changed& x) {
  const auto time = [&x](std::string_view name) { return exact_text(duration{input(x, name)}); };
  auto result = "ejection " + number(x, "multiplier")
                + " in a row: " + time("base_ejection_time_ns") + " x " + number(x, "multiplier")
                + ", at most " + time("max_ejection_time_ns");
  if (input(x, "jitter_ns") > 0)
    result += ", and jitter " + time("jitter_ns");
  return result + "; back at the first sweep from " + instant_text(run_start + duration{x.until_ns})
         + " on";
}

} // namespace

event_words words_of_outlier(const event& of, const outlier_changed& x) {
  const auto who = of.entity + ", proxy " + std::to_string(x.proxy) + ",";
  const auto detector = std::string{to_string(x.detector)};
  const auto count = number(x, "ejected") + " of " + number(x, "regions") + " regions";
  switch (x.action) {
    case outlier_action::ejected:
      return {who + " ejects " + x.region,
              {detector + ": " + evidence(x), time_out(x),
               count + " were ejected, at most " + number(x, "most_ejected") + " may be"}};
    case outlier_action::spared:
      return {who + " would eject " + x.region + " and does not",
              {detector + ": " + evidence(x), x.reason}};
    case outlier_action::returned: break;
  }
  return {who + " takes " + x.region + " back",
          {"its time is over; " + detector + " had ejected it", count + " are ejected now"}};
}

} // namespace spillover
