#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace spillover {

/// @returns the number with commas, e.g. "420,317".
std::string thousands(std::uint64_t x);

/// @returns the number and the noun, e.g. "1 endpoint", "1,200 endpoints".
/// @param noun in the singular, with a plural in s
std::string counted(std::uint64_t x, std::string_view noun);

/// @returns e.g. "1st", "22nd", "113th".
std::string ordinal(std::uint64_t x);

/// @returns a rate given in thousandths of requests a second, e.g. "250/s", "0.5/s".
std::string rate_text(std::int64_t milli);

/// @returns thousandths of vCPU seconds with one decimal, e.g. "1,530.2", "-0.3".
std::string vcpu_seconds_text(std::int64_t milli);

/// @returns the same with its sign, and its unit, e.g. "+152.3 vCPU-s".
std::string extra_vcpu_text(std::int64_t milli);

/// @returns the span as reports show clocks: "13.9 s", below 100 ms "74 ms".
std::string clock_text(duration x);

/// @returns the measured span with as many digits as tell it from the limit that it exceeds.
std::string clock_text(duration x, duration limit);

/// @returns the span as reports show latencies: "4.9 s", "74 ms", "1.3 ms".
std::string latency_text(duration x);

/// @returns the instant in seconds, e.g. "300.000 s", cut to milliseconds.
std::string instant_text(instant x);

/// @returns the span for people, e.g. "20 s", "1.5 s", "250 ms", "1 ns", without zeros at the end.
std::string exact_text(duration x);

/// @returns the share with two decimals, e.g. "99.99 %". Only none is "0.00 %", only all "100.00 %".
/// @param whole above 0
std::string share_text(std::uint64_t part, std::uint64_t whole);

/// @returns a share within [0, 1] in percent without zeros at the end, e.g. "0.5%".
std::string percent_text(double share);

/// @returns whether part / whole >= share, with the share rounded to 1e-9, so that "0.29" of 100 is
///          29 and not a little less.
/// @param share within [0, 1]
bool is_share_at_least(std::uint64_t part, std::uint64_t whole, double share);

/// @returns whether part / whole <= share, with the same rounding.
bool is_share_at_most(std::uint64_t part, std::uint64_t whole, double share);

} // namespace spillover
