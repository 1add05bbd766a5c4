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

#include <cstddef>
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
inline uint32_t shift_right(uint32_t x, int count) {
  return x >> count;
}
inline bool is_odd(uint32_t x) {
  return (x & 1U) != 0;
}
/// By the three lowest bits of the index.
inline float lookup(uint32_t index, const float (&table)[8]) {
  return table[index & 7U];
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

/// e^x = 2^(2j) 2^(i/4) e^r with 0 <= i < 8 and |r| <= ln 2 / 8, for -105 <= x <= 89. The even
/// exponent is two equal factors 2^j, which are never subnormal: small results round once, large
/// ones overflow.
/// The table has the bits of 2^(i/4) without those of 1: adding those of 2^j multiplies.
constexpr float beyond_one(float x) {
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, x) - 0x3f800000U);
}
constexpr float kQuarters[] = {
    beyond_one(1.0F), beyond_one(1.18920711F), beyond_one(1.41421356F), beyond_one(1.68179283F),
    beyond_one(2.0F), beyond_one(2.37841423F), beyond_one(2.82842712F), beyond_one(3.36358566F)};
/// Leaves 8 (j + 127) + i in the low bits of what it is added to.
constexpr float kBiasedEighths = kRoundFloat + 1016.0F;
template <bool fused, typename F>
inline F exp_of_rest(F r, F shifted) {
  const F r2 = r * r;
  const F q =
      multiply_add<fused>(multiply_add<fused>(r, 0.0416825339F, 0.166721061F), r, 0.49999997F);
  const F p = multiply_add<fused>(q, r2, r);
  const auto bits = bits_of(shifted);
  const auto scale = shift_left(bits, 20) & 0x7f800000U;
  const F base = float_of(bits_of(lookup(bits, kQuarters)) + scale);
  return multiply_add<fused>(p, base, base) * float_of(scale);
}
template <bool fused, typename F>
inline F exp_inner(F x) {
  const F shifted = multiply_add<fused>(x, 5.77078009F, kBiasedEighths);
  const F k = shifted - kBiasedEighths;
  const F high = multiply_add<fused>(k, -0.17333984375F, x);  // -ln 2 / 4 in two parts
  return exp_of_rest<fused>(multiply_add<fused>(k, 5.30486104e-5F, high), shifted);
}
template <bool fused, typename F>
inline F exp_spec(F x) {
  return exp_inner<fused>(at_least(at_most(x, 89.0F), -105.0F));
}
/// 2^x: the rest is exact.
template <bool fused, typename F>
inline F exp2_spec(F x) {
  const F y = at_least(at_most(x, 129.0F), -151.0F);
  const F shifted = multiply_add<fused>(y, 4.0F, kBiasedEighths);
  const F r = multiply_add<fused>(shifted - kBiasedEighths, -0.25F, y);
  return exp_of_rest<fused>(r * 0.693147182F, shifted);
}

/// x = 2^k (1 + f) with 1 + f in [2/3, 4/3): log x = k ln2 + f + f^2 p(f). N. Juffa's p.
template <typename F>
struct LogParts {
  F k;
  F f;
  F s;  // f^2
  F p;
};
template <bool fused, typename F>
inline LogParts<F> log_parts(F x) {
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
  return {k, f, s, multiply_add<fused>(p, f, -0.5F)};
}
/// A logarithm's values at 0, infinity and where it has none.
template <typename F>
inline F log_at_ends(F x, F value) {
  const float infinity = __builtin_inff();
  const F top = choose(x == infinity, x, value);
  const F bottom = choose(x == 0.0F, -infinity, top);
  return choose(x >= 0.0F, bottom, __builtin_nanf(""));
}
template <bool fused, typename F>
inline F log_spec(F x) {
  const auto [k, f, s, p] = log_parts<fused>(x);
  const F low = multiply_add<fused>(p, s, k * -2.12194440e-4F);
  return log_at_ends(x, multiply_add<fused>(k, 0.693359375F, f + low));
}
template <bool fused, typename F>
inline F log2_spec(F x) {
  const auto [k, f, s, p] = log_parts<fused>(x);
  // f and 1 / ln 2 in two parts: the product of the first ones is exact.
  const F high = float_of(bits_of(f) & 0xfffff000U);
  const F low = multiply_add<fused>(f - high, 1.44269504F, high * 3.12228395e-4F);
  const F rest = multiply_add<fused>(p * s, 1.44269504F, low);
  return log_at_ends(x, (k + high * 1.4423828125F) + rest);
}

