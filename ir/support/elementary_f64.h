// Elementary functions of double without branches, tables or calls, and powers of float, which run
// in double: for machines with fused multiply-adds what elementary_f32.h is for float. Elsewhere
// the C library's functions are the specification.
//
// All stay below 2 ulp. Each is a template over the type of a double, `double` itself or a vector
// of them; what a template needs besides arithmetic are the functions of the first section.
#pragma once

#include <cstdint>

#include "ir/support/elementary_f32.h"

namespace caten::elementary {
namespace {

inline double at_most(double x, double most) {
  return most < x ? most : x;
}
inline double at_least(double x, double least) {
  return least > x ? least : x;
}
inline double choose(bool condition, double a, double b) {
  return condition ? a : b;
}
inline uint64_t shift_left(uint64_t x, int count) {
  return x << count;
}
inline uint64_t shift_right(uint64_t x, int count) {
  return x >> count;
}
inline bool is_odd(uint64_t x) {
  return (x & 1U) != 0;
}
template <typename F>
inline F magnitude_f64(F x) {
  return double_of(bits_of(x) & 0x7fffffffffffffffU);
}

/// Leaves k + 2046 in the low bits of what k is added to.
constexpr double kBiasedDouble = kRoundDouble + 2046.0;
/// 2^k e^r for |r| <= ln 2 / 2 and -1100 < k < 1100: two factors, neither of which is subnormal, so
/// that small results round once. The polynomial is off by a tenth of 2^-53.
template <typename F>
inline F scaled_exp_f64(F r, F shifted) {
  const F r2 = r * r;
  const F r4 = r2 * r2;
  const F q0 = in_one_step(r, F(1.66666666666666674527e-1), F(0.500000000000000102211));
  const F q1 = in_one_step(r, F(8.33333333333006183252e-3), F(4.1666666666624127873e-2));
  const F q2 = in_one_step(r, F(1.98412698630536168779e-4), F(1.38888889172137169014e-3));
  const F q3 = in_one_step(r, F(2.75572684599970647717e-6), F(2.48015212959543751312e-5));
  const F q4 = in_one_step(r, F(2.51003854955103190776e-8), F(2.7620088445409748161e-7));
  const F low = in_one_step(q1, r2, q0);
  const F middle = in_one_step(q3, r2, q2);
  const F q = in_one_step(in_one_step(q4, r4, middle), r4, low);
  const F p = in_one_step(q, r2, r);
  const auto both = bits_of(shifted) & 0xfffU;
  const auto half = shift_right(both, 1);
  const F first = double_of(shift_left(half, 52));
  const F second = double_of(shift_left(both - half, 52));
  return in_one_step(p, first, first) * second;
}
template <typename F>
inline F exp_f64(F x) {
  const F y = at_least(at_most(x, 710.0), -746.0);
  const F shifted = in_one_step(y, F(1.44269504088896340736), F(kBiasedDouble));
  const F k = shifted - F(kBiasedDouble);
  const F high = in_one_step(k, F(-6.93147180369123816490e-01), y);
  return scaled_exp_f64(in_one_step(k, F(-1.90821492927058770002e-10), high), shifted);
}
template <typename F>
inline F exp2_f64(F x) {
  const F y = at_least(at_most(x, 1025.0), -1077.0);
  const F shifted = y + F(kBiasedDouble);
  const F k = shifted - F(kBiasedDouble);
  return scaled_exp_f64((y - k) * F(6.93147180559945309417e-01), shifted);
}

/// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); the series is that of FreeBSD's e_log.c.
template <typename F>
struct Logarithm {
  F k;
  F f;
  F half_square;  // f^2 / 2
  F rest;         // log(1 + f) = f - half_square + rest
};
template <typename F>
inline Logarithm<F> logarithm_f64(F x) {
  const auto tiny = x < F(2.2250738585072014e-308);
  const F y = choose(tiny, x * F(18014398509481984.0), x);
  const auto relative = bits_of(y) - 0x3fe6a09e667f3bcdU;
  const F f = double_of(bits_of(y) - (relative & 0xfff0000000000000U)) - F(1.0);
  // k + 2048 as a double: its bits below those of 2^52.
  const auto biased = shift_right(relative ^ 0x8000000000000000U, 52) | 0x4330000000000000U;
  const F exact = double_of(biased) - F(4503599627370496.0 + 2048.0);
  const F k = choose(tiny, exact - F(54.0), exact);
  const F s = f / (F(2.0) + f);
  const F z = s * s;
  const F w = z * z;
  const F odd = in_one_step(
      in_one_step(in_one_step(w, F(1.479819860511658591e-01), F(1.818357216161805012e-01)), w,
                  F(2.857142874366239149e-01)),
      w, F(6.666666666666735130e-01));
  const F even =
      in_one_step(in_one_step(w, F(1.531383769920937332e-01), F(2.222219843214978396e-01)), w,
                  F(3.999999999940941908e-01));
  const F half_square = F(0.5) * f * f;
  const F series = in_one_step(w, even, z * odd);
  return {k, f, half_square, s * (half_square + series)};
}
/// The logarithm's values at 0, infinity and where it has none.
template <typename F>
inline F at_ends_f64(F x, F value) {
  const F infinity = F(__builtin_inf());
  const F top = choose(x == infinity, x, value);
  const F bottom = choose(x == F(0.0), F(0.0) - infinity, top);
  return choose(x >= F(0.0), bottom, F(__builtin_nan("")));
}
template <typename F>
inline F log_f64(F x) {
  const Logarithm<F> l = logarithm_f64(x);
  const F low = in_one_step(l.k, F(1.90821492927058770002e-10), l.rest);
  const F value = in_one_step(l.k, F(6.93147180369123816490e-01), l.f - (l.half_square - low));
  return at_ends_f64(x, value);
}
template <typename F>
inline F log2_f64(F x) {
  const Logarithm<F> l = logarithm_f64(x);
  // log(1 + f) in two parts, of which the first has 21 bits: times 1 / ln 2 in two parts.
  const F high = double_of(bits_of(l.f - l.half_square) & 0xffffffff00000000U);
  const F low = ((l.f - high) - l.half_square) + l.rest;
  const F product = high * F(1.44269504072144627571e+00);
  const F small =
      in_one_step(low + high, F(1.67517131648865118353e-10), low * F(1.44269504072144627571e+00));
  const F sum = l.k + product;
  return at_ends_f64(x, sum + (small + ((l.k - sum) + product)));
}

/// Arguments of sin_f64 and cos_f64.
constexpr double kSinLimitF64 = 1.0e6;

/// sin(x + quadrants * pi / 2): x is reduced in three parts of pi / 2, of which the first leaves no
/// error; the series are those of FreeBSD's k_sin.c and k_cos.c.
template <typename F>
inline F sin_reduced_f64(F x, uint64_t quadrants) {
  const F shifted = in_one_step(x, F(6.36619772367581382433e-01), F(kRoundDouble));
  const F k = shifted - F(kRoundDouble);
  F r = in_one_step(k, F(-1.57079632679489655800e+00), x);
  r = in_one_step(k, F(-6.12323399573676603587e-17), r);
  r = in_one_step(k, F(1.49738490485916983294e-33), r);
  const auto n = bits_of(shifted) + quadrants;
  const F z = r * r;
  F sine = in_one_step(z, F(1.58969099521155010221e-10), F(-2.50507602534068634195e-08));
  sine = in_one_step(sine, z, F(2.75573137070700676789e-06));
  sine = in_one_step(sine, z, F(-1.98412698298579493134e-04));
  sine = in_one_step(sine, z, F(8.33333333332248946124e-03));
  sine = in_one_step(sine, z, F(-1.66666666666666324348e-01));
  sine = in_one_step(r, z * sine, r);
  F cosine = in_one_step(z, F(-1.13596475577881948265e-11), F(2.08757232129817482790e-09));
  cosine = in_one_step(cosine, z, F(-2.75573143513906633035e-07));
  cosine = in_one_step(cosine, z, F(2.48015872894767294178e-05));
  cosine = in_one_step(cosine, z, F(-1.38888888888741095749e-03));
  cosine = in_one_step(cosine, z, F(4.16666666666666019037e-02));
  const F half = F(0.5) * z;
  const F top = F(1.0) - half;
  cosine = top + in_one_step(z * z, cosine, (F(1.0) - top) - half);
  const F chosen = choose(is_odd(n), cosine, sine);
  return double_of(bits_of(chosen) ^ (shift_left(n, 62) & 0x8000000000000000U));
}
template <typename F>
inline F sin_f64(F x) {
  return choose(x == F(0.0), x, sin_reduced_f64(x, 0));
}
template <typename F>
inline F cos_f64(F x) {
  return sin_reduced_f64(x, 1);
}

/// 1 - 2 / (e^2x + 1); a quotient (Cephes) where that would cancel.
template <typename F>
inline F tanh_f64(F x) {
  const F a = at_most(magnitude_f64(x), 20.0);
  const F large = F(1.0) - F(2.0) / (exp_f64(a + a) + F(1.0));
  const F z = a * a;
  const F p =
      in_one_step(in_one_step(z, F(-9.64399179425052238628e-1), F(-9.92877231001918586564e1)), z,
                  F(-1.61468768441708447952e3));
  const F q =
      in_one_step(in_one_step(z + F(1.12811678491632931402e2), z, F(2.23548839060100448583e3)), z,
                  F(4.84406305325125486048e3));
  const F small = in_one_step(a, z * (p / q), a);
  const F value = choose(a > F(0.625), large, small);
  return double_of(bits_of(value) | (bits_of(x) & 0x8000000000000000U));
}

/// Coefficients of log erfc(1 + t), for 0 <= t <= 5: the polynomial is off by 2^-55 of what it adds
/// to erf. Of erf(a) / a - 1 in a^2 for a <= 1.
constexpr double kLogErfc[] = {
    -1.84960550993324846e+00, -2.63896751423473042e+00, -8.43107256362007007e-01,
    -4.15610979692698432e-02, 1.00338245702793604e-02,  -1.97789731229788129e-03,
    2.37300399567610601e-04,  2.63409095830413854e-05,  -2.72859334035209457e-05,
    9.79316117850111580e-06,  -2.25604278929776276e-06, 2.97285769298164109e-07,
    7.81523608537708788e-09,  -1.38205766314560930e-08, 3.19468504941982041e-09,
    -3.61969037992198154e-10, 1.73602530831999289e-11};
constexpr double kErfSeries[] = {
    1.28379167095512559e-01,  -3.76126389031835429e-01, 1.12837916709451411e-01,
    -2.68661706432575774e-02, 5.22397760726550555e-03,  -8.54832598191026692e-04,
    1.20552950818531474e-04,  -1.49247399778929981e-05, 1.64474587173684472e-06,
    -1.62087161751788899e-07, 1.37209544012761590e-08,  -7.79735595947629649e-10};
template <typename F, size_t terms>
inline F polynomial(F x, const double (&coefficients)[terms]) {
  F value = F(coefficients[terms - 1]);
  for (size_t i = terms - 1; i-- > 0;) {
    value = in_one_step(value, x, F(coefficients[i]));
  }
  return value;
}
template <typename F>
inline F erf_f64(F x) {
  const F a = at_most(magnitude_f64(x), 5.95);
  const F large = F(1.0) - exp_f64(polynomial(a - F(1.0), kLogErfc));
  const F small = in_one_step(polynomial(a * a, kErfSeries), a, a);
  const F value = choose(a > F(1.0), large, small);
  return double_of(bits_of(value) | (bits_of(x) & 0x8000000000000000U));
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
