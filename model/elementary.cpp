#include "model/elementary.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace spillover {

namespace {

constexpr std::uint64_t mantissa_bits = 52;

// ln 2 in two parts: the high one has 33 bits, so that its product with an exponent is exact.
constexpr double ln2_high = 0x1.62e42feep-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;

constexpr double two_pi = 6.283185307179586476925286766559;

// A power of 2 whose exponent is within [-1022, 1023].
double power_of_two(std::int64_t exponent) noexcept {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << mantissa_bits);
}

// The nearest integer, halves away from zero, for |x| < 2^52.
std::int64_t nearest(double x) noexcept {
  return static_cast<std::int64_t>(x + (x < 0 ? -0.5 : 0.5));
}

// The polynomial with these coefficients, the highest power's first.
template <class... T>
double horner(double x, double highest, T... lower) noexcept {
  ((highest = highest * x + lower), ...);
  return highest;
}

} // namespace

// With x = 2^k (1 + f) and s = f / (2 + f), log(1 + f) = 2 atanh(s) = 2 s + s R, where R is
// 2/3 s^2 + 2/5 s^4 + ...; |s| <= 0.172, so that ten terms leave an error of 1e-18. As
// 2 s = f - s f, the leading f is kept exact.
double portable_log(double x) noexcept {
  std::int64_t k = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    k = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  // Counts an exponent from sqrt(1/2), not from 1, so that f lies around 0.
  constexpr std::uint64_t half_root = 0x3fe6a09e667f3bcd;
  const auto shifted = bits - half_root;
  const auto exponent = static_cast<std::int64_t>(shifted) >> mantissa_bits;
  k += exponent;
  const auto f =
    std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << mantissa_bits)) - 1;

  const auto s = f / (2 + f);
  const auto z = s * s;
  const auto w = z * z;
  // Odd and even terms apart: two short chains of operations instead of a long one.
  const auto odd = z * horner(w, 2.0 / 19, 2.0 / 15, 2.0 / 11, 2.0 / 7, 2.0 / 3);
  const auto even = w * horner(w, 2.0 / 21, 2.0 / 17, 2.0 / 13, 2.0 / 9, 2.0 / 5);
  const auto half_square = 0.5 * f * f;
  // s f = f^2 / 2 - s f^2 / 2 takes the square apart once more, for the last bit.
  const auto tail = s * (half_square + (odd + even));
  const auto scale = static_cast<double>(k);
  return scale * ln2_high - ((half_square - (tail + scale * ln2_low)) - f);
}

// With x = k ln 2 + r and c = r - (r coth(r/2) - 2), e^r = 1 + r + r c / (2 - c). The coefficients of
// r coth(r/2) are 2 B(2n) / (2n)! of Bernoulli's numbers; |r| <= 0.347, so that seven of them leave
// an error of 1e-18.
double portable_exp(double x) noexcept {
  constexpr double per_ln2 = 1.44269504088896340735992468100189214;
  const auto k = nearest(x * per_ln2);
  const auto scale = static_cast<double>(k);
  const auto high = x - scale * ln2_high;
  const auto low = scale * ln2_low;
  const auto r = high - low;
  const auto z = r * r;
  const auto w = z * z;
  const auto odd = z * horner(w, 1.0 / 37362124800, 1.0 / 23950080, 1.0 / 15120, 1.0 / 6);
  const auto even = w * horner(w, 691.0 / 653837184000, 1.0 / 604800, 1.0 / 360);
  const auto c = r - (odd - even);
  const auto y = 1 - ((low - (r * c) / (2 - c)) - high);
  return y * power_of_two(k);
}

// Takes off quarter turns, which is exact, and ends with a series for an eighth of a turn at most.
double portable_sin_turns(double turns) noexcept {
  const auto whole = static_cast<double>(nearest(turns));
  const auto part = turns - whole;
  const auto quarter = nearest(part * 4);
  const auto x = (part - static_cast<double>(quarter) * 0.25) * two_pi;
  const auto z = x * x;
  const auto sine = [x, z] {
    return x
           + x * z
               * horner(z, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                        -1.0 / 5040, 1.0 / 120, -1.0 / 6);
  };
  const auto cosine = [z] {
    return 1
           + z
               * horner(z, 1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600,
                        -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2);
  };
  switch (quarter & 3) {
    case 0: return sine();
    case 1: return cosine();
    case 2: return -sine();
    default: return -cosine();
  }
}

double normal_quantile(double p) noexcept {
  const auto q = p - 0.5;
  if (q >= -0.425 && q <= 0.425) {
    const auto r = 0.180625 - q * q;
    const auto above =
      horner(r, 2.50908'09287'30122'6727e+3, 3.34305'75583'58812'8105e+4,
             6.72657'70927'00870'0853e+4, 4.59219'53931'54987'1457e+4, 1.37316'93765'50946'1125e+4,
             1.97159'09503'06551'4427e+3, 1.33141'66789'17843'7745e+2, 3.38713'28727'96366'6080e+0);
    const auto below =
      horner(r, 5.22649'52788'52854'5610e+3, 2.87290'85735'72194'2674e+4,
             3.93078'95800'09271'0610e+4, 2.12137'94301'58659'5867e+4, 5.39419'60214'24751'1077e+3,
             6.87187'00749'20579'0830e+2, 4.23133'30701'60091'1252e+1, 1.0);
    return q * above / below;
  }
  const auto tail = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  double size = 0;
  if (tail <= 5) {
    const auto r = tail - 1.6;
    const auto above = horner(r, 7.74545'01427'83414'07640e-4, 2.27238'44989'26918'45833e-2,
                              2.41780'72517'74506'11770e-1, 1.27045'82524'52368'38258e+0,
                              3.64784'83247'63204'60504e+0, 5.76949'72214'60691'40550e+0,
                              4.63033'78461'56545'29590e+0, 1.42343'71107'49683'57734e+0);
    const auto below = horner(r, 1.05075'00716'44416'84324e-9, 5.47593'80849'95344'94600e-4,
                              1.51986'66563'61645'71966e-2, 1.48103'97642'74800'74590e-1,
                              6.89767'33498'51000'04550e-1, 1.67638'48301'83803'84940e+0,
                              2.05319'16266'37758'82187e+0, 1.0);
    size = above / below;
  } else {
    const auto r = tail - 5;
    const auto above = horner(r, 2.01033'43992'92288'13265e-7, 2.71155'55687'43487'57815e-5,
                              1.24266'09473'88078'43860e-3, 2.65321'89526'57612'30930e-2,
                              2.96560'57182'85048'91230e-1, 1.78482'65399'17291'33580e+0,
                              5.46378'49111'64114'36990e+0, 6.65790'46435'01103'77720e+0);
    const auto below = horner(r, 2.04426'31033'89939'78564e-15, 1.42151'17583'16445'88870e-7,
                              1.84631'83175'10054'68180e-5, 7.86869'13114'56132'59100e-4,
                              1.48753'61290'85061'48525e-2, 1.36929'88092'27358'05310e-1,
                              5.99832'20655'58879'37690e-1, 1.0);
    size = above / below;
  }
  return q < 0 ? -size : size;
}

} // namespace spillover