/// Arguments of sin_spec and cos_spec: larger ones need more of pi than it carries.
constexpr float kSinLimit = 1.0e6F;

/// sin(x + quadrants * pi / 2), |x| <= kSinLimit. With multiply-adds x is reduced in three parts of
/// pi / 2, of which the first leaves no error; else in double. The series (SLEEF's) is in float.
template <bool fused, typename F>
inline F sin_reduced(F x, uint32_t quadrants) {
  decltype(bits_of(x)) n;
  F r = x;
  if constexpr (fused) {
    const F shifted = in_one_step(x, 0.636619772F, kRoundFloat);
    const F k = shifted - kRoundFloat;
    r = in_one_step(k, -1.57079637F, x);
    r = in_one_step(k, 4.37113883e-8F, r);
    r = in_one_step(k, 1.71512451e-15F, r);
    n = bits_of(shifted) + quadrants;
  } else {
    const double wide = static_cast<double>(x);
    const double shifted = wide * 0.63661977236758134308 + kRoundDouble;
    const double k = shifted - kRoundDouble;
    // pi/2 in two parts of which the first has 33 bits: k times it is exact.
    const double high = k * -1.57079632673412561417 + wide;
    r = static_cast<float>(k * -6.07710050650619224932e-11 + high);
    n = static_cast<uint32_t>(bits_of(shifted)) + quadrants;
  }
  const F z = r * r;
  F sine = multiply_add<fused>(z, 2.6083159809786593e-06F, -1.981069071916863e-04F);
  sine = multiply_add<fused>(sine, z, 8.3330785855650902e-03F);
  sine = multiply_add<fused>(sine, z, -1.6666659712791443e-01F);
  sine = multiply_add<fused>(r, z * sine, r);
  F cosine = multiply_add<fused>(z, -2.7181184236724221e-07F, 2.4799044695110075e-05F);
  cosine = multiply_add<fused>(cosine, z, -1.3888878747820854e-03F);
  cosine = multiply_add<fused>(cosine, z, 4.1666664183139801e-02F);
  cosine = multiply_add<fused>(cosine, z, -0.5F);
  cosine = multiply_add<fused>(cosine, z, 1.0F);
  const F chosen = choose(is_odd(n), cosine, sine);
  return float_of(bits_of(chosen) ^ (shift_left(n, 30) & 0x80000000U));
}
template <bool fused, typename F>
inline F sin_spec(F x) {
  return choose(x == 0.0F, x, sin_reduced<fused>(x, 0));
}
template <bool fused, typename F>
inline F cos_spec(F x) {
  return sin_reduced<fused>(x, 1);
}

/// A function of a >= 0 as eight polynomials in a - centre, whose coefficients are rows of the
/// table below the centres, from the constant on. The columns belong to the half octaves that
/// `where` is in, in the order of the lowest three bits of their numbers. Below `first` the centre
/// is 0 and the polynomial is what the function has beside a.
template <bool fused, typename F, size_t rows>
inline F in_pieces(F a, F where, float first, const float (&table)[rows][8]) {
  const auto index = shift_right(bits_of(where), 22);
  const F t = a - lookup(index, table[0]);
  F value = lookup(index, table[rows - 1]);
  for (size_t row = rows - 2; row > 1; --row) {
    value = multiply_add<fused>(value, t, lookup(index, table[row]));
  }
  return multiply_add<fused>(value, t, choose(a < first, a, lookup(index, table[1])));
}

// Least maximum of the relative error, by iterated least squares; below 0.9 * 2^-24.
// clang-format off
constexpr float kErfPieces[][8] = {
    {2.5F, 3.4749999F, 0.0F, 0.4375F, 0.625F, 0.875F, 1.25F, 1.75F},
    {0.999593019F, 0.999999106F, 0.0F, 0.463898122F, 0.623240888F, 0.784075081F, 0.92290014F, 0.986671686F},
    {0.00217897678F, 6.51896335e-06F, 0.128379196F, 0.931812167F, 0.763499558F, 0.524745047F, 0.236521214F, 0.0527748354F},
    {-0.00544397533F, -2.25181593e-05F, -5.8284636e-06F, -0.407667816F, -0.477187216F, -0.459151924F, -0.295652002F, -0.0923561528F},
    {0.00832674373F, 4.6412224e-05F, -0.37594232F, -0.19170095F, -0.0556747951F, 0.0929196477F, 0.167523235F, 0.0901776701F},
    {-0.00865168031F, -7.54352295e-05F, -0.00213454966F, 0.177823633F, 0.176460326F, 0.112399571F, -0.00612104125F, -0.0481074974F},
    {0.00631808303F, 0.000122273588F, 0.12411391F, 0.026391875F, -0.0270348992F, -0.0667090714F, -0.0467788205F, 0.0059695188F},
    {-0.00263810577F, -0.000108577893F, -0.0278919283F, -0.051181037F, -0.0412434936F, -0.0105296057F, 0.020480087F, 0.00907055754F},
};
// clang-format on

