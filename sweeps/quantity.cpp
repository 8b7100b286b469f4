#include "sweeps/quantity.hpp"

#include "model/check.hpp"
#include "report/format.hpp"
#include "scenario/values.hpp"
#include "sweeps/statistics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace spillover {

namespace {

std::string_view without_unit(std::string_view name) {
  for (const auto* suffix : {"_ns", "_milli", "_ppm"}) {
    const std::string_view x{suffix};
    if (name.size() > x.size() && name.substr(name.size() - x.size()) == x)
      return name.substr(0, name.size() - x.size());
  }
  return name;
}

std::size_t place_of(std::string_view measure) {
  const auto place = find_measure(measure);
  SPILLOVER_CHECK(place.has_value());
  return *place;
}

std::vector<quantity> make_quantities() {
  std::vector<quantity> result;
  for (const auto& x : measures()) {
    // Both a number and a share of requests failed; the share is called errors.
    if (x.name != "failed_ppm")
      result.push_back(
        {std::string{without_unit(x.name)}, x.unit, std::string{x.meaning}, {place_of(x.name)}});
  }
  result.push_back({"errors",
                    measure_unit::ppm,
                    "share of requests after the warm-up that did not end ok",
                    {place_of("failed_ppm")}});
  result.push_back({"cost",
                    measure_unit::milli_vcpu_s,
                    "vCPU time that is billed, idle minimum instances included",
                    {place_of("billed_vcpu_milli"), place_of("billed_idle_vcpu_milli")}});
  return result;
}

/// @returns the number with commas and so many decimals.
std::string number_text(double x, int decimals) {
  double scale = 1;
  for (int i = 0; i < decimals; ++i)
    scale *= 10;
  const auto scaled = static_cast<std::uint64_t>(std::llround(std::fabs(x) * scale));
  const auto unit = static_cast<std::uint64_t>(scale);
  auto result = (x < 0 && scaled > 0 ? "-" : "") + thousands(scaled / unit);
  if (decimals > 0) {
    const auto rest = std::to_string(scaled % unit);
    result.append(".").append(static_cast<std::size_t>(decimals) - rest.size(), '0').append(rest);
  }
  return result;
}

std::string finite_text(measure_unit unit, double x) {
  switch (unit) {
    case measure_unit::ns: {
      const auto span = duration{static_cast<duration::rep>(std::llround(std::fabs(x)))};
      if (span.count() == 0)
        return "0 s";
      return (x < 0 ? "-" : "") + latency_text(span);
    }
    case measure_unit::ppm: return number_text(x * 1e-4, 2) + " %";
    case measure_unit::milli_instance_s:
    case measure_unit::milli_vcpu_s: return number_text(x * 1e-3, 1);
    case measure_unit::count: break;
  }
  // Means of counts are seldom whole.
  return number_text(x, std::fabs(x - std::round(x)) < 1e-9 || std::fabs(x) >= 1000 ? 0 : 2);
}

} // namespace

double quantity::of(const run_outcome& x) const {
  if (!known_of(x))
    return never_ended;
  double result = 0;
  for (const auto part : parts)
    result += static_cast<double>(*x.values[part]);
  return result;
}

bool quantity::known_of(const run_outcome& x) const {
  return x.end != run_end::failed
         && std::all_of(parts.begin(), parts.end(),
                        [&x](std::size_t part) { return x.values[part].has_value(); });
}

bool quantity::applies_to(const run_outcome& x) const {
  const auto of_failover = [](std::size_t part) { return measures()[part].of_failover; };
  return x.value("failovers") != 0 || std::none_of(parts.begin(), parts.end(), of_failover);
}

const std::vector<quantity>& quantities() {
  static const auto result = make_quantities();
  return result;
}

const quantity* find_quantity(std::string_view name) {
  const auto measure = find_measure(name);
  for (const auto& x : quantities()) {
    if (x.name == name || (measure && x.parts == std::vector{*measure}))
      return &x;
  }
  return nullptr;
}

std::string quantity_names() {
  std::string result;
  const auto& all = quantities();
  for (std::size_t i = 0; i < all.size(); ++i)
    result.append(i == 0 ? "" : i + 1 == all.size() ? " or " : ", ").append(all[i].name);
  return result;
}

std::string value_text(measure_unit unit, double value) {
  return std::isfinite(value) ? finite_text(unit, value) : "not within the run";
}

std::string difference_text(measure_unit unit, double value) {
  auto result = value_text(unit, value);
  if (std::isfinite(value) && value > 0)
    result.insert(0, "+");
  return result;
}

std::string_view unit_text(measure_unit unit) noexcept {
  switch (unit) {
    case measure_unit::milli_instance_s: return "instance-s";
    case measure_unit::milli_vcpu_s: return "vCPU-s";
    case measure_unit::ns:
    case measure_unit::ppm:
    case measure_unit::count: break;
  }
  return "";
}

std::variant<double, std::string> parse_value(measure_unit unit, std::string_view text) {
  const auto got = std::string{text};
  if (unit == measure_unit::ns) {
    if (const auto x = parse_duration(text))
      return static_cast<double>(x->count());
    return "must be a time such as 15s or 250ms, not '" + got + "'";
  }
  if (unit == measure_unit::ppm) {
    if (const auto x = parse_percentage(text); x && *x >= 0)
      return *x * 1e6;
    return "must be a percentage such as 0.5%, not '" + got + "'";
  }
  double number = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end || !std::isfinite(number))
    return "must be a number"
           + (unit_text(unit).empty() ? "" : " of " + std::string{unit_text(unit)}) + ", not '"
           + got + "'";
  return unit == measure_unit::count ? number : number * 1e3;
}

} // namespace spillover
