#include "report/format.hpp"

#include <algorithm>

namespace spillover {

namespace {

constexpr std::int64_t billion = 1'000'000'000;

/// @returns x / unit with so many decimals, rounded half up.
/// @param x at least 0
std::string decimal(std::int64_t x, std::int64_t unit, int decimals) {
  std::int64_t scale = 1;
  for (int i = 0; i < decimals; ++i)
    scale *= 10;
  const auto step = unit / scale;
  const auto steps = x / step + (x % step * 2 >= step && step > 1 ? 1 : 0);
  auto result = std::to_string(steps / scale);
  if (decimals > 0) {
    const auto fraction = std::to_string(steps % scale);
    result += '.';
    result.append(static_cast<std::size_t>(decimals) - fraction.size(), '0');
    result += fraction;
  }
  return result;
}

std::string without_zeros(std::string x) {
  x.erase(x.find_last_not_of('0') + 1);
  if (x.back() == '.')
    x.pop_back();
  return x;
}

std::uint64_t billionths(double share) noexcept {
  return static_cast<std::uint64_t>(share * 1e9 + 0.5);
}

} // namespace

std::string thousands(std::uint64_t x) {
  auto result = std::to_string(x);
  for (auto i = static_cast<std::ptrdiff_t>(result.size()) - 3; i > 0; i -= 3)
    result.insert(static_cast<std::size_t>(i), 1, ',');
  return result;
}

std::string counted(std::uint64_t x, std::string_view noun) {
  return thousands(x) + " " + std::string{noun} + (x == 1 ? "" : "s");
}

std::string ordinal(std::uint64_t x) {
  const auto tens = x / 10 % 10;
  const auto ones = tens == 1 ? 0 : x % 10;
  const auto* const suffix = ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th";
  return std::to_string(x) + suffix;
}

std::string vcpu_seconds_text(std::int64_t milli) {
  const auto size = static_cast<std::uint64_t>(milli < 0 ? -milli : milli);
  const auto tenths = (size + 50) / 100;
  return (milli < 0 && tenths > 0 ? "-" : "") + thousands(tenths / 10) + "."
         + std::to_string(tenths % 10);
}

std::string extra_vcpu_text(std::int64_t milli) {
  const auto text = vcpu_seconds_text(milli);
  return (text.front() == '-' ? "" : "+") + text + " vCPU-s";
}

std::string rate_text(std::int64_t milli) {
  return without_zeros(decimal(milli, 1'000, 3)) + "/s";
}

std::string clock_text(duration x) {
  if (x > duration::zero() && x < std::chrono::milliseconds{100})
    return decimal(x.count(), 1'000'000, 0) + " ms";
  return decimal(x.count(), billion, 1) + " s";
}

std::string clock_text(duration x, duration limit) {
  if (x <= limit)
    return clock_text(x);
  for (const auto decimals : {1, 3}) {
    const auto step = decimals == 1 ? 100'000'000 : 1'000'000;
    if ((x.count() + step / 2) / step * step > limit.count())
      return decimals == 1 ? clock_text(x) : decimal(x.count(), billion, 3) + " s";
  }
  return decimal(x.count(), billion, 9) + " s";
}

std::string latency_text(duration x) {
  if (x < std::chrono::milliseconds{10})
    return decimal(x.count(), 1'000'000, 1) + " ms";
  if (x < std::chrono::seconds{1})
    return decimal(x.count(), 1'000'000, 0) + " ms";
  return decimal(x.count(), billion, 1) + " s";
}

std::string instant_text(instant x) {
  return decimal(x.time_since_epoch().count() / 1'000'000 * 1'000'000, billion, 3) + " s";
}

std::string exact_text(duration x) {
  using namespace std::chrono_literals;
  if (x >= 1s || x == duration::zero())
    return without_zeros(decimal(x.count(), billion, 9)) + " s";
  if (x >= 1ms)
    return without_zeros(decimal(x.count(), 1'000'000, 6)) + " ms";
  if (x >= 1us)
    return without_zeros(decimal(x.count(), 1'000, 3)) + " us";
  return std::to_string(x.count()) + " ns";
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  const auto share = static_cast<double>(part) / static_cast<double>(whole);
  auto hundredths = static_cast<std::int64_t>(share * 10'000 + 0.5);
  if (part < whole)
    hundredths = std::min<std::int64_t>(hundredths, 9'999);
  if (part > 0 && hundredths == 0)
    return "<0.01 %";
  return decimal(hundredths, 100, 2) + " %";
}

std::string percent_text(double share) {
  return without_zeros(decimal(static_cast<std::int64_t>(billionths(share)), 10'000'000, 7)) + "%";
}

bool is_share_at_least(std::uint64_t part, std::uint64_t whole, double share) {
  return part * 1'000'000'000 >= billionths(share) * whole;
}

bool is_share_at_most(std::uint64_t part, std::uint64_t whole, double share) {
  return part * 1'000'000'000 <= billionths(share) * whole;
}

} // namespace spillover
