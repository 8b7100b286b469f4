#pragma once

#include "model/random.hpp"
#include "scenario/outlier_fields.hpp"

#include <string_view>
#include <type_traits>

namespace spillover::test {

/// @returns valid settings of outlier detection.
inline outlier_detection_config any_outlier_detection(std::uint64_t seed) {
  random_stream random{seed, "outliers"};
  outlier_detection_config x;
  for_each_outlier_field(
    [&random](std::string_view key, auto& value) {
      using type = std::remove_cvref_t<decltype(value)>;
      if constexpr (std::is_same_v<type, bool>)
        value = random.below(2) == 1;
      else if constexpr (std::is_same_v<type, duration>)
        value = std::chrono::milliseconds{1 + random.below(40'000'000)};
      else
        value = static_cast<type>(random.below(
          key.starts_with("enforcing") || key.find("percent") < key.size() ? 101 : 1'000'001));
    },
    x);
  x.max_ejection_time += x.base_ejection_time;
  return x;
}

} // namespace spillover::test
