// Elementary functions of float without branches, tables or calls, so that a loop over an array
// vectorises: the one specification behind elementary::exp(float) and its neighbours, behind the
// vector routines of the runtime and behind the machine code of fused strips (codegen/vector).
// Only operations that IEEE 754 defines to the bit are used and none may be contracted
// (-ffp-contract=off). Two variants: with `fused` multiply-adds where the machine has them
// (elementary::is_fused()), with separate operations elsewhere; within a process one holds.
//
// All stay below 2 ulp (tests/unit/codegen/elementary_sweep_test.cpp). Each is a template over the
// type of a float: `float` itself, or one that records the operations. What a template needs
// besides arithmetic are the functions of the first section. Everything has internal linkage: the
// file is compiled for several instruction sets, and the linker must not mix their copies.
//
// Polynomials are evaluated in short independent pieces (Estrin): chains of dependent operations
// are what these functions wait for.
#pragma once

#include <cstdint>

#include "ir/support/elementary.h"

namespace caten::elementary {
namespace {

constexpr float kRoundFloat = 12582912.0F;           // 1.5 * 2^23: adding it rounds to an integer
constexpr double kRoundDouble = 6755399441055744.0;  // 1.5 * 2^52

inline uint32_t bits_of(float x) {
  return __builtin_bit_cast(uint32_t, x);
}
inline uint64_t bits_of(double x) {
  return __builtin_bit_cast(uint64_t, x);
}
inline float float_of(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
inline double double_of(uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}
inline float in_one_step(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double in_one_step(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
/// The least of x and a constant, the largest of both; a NaN stays.
inline float at_most(float x, float most) {
  return most < x ? most : x;
}
inline float at_least(float x, float least) {
  return least > x ? least : x;
}
inline float choose(bool condition, float a, float b) {
  return condition ? a : b;
}
inline float signed_to_float(uint32_t x) {
  return static_cast<float>(static_cast<int32_t>(x));
}
inline uint32_t shift_left(uint32_t x, int count) {
  return x << count;
}
inline uint32_t shift_right_signed(uint32_t x, int count) {
  return static_cast<uint32_t>(static_cast<int32_t>(x) >> count);
}

/// a * b + c
template <bool fused, typename F, typename B, typename C>
inline F multiply_add(F a, B b, C c) {
  if constexpr (fused) {
    return in_one_step(a, b, c);
  } else {
    return a * b + c;
  }
}
template <typename F>
inline F magnitude(F x) {
  return float_of(bits_of(x) & 0x7fffffffU);
}
template <typename F>
inline F with_sign_of(F value, F sign) {
  return float_of(bits_of(value) | (bits_of(sign) & 0x80000000U));
}

/// e^x = 2^(2j) e^r with |r| <= ln 2, for -105 <= x <= 89. The even exponent is two equal factors
/// 2^j, which are never subnormal: small results round once, large ones overflow.
template <bool fused, typename F>
inline F exp_inner(F x) {
  constexpr float kBiased = kRoundFloat + 127.0F;  // leaves j + 127 in the low bits
  const F shifted = multiply_add<fused>(x, 0.72134752044448170F, kBiased);
  const F j = shifted - kBiased;
  const F high = multiply_add<fused>(j, -1.38671875F, x);  // -2 ln 2 in two parts
  const F r = multiply_add<fused>(j, 4.24388880e-4F, high);
  const F r2 = r * r;
  const F q01 = multiply_add<fused>(r, 1.666661352e-01F, 5.000003576e-01F);
  const F q23 = multiply_add<fused>(r, 8.336118422e-03F, 4.166123644e-02F);
  const F q45 = multiply_add<fused>(r, 1.961107046e-04F, 1.410509110e-03F);
  const F q = multiply_add<fused>(multiply_add<fused>(q45, r2, q23), r2, q01);
  const F m = multiply_add<fused>(q, r2, r) + 1.0F;
  const F scale = float_of(shift_left(bits_of(shifted), 23));
  return m * scale * scale;
}
template <bool fused, typename F>
inline F exp_spec(F x) {
  return exp_inner<fused>(at_least(at_most(x, 89.0F), -105.0F));
}

/// x = 2^k (1 + f) with 1 + f in [2/3, 4/3): log x = k ln2 + f + f^2 p(f). N. Juffa's p.
template <bool fused, typename F>
inline F log_spec(F x) {
  const auto tiny = x < 1.17549435e-38F;  // subnormal, or no positive number
  const F y = choose(tiny, x * 8388608.0F, x);
  const auto bits = bits_of(y);
  const auto exponent = (bits - 0x3f2aaaabU) & 0xff800000U;
  const F f = float_of(bits - exponent) - 1.0F;
  const F exact = signed_to_float(shift_right_signed(exponent, 23));
  const F k = choose(tiny, exact - 23.0F, exact);
  const F s = f * f;
  F even = multiply_add<fused>(s, -0.130310059F, -0.121484190F);
  F odd = multiply_add<fused>(s, 0.140869141F, 0.139814854F);
  even = multiply_add<fused>(even, s, -0.166846052F);
  odd = multiply_add<fused>(odd, s, 0.200120345F);
  even = multiply_add<fused>(even, s, -0.249996200F);
  const F p = multiply_add<fused>(multiply_add<fused>(odd, f, even), f, 0.333331972F);
  const F low = multiply_add<fused>(multiply_add<fused>(p, f, -0.5F), s, k * -2.12194440e-4F);
  const F value = multiply_add<fused>(k, 0.693359375F, f + low);
  const float infinity = __builtin_inff();
  const F top = choose(x == infinity, x, value);
  const F bottom = choose(x == 0.0F, -infinity, top);
  return choose(x >= 0.0F, bottom, __builtin_nanf(""));
}

/// Arguments of sin_spec and cos_spec: larger ones need more of pi than it carries.
constexpr float kSinLimit = 1.0e6F;

/// sin(x + quadrants * pi / 2), |x| <= kSinLimit: reduced in double, the series (SLEEF's) in float.
template <bool fused>
inline float sin_reduced(float x, uint32_t quadrants) {
  const double wide = static_cast<double>(x);
  const double shifted = multiply_add<fused>(wide, 0.63661977236758134308, kRoundDouble);
  const double k = shifted - kRoundDouble;
  // pi/2 in two parts of which the first has 33 bits: k times it is exact.
  const double high = multiply_add<fused>(k, -1.57079632673412561417, wide);
  const auto r = static_cast<float>(multiply_add<fused>(k, -6.07710050650619224932e-11, high));
  const uint32_t n = static_cast<uint32_t>(bits_of(shifted)) + quadrants;
  const float z = r * r;
  float sine = multiply_add<fused>(z, 2.6083159809786593e-06F, -1.981069071916863e-04F);
  sine = multiply_add<fused>(sine, z, 8.3330785855650902e-03F);
  sine = multiply_add<fused>(sine, z, -1.6666659712791443e-01F);
  sine = multiply_add<fused>(r, z * sine, r);
  float cosine = multiply_add<fused>(z, -2.7181184236724221e-07F, 2.4799044695110075e-05F);
  cosine = multiply_add<fused>(cosine, z, -1.3888878747820854e-03F);
  cosine = multiply_add<fused>(cosine, z, 4.1666664183139801e-02F);
  cosine = multiply_add<fused>(cosine, z, -0.5F);
  cosine = multiply_add<fused>(cosine, z, 1.0F);
  const float chosen = choose((n & 1U) != 0, cosine, sine);
  return float_of(bits_of(chosen) ^ ((n & 2U) << 30));
}
template <bool fused>
inline float sin_spec(float x) {
  const float result = sin_reduced<fused>(x, 0);
  return x == 0.0F ? x : result;
}
template <bool fused>
inline float cos_spec(float x) {
  return sin_reduced<fused>(x, 1);
}

/// 1 - 2 / (e^2x + 1); a short series (Cephes) where that would cancel.
template <bool fused, typename F>
inline F tanh_spec(F x) {
  const F a = at_most(magnitude(x), 10.0F);
  const F large = 1.0F - 2.0F / (exp_inner<fused>(a + a) + 1.0F);
  const F z = a * a;
  const F z2 = z * z;
  const F p01 = multiply_add<fused>(z, 1.33314422036e-1F, -3.33332819422e-1F);
  const F p23 = multiply_add<fused>(z, 2.06390887954e-2F, -5.37397155531e-2F);
  const F p = multiply_add<fused>(multiply_add<fused>(z2, -5.70498872745e-3F, p23), z2, p01);
  const F small = multiply_add<fused>(a, z * p, a);
  return with_sign_of(choose(a > 0.625F, large, small), x);
}

/// x + x P(x^2) up to 0.93, 1 - e^Q(x) up to 4, then 1. Coefficients: N. Juffa's erff.
template <bool fused, typename F>
inline F erf_spec(F x) {
  const F a = at_most(magnitude(x), 4.0F);
  const F z = a * a;
  const F q45 = multiply_add<fused>(a, -1.72853470e-5F, 3.83197126e-4F);
  const F q23 = multiply_add<fused>(a, -3.88396438e-3F, 2.42546219e-2F);
  F q = multiply_add<fused>(q45, z, q23);
  q = multiply_add<fused>(q, a, -1.06777877e-1F);
  q = multiply_add<fused>(q, a, -6.34846687e-1F);
  q = multiply_add<fused>(q, a, -1.28717512e-1F);
  const F large = 1.0F - exp_inner<fused>(q * a - a);
  const F z2 = z * z;
  const F p01 = multiply_add<fused>(z, -3.76125336e-1F, 1.28379166e-1F);
  const F p23 = multiply_add<fused>(z, -2.67681349e-2F, 1.12819925e-1F);
  const F p45 = multiply_add<fused>(z, -5.96761703e-4F, 4.99119423e-3F);
  const F p = multiply_add<fused>(multiply_add<fused>(p45, z2, p23), z2, p01);
  const F small = multiply_add<fused>(p, a, a);
  return with_sign_of(choose(a > 0.927734375F, large, small), x);
}

// specified_NAME(x): the variant that holds in this process.
#define CATEN_ELEMENTARY1(fn)
#define CATEN_ELEMENTARY2(fn)
#define CATEN_ELEMENTARY_SPEC(fn, limit)                          \
  [[maybe_unused]] inline float specified_##fn(float x) {         \
    return is_fused() ? fn##_spec<true>(x) : fn##_spec<false>(x); \
  }
#include "ir/support/elementary.def"
#undef CATEN_ELEMENTARY1
#undef CATEN_ELEMENTARY2
#undef CATEN_ELEMENTARY_SPEC

}  // namespace
}  // namespace caten::elementary