/// The bits of 2^(i/8) without those of 1 and without i, which is above the fraction's lower bits
/// in the exponent that is added.
constexpr float eighth(float x, uint32_t i) {
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, x) - 0x3f800000U - (i << 20));
}
constexpr float kEighths[] = {
    eighth(1.0F, 0),        eighth(1.09050773F, 1), eighth(1.18920711F, 2), eighth(1.29683955F, 3),
    eighth(1.41421356F, 4), eighth(1.54221082F, 5), eighth(1.68179283F, 6), eighth(1.83400809F, 7)};
/// 1 - 2 / (e^2x + 1), where that cancels little; else a series.
template <bool fused, typename F>
inline F tanh_spec(F x) {
  const F a = at_most(magnitude(x), 9.1F);
  const F shifted = multiply_add<fused>(a, 23.0831207F, kBiasedEighths);
  const F k = shifted - kBiasedEighths;
  F r = a;
  if constexpr (fused) {
    r = in_one_step(k, -0.0433216989F, a);  // ln 2 / 16
  } else {
    r = k * -1.99675e-6F + (k * -0.0433197021F + a);
  }
  const F p = multiply_add<fused>(multiply_add<fused>(r, 1.33351099F, 2.00026011F), r, 2.0F) * r;
  const auto bits = bits_of(shifted);
  const F base = float_of(bits_of(lookup(bits, kEighths)) + shift_left(bits, 20));
  const F large = 1.0F - 2.0F / multiply_add<fused>(p, base, base + 1.0F);
  const F z = a * a;
  F series = multiply_add<fused>(z, 0.0164310541F, -0.0526684858F);
  series = multiply_add<fused>(series, z, 0.133206755F);
  series = multiply_add<fused>(series, z, -0.333329439F);
  const F small = multiply_add<fused>(series, a * z, a);
  return with_sign_of(choose(a > 0.5493F, large, small), x);
}
template <bool fused, typename F>
inline F erf_spec(F x) {
  const F a = at_most(magnitude(x), 3.95F);
  return with_sign_of(in_pieces<fused>(a, at_least(a, 0.25F), 0.375F, kErfPieces), x);
}

// erfc(a) e^(a^2) in half octaves from 0.5 on; in the last one, beyond 9.3, results are subnormal.
// clang-format off
constexpr float kErfcPieces[][8] = {
    {2.49968529F, 3.49958277F, 4.99950409F, 7.64862108F, 0.625075102F, 0.874890685F, 1.24984503F, 1.7498281F},
    {0.210829765F, 0.155310899F, 0.110715218F, 0.073148638F, 0.556781411F, 0.464346111F, 0.367855281F, 0.284994751F},
    {-0.0743630454F, -0.0413324758F, -0.0213367976F, -0.00940673612F, -0.432318777F, -0.315874994F, -0.208854973F, -0.130995512F},
    {0.0249455515F, 0.0106644789F, 0.00404180912F, 0.00120006886F, 0.286549985F, 0.187989995F, 0.106818892F, 0.0557750985F},
    {-0.00800470263F, -0.00267415633F, -0.000753179076F, -0.000151915679F, -0.168799907F, -0.100935794F, -0.0502328277F, -0.0222666748F},
    {0.00246822089F, 0.000653022842F, 0.000138165662F, 1.90838309e-05F, 0.0904360488F, 0.0498483628F, 0.0220206864F, 0.00840796065F},
    {-0.000733568217F, -0.000155601985F, -2.49315126e-05F, -2.37211407e-06F, -0.0452381819F, -0.0229846928F, -0.00905520655F, -0.00299308542F},
    {0.000210924685F, 3.61446691e-05F, 4.44133957e-06F, 2.93776282e-07F, 0.028656438F, 0.00925740134F, 0.00349795027F, 0.00101207732F},
    {-6.12539225e-05F, -8.27800704e-06F, -8.32559408e-07F, -3.97108124e-08F, 0.00431882916F, -0.00209425576F, -0.00161281088F, -0.000611628639F},
    {1.67705111e-05F, 1.96304018e-06F, 1.43842996e-07F, 4.81498841e-09F, -0.232907698F, 0.0207366887F, 0.000919873884F, 0.000335800927F},
};
// clang-format on

