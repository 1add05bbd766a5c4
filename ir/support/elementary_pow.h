// Powers without branches, tables or calls, on machines with fused multiply-adds: of double, and of
// float, which run in double. See elementary_f64.h.
#pragma once

#include "ir/support/elementary_f64.h"

namespace caten::elementary {
namespace {

/// log x of a normal x in two parts, off by 2^-66 of it: k ln 2 + 2 artanh(s) with s = f / (2 + f).
/// s, its square and its cube have a low part each, as do the terms up to s^3; products are exact
/// by fused multiply-adds (Dekker's and Knuth's sums and products).
template <typename F>
struct TwoParts {
  F high;
  F low;
};
/// (2 artanh(s) - 2 s - 2/3 s^3) / s^5 in s^2, a minimax fit.
constexpr double kArtanh[] = {0.4000000000000218, 0.2857142857013187,  0.22222222514819476,
                              0.1818178477015341, 0.15386740341999738, 0.13257183545719506,
                              0.13193163895411641};
template <typename F>
inline TwoParts<F> log_in_two_parts(F x) {
  const Significand<F> parts = significand_f64(x);
  const F f = parts.f;
  const F sum = F(2.0) + f;
  const F inverse = F(1.0) / sum;
  const F s = f * inverse;
  const F minus_s = F(0.0) - s;
  const F rest = in_one_step(minus_s, f - (sum - F(2.0)), in_one_step(minus_s, sum, f));
  const F s_low = rest * inverse;
  const F square = s * s;
  const F square_low = in_one_step(s + s, s_low, in_one_step(s, s, F(0.0) - square));
  // 2/3 + s^2 (2/5 + ...)
  const F series = polynomial(square, kArtanh);
  const F term = square * series;
  const F term_low = in_one_step(square_low, series, in_one_step(square, series, F(0.0) - term));
  const F factor = F(6.66666666666666630e-01) + term;
  const F factor_low =
      ((F(6.66666666666666630e-01) - factor) + term) + (F(3.70074341541718826e-17) + term_low);
  const F cube = s * square;
  const F cube_low =
      in_one_step(s_low, square, in_one_step(s, square_low, in_one_step(s, square, F(0.0) - cube)));
  const F product = cube * factor;
  const F product_low = in_one_step(
      cube_low, factor, in_one_step(cube, factor_low, in_one_step(cube, factor, F(0.0) - product)));
  const F twice = s + s;
  const F log = twice + product;
  const F log_low = ((twice - log) + product) + ((s_low + s_low) + product_low);
  const F scale = parts.k * F(6.93147180369123816490e-01);  // exact
  const F high = scale + log;
  return {high,
          ((scale - high) + log) + in_one_step(parts.k, F(1.90821492927058770002e-10), log_low)};
}

/// x^y for x positive, finite and normal, y finite.
template <typename F>
inline F pow_f64(F x, F y) {
  const TwoParts<F> log = log_in_two_parts(x);
  const F exponent = log.high * y;
  const F exact_low = in_one_step(log.low, y, in_one_step(log.high, y, F(0.0) - exponent));
  // Beyond the range of results the product may be infinite.
  const F low = choose(magnitude_f64(exponent) < F(1000.0), exact_low, F(0.0));
  const ReducedExp<F> e = reduced_exp_f64(at_least(at_most(exponent, 710.0), -746.0));
  return scaled(scaled_exp_f64(e.r + low, e.shifted));
}
/// Where pow_f64 is specified; elsewhere x^y is the C library's.
inline bool has_pow_f64(double x, double y) {
  return x >= 2.2250738585072014e-308 && x < __builtin_inf() && magnitude_f64(y) < __builtin_inf();
}

/// x^y for doubles that are floats, x positive and finite, y finite: rounded to float it is right
/// but for a tenth of a unit. log2 x = k + log2(1 + f) by a series in f / (2 + f), to 2^-37 of it;
/// 2^p by a polynomial, to 2^-29. No float is subnormal in double.
template <typename F>
inline F pow_f64_of_floats(F x, F y) {
  const auto relative = bits_of(x) - 0x3fe6a09e667f3bcdU;
  const F f = double_of(bits_of(x) - (relative & 0xfff0000000000000U)) - F(1.0);
  const auto biased = shift_right(relative ^ 0x8000000000000000U, 52) | 0x4330000000000000U;
  const F k = double_of(biased) - F(4503599627370496.0 + 2048.0);
  const F s = f / (F(2.0) + f);
  const F z = s * s;
  F series = in_one_step(z, F(3.40749147940892394e-01), F(4.11671733059838063e-01));
  series = in_one_step(series, z, F(5.77083600648175765e-01));
  series = in_one_step(series, z, F(9.61796673263421220e-01));
  series = in_one_step(series, z, F(2.88539008179014678e+00));
  const F p = at_least(at_most(in_one_step(series, s, k) * y, 130.0), -160.0);
  const F shifted = p + F(kRoundDouble);
  const F r = p - (shifted - F(kRoundDouble));
  F power = in_one_step(r, F(1.53457885217732359e-04), F(1.33999576239289043e-03));
  power = in_one_step(power, r, F(9.61848924606884502e-03));
  power = in_one_step(power, r, F(5.55032871181505849e-02));
  power = in_one_step(power, r, F(2.40226468860648329e-01));
  power = in_one_step(power, r, F(6.93147205767135177e-01));
  power = in_one_step(power, r, F(1.00000000055505134e+00));
  return double_of(bits_of(power) + shift_left(bits_of(shifted), 52));
}
inline float pow_f32(float x, float y) {
  return static_cast<float>(pow_f64_of_floats(static_cast<double>(x), static_cast<double>(y)));
}
/// Where pow_f32 is specified; elsewhere x^y is the C library's.
inline bool has_pow_f32(float x, float y) {
  return x > 0.0F && x < __builtin_inff() && magnitude(y) < __builtin_inff();
}

}  // namespace
}  // namespace caten::elementary
