// Elementary functions of double without branches, tables or calls: for machines with fused
// multiply-adds what elementary_f32.h is for float. Elsewhere the C library's functions are the
// specification. Powers are in elementary_pow.h.
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
/// 2^k e^r = (1 + p) first second for |r| <= ln 2 / 2 and -1100 < k < 1100: two powers of 2,
/// neither of which is subnormal, so that small results round once. The polynomial is off by a
/// tenth of 2^-53.
template <typename F>
struct ScaledExp {
  F p;
  F first;
  F second;
};
template <typename F>
inline ScaledExp<F> scaled_exp_f64(F r, F shifted) {
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
  return {p, first, second};
}
/// The exponential times a factor whose product with `first` is exact.
template <typename F>
inline F times(ScaledExp<F> e, F factor) {
  const F start = e.first * factor;
  return in_one_step(e.p, start, start) * e.second;
}
template <typename F>
inline F scaled(ScaledExp<F> e) {
  return in_one_step(e.p, e.first, e.first) * e.second;
}
/// k + kBiasedDouble with the k of e^x = 2^k e^r, and r.
template <typename F>
struct ReducedExp {
  F shifted;
  F r;
};
template <typename F>
inline ReducedExp<F> reduced_exp_f64(F x) {
  const F shifted = in_one_step(x, F(1.44269504088896340736), F(kBiasedDouble));
  const F k = shifted - F(kBiasedDouble);
  const F high = in_one_step(k, F(-6.93147180369123816490e-01), x);
  return {shifted, in_one_step(k, F(-1.90821492927058770002e-10), high)};
}
template <typename F>
inline F exp_f64(F x) {
  const ReducedExp<F> e = reduced_exp_f64(at_least(at_most(x, 710.0), -746.0));
  return scaled(scaled_exp_f64(e.r, e.shifted));
}
template <typename F>
inline F exp2_f64(F x) {
  const F y = at_least(at_most(x, 1025.0), -1077.0);
  const F shifted = y + F(kBiasedDouble);
  const F k = shifted - F(kBiasedDouble);
  return scaled(scaled_exp_f64((y - k) * F(6.93147180559945309417e-01), shifted));
}

/// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for x that is positive, finite and normal.
template <typename F>
struct Significand {
  F k;
  F f;
};
template <typename F>
inline Significand<F> significand_f64(F x) {
  const auto relative = bits_of(x) - 0x3fe6a09e667f3bcdU;
  const F f = double_of(bits_of(x) - (relative & 0xfff0000000000000U)) - F(1.0);
  // k + 2048 as a double: its bits below those of 2^52.
  const auto biased = shift_right(relative ^ 0x8000000000000000U, 52) | 0x4330000000000000U;
  return {double_of(biased) - F(4503599627370496.0 + 2048.0), f};
}
/// log(1 + f) = f - minus; the series is that of FreeBSD's e_log.c.
template <typename F>
struct Logarithm {
  F half_square;  // f^2 / 2
  F rest;         // minus = half_square - rest
};
template <typename F>
inline Logarithm<F> logarithm_f64(F f) {
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
  return {half_square, s * (half_square + series)};
}
template <typename F>
inline F log_of(Significand<F> x) {
  const Logarithm<F> l = logarithm_f64(x.f);
  const F low = in_one_step(x.k, F(1.90821492927058770002e-10), l.rest);
  return in_one_step(x.k, F(6.93147180369123816490e-01), x.f - (l.half_square - low));
}
/// log(1 + f) times 1 / ln 2, which has two parts, and k.
template <typename F>
inline F log2_of(Significand<F> x) {
  const Logarithm<F> l = logarithm_f64(x.f);
  const F log = x.f - (l.half_square - l.rest);
  return in_one_step(log, F(1.44269504088896338700),
                     in_one_step(log, F(2.03552737409310331e-17), x.k));
}
/// The logarithm by one of the above where x is normal.
template <typename F>
inline F log_of_normal_f64(F x) {
  return log_of(significand_f64(x));
}
template <typename F>
inline F log2_of_normal_f64(F x) {
  return log2_of(significand_f64(x));
}
/// Of subnormal numbers, too.
template <typename F>
inline Significand<F> any_significand_f64(F x) {
  const auto tiny = x < F(2.2250738585072014e-308);
  const Significand<F> s = significand_f64(choose(tiny, x * F(18014398509481984.0), x));
  return {choose(tiny, s.k - F(54.0), s.k), s.f};
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
  return at_ends_f64(x, log_of(any_significand_f64(x)));
}
template <typename F>
inline F log2_f64(F x) {
  return at_ends_f64(x, log2_of(any_significand_f64(x)));
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
/// Even and odd powers apart: two chains of dependent operations, half as long.
template <typename F, size_t terms>
inline F polynomial(F x, const double (&coefficients)[terms]) {
  const F square = x * x;
  F chains[] = {F(coefficients[terms - 1]), F(coefficients[terms - 2])};
  for (size_t i = terms - 2; i-- > 0;) {
    F& chain = chains[(terms - 1 - i) % 2];
    chain = in_one_step(chain, square, F(coefficients[i]));
  }
  return terms % 2 == 0 ? in_one_step(chains[0], x, chains[1])
                        : in_one_step(chains[1], x, chains[0]);
}
template <typename F>
inline F erf_f64(F x) {
  const F a = at_most(magnitude_f64(x), 5.95);
  const F large = F(1.0) - exp_f64(polynomial(a - F(1.0), kLogErfc));
  const F small = in_one_step(polynomial(a * a, kErfSeries), a, a);
  const F value = choose(a > F(1.0), large, small);
  return double_of(bits_of(value) | (bits_of(x) & 0x8000000000000000U));
}

/// Coefficients of (1 + 2 a) e^(a^2) erfc(a) - 1 in (a - 3.5) / (a + 3.5), for 0.5 <= a <= 27.5,
/// off by 2^-59 (the form is of Shepherd and Laframboise, Math. Comp. 36, 1981; the coefficients
/// are a minimax fit). Of erf(x) / x - 1 in x^2 for |x| <= 0.5.
constexpr double kScaledErfc[] = {
    2.42349244871154390e-01,  -1.40009180137619427e-01, -1.05555963322183106e-02,
    9.75190951532584199e-02,  -1.15089598160190570e-01, 8.79831538248721789e-02,
    -4.88233258279316476e-02, 1.90993309423289730e-02,  -4.21501990755657804e-03,
    -3.02267877462949954e-04, 5.64384417623542108e-04,  -1.21512415217869851e-04,
    -4.27822394361514457e-05, 2.42608885805217390e-05,  2.32835367042340073e-06,
    -3.81424429700840882e-06, -4.43390086376132229e-08, 5.99920009768065357e-07,
    -7.82225103197287600e-09, -9.28133253721205787e-08, 5.28447792780705922e-10,
    1.03256349012864151e-08};
constexpr double kSmallErfSeries[] = {
    1.28379167095512559e-01,  -3.76126389031834762e-01, 1.12837916709254804e-01,
    -2.68661706329258350e-02, 5.22397737357601678e-03,  -8.54829779747913899e-04,
    1.20533370285653599e-04,  -1.48458920296516786e-05, 1.47262521332286521e-06};
template <typename F>
inline F erfc_f64(F x) {
  const F a = at_most(magnitude_f64(x), 27.5);
  const F p = polynomial((a - F(3.5)) / (a + F(3.5)), kScaledErfc);
  const F top = F(1.0) + p;
  const F twice = a + a;
  const F bottom = twice + F(1.0);
  const F quotient = top / bottom;
  // What the three roundings leave, and that of a^2, go into the exponent: relative to the quotient
  // the first is residue / top, and 1 / top is near 1 - 0.8 p.
  const F minus = F(0.0) - quotient;
  F residue = in_one_step(minus, bottom, top) + ((F(1.0) - top) + p);
  residue = in_one_step(minus, (twice - bottom) + F(1.0), residue);
  const F relative = residue * in_one_step(p, F(-0.8), F(1.0));
  const F square = a * a;
  const F square_low = in_one_step(a, a, F(0.0) - square);
  const ReducedExp<F> e = reduced_exp_f64(F(0.0) - square);
  const F tail = times(scaled_exp_f64(e.r + (relative - square_low), e.shifted), quotient);
  const F large = choose(x < F(0.0), F(2.0) - tail, tail);
  const F small = F(1.0) - in_one_step(polynomial(x * x, kSmallErfSeries), x, x);
  return choose(magnitude_f64(x) < F(0.5), small, large);
}

}  // namespace
}  // namespace caten::elementary