/// 1 - erf x by a series, or e^(-a^2) times what changes slowly; the rounding of a^2 is made up
/// for.
template <bool fused, typename F>
inline F erfc_spec(F x) {
  const F a = at_most(magnitude(x), 10.06F);
  const F square = a * a;
  const F minus = square * -1.0F;
  F missing = square;
  if constexpr (fused) {
    missing = in_one_step(a, a, minus);
  } else {
    const F high = float_of(bits_of(a) & 0xfffff000U);
    const F low = a - high;
    missing = (high * high - square) + (high * low + high * low) + low * low;
  }
  constexpr float kBiased = kRoundFloat + 254.0F;
  const F shifted = multiply_add<fused>(square, -1.44269504F, kBiased);
  const F k = shifted - kBiased;
  const F high = multiply_add<fused>(k, -0.693359375F, minus);
  const F r = high + multiply_add<fused>(k, 2.12194440e-4F, missing * -1.0F);
  F q = multiply_add<fused>(r, 1.98412698e-4F, 1.38888889e-3F);
  q = multiply_add<fused>(q, r, 8.33333333e-3F);
  q = multiply_add<fused>(q, r, 4.16666667e-2F);
  q = multiply_add<fused>(q, r, 1.66666667e-1F);
  q = multiply_add<fused>(q, r, 0.5F);
  const F p = multiply_add<fused>(q, r * r, r);
  // 2^k in two factors, neither of which is subnormal.
  const auto both = bits_of(shifted) & 0x1ffU;
  const auto half = shift_right(both, 1);
  const F first = float_of(shift_left(half, 23));
  const F second = float_of(shift_left(both - half, 23));
  const auto index = shift_right(bits_of(at_most(at_least(a, 0.5F), 7.5F)), 22);
  const F t = a - lookup(index, kErfcPieces[0]);
  F slow = lookup(index, kErfcPieces[9]);
  for (size_t row = 8; row > 1; --row) {
    slow = multiply_add<fused>(slow, t, lookup(index, kErfcPieces[row]));
  }
  F product = p;
  if constexpr (fused) {
    slow = in_one_step(slow, t, lookup(index, kErfcPieces[1]));
    product = in_one_step(p, slow, slow);
  } else {
    const double wide = static_cast<double>(slow) * static_cast<double>(t) +
                        static_cast<double>(lookup(index, kErfcPieces[1]));
    product = static_cast<float>(static_cast<double>(p) * wide + wide);
  }
  const F tail = product * first * second;
  F series = multiply_add<fused>(square, 0.00466975803F, -0.0267300904F);
  series = multiply_add<fused>(series, square, 0.112823151F);
  series = multiply_add<fused>(series, square, -0.376125723F);
  series = multiply_add<fused>(series, square, 0.128379166F);
  const F near = 1.0F - multiply_add<fused>(series, x, x);
  return choose(a < 0.5F, near, choose(x < 0.0F, 2.0F - tail, tail));
}

// specified_NAME(x): the variant that holds in this process.
#define CATEN_ELEMENTARY1(fn)
#define CATEN_ELEMENTARY2(fn)
#define CATEN_ELEMENTARY_SPEC(fn, limit)                          \
  [[maybe_unused]] inline float specified_##fn(float x) {         \
    return is_fused() ? fn##_spec<true>(x) : fn##_spec<false>(x); \
  }
#define CATEN_ELEMENTARY_SPEC2(fn, limit, limit64, when64) CATEN_ELEMENTARY_SPEC(fn, limit)
#include "ir/support/elementary.def"
#undef CATEN_ELEMENTARY1
#undef CATEN_ELEMENTARY2
#undef CATEN_ELEMENTARY_SPEC
#undef CATEN_ELEMENTARY_SPEC2

}  // namespace
}  // namespace caten::elementary
