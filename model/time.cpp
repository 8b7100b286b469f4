#include "model/time.hpp"

#include <string_view>

namespace spillover {

std::string to_string(duration x) {
  struct unit {
    std::string_view name;
    duration::rep size;
  };
  constexpr unit units[] = {
    {"h", 3'600'000'000'000}, {"m", 60'000'000'000}, {"s", 1'000'000'000},
    {"ms", 1'000'000},        {"us", 1'000},         {"ns", 1},
  };
  if (x == duration::zero())
    return "0s";
  for (const auto& unit : units)
    if (x.count() % unit.size == 0)
      return std::to_string(x.count() / unit.size).append(unit.name);
  return {};
}

} // namespace spillover
