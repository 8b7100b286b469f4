#pragma once

namespace spillover {

/// Elementary functions from +, -, * and / alone, hence with the same bits everywhere.
///
/// The C library may choose another code path, and so another last bit, on a processor with fused
/// multiply-add; a run's event log must not depend on that. Relative error below 1e-15 inside the
/// ranges named.

/// @returns the natural logarithm of `x`, which is finite and above 0.
double portable_log(double x) noexcept;

/// @returns e to the power of `x`, for |x| <= 700.
double portable_exp(double x) noexcept;

/// @returns the sine of an angle given in full turns, e.g. 1 for 0.25; for |turns| < 2^52.
///
/// Turns instead of radians, because the part of a turn can be taken off exactly. The relative
/// error counts from the value of `turns` given, also near the zeros.
double portable_sin_turns(double turns) noexcept;

/// @returns the point that a standard normal variable stays below with probability `p`.
///
/// Follows Wichura's algorithm AS 241 (PPND16), with a relative accuracy of about 1e-16.
/// @param p within (0, 1)
double normal_quantile(double p) noexcept;

} // namespace spillover
