// Elementary functions of float without branches, tables or calls, so that a loop over an array
// vectorises: the one specification behind elementary::exp(float) and its neighbours and behind the
// vector routines of the runtime. Only operations that IEEE 754 defines to the bit are used and
// none may be contracted (-ffp-contract=off), so every instruction set gives the same bits.
//
// exp is computed in float with the low part of the reduced argument carried along (0.6 ulp); the
// others in double and rounded once (0.501 ulp). Everything has internal linkage: the file is
// compiled for several instruction sets, and the linker must not mix their copies.
#pragma once

#include <cstdint>

namespace caten::elementary {
namespace {

constexpr double kRoundDouble = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
constexpr float kRoundFloat = 12582912.0F;           // 1.5 * 2^23

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
inline float magnitude(float x) {
  return float_of(bits_of(x) & 0x7fffffffU);
}
inline float with_sign_of(float value, float sign) {
  return float_of(bits_of(value) | (bits_of(sign) & 0x80000000U));
}

/// e^x = 2^k (1 + h + r^2 q(r) - l) with x = k ln2 + h - l, r = h - l. Coefficients: Cephes.
inline float exp_spec(float x) {
  float a = x > 89.0F ? 89.0F : x;
  a = a < -105.0F ? -105.0F : a;
  const float shifted = a * 1.44269504088896341F + kRoundFloat;
  const float k = shifted - kRoundFloat;
  const float high = a - k * 0.693359375F;
  const float low = k * -2.12194440e-4F;
  const float r = high - low;
  float q = 1.9875691500e-4F;
  q = q * r + 1.3981999507e-3F;
  q = q * r + 8.3334519073e-3F;
  q = q * r + 4.1665795894e-2F;
  q = q * r + 1.6666665459e-1F;
  q = q * r + 5.0000001201e-1F;
  const float m = 1.0F + (high + (q * (r * r) - low));
  // 2^k in two factors, so that subnormal results round once and large ones overflow.
  const uint32_t n = bits_of(shifted) - bits_of(kRoundFloat);
  const auto half = static_cast<uint32_t>(static_cast<int32_t>(n) >> 1);
  const float first = float_of((half + 127U) << 23);
  const float second = float_of((n - half + 127U) << 23);
  return m * first * second;
}

/// e^x for |x| <= 40 or so, to 1e-13.
inline double exp_double(double x) {
  const double shifted = x * 1.4426950408889634 + kRoundDouble;
  const double k = shifted - kRoundDouble;
  const double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
  // Estrin's scheme: short chains of dependent operations.
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double p01 = 1.0 + r;
  const double p23 = 0.5 + 0.16666666666666666 * r;
  const double p45 = 4.1666666666666664e-02 + 8.333333333333333e-03 * r;
  const double p67 = 1.388888888888889e-03 + 1.984126984126984e-04 * r;
  const double p89 = 2.48015873015873e-05 + 2.7557319223985893e-06 * r;
  const double p = ((p01 + p23 * r2) + (p45 + p67 * r2) * r4) + p89 * (r4 * r4);
  const uint64_t n = bits_of(shifted) - bits_of(kRoundDouble);
  return p * double_of((n + 1023U) << 52);
}

/// x = 2^k m with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh((m - 1) / (m + 1)). fdlibm's series.
inline float log_spec(float x) {
  const double wide = static_cast<double>(x);  // subnormal floats are normal doubles
  const uint64_t bits = bits_of(wide);
  const uint64_t k_bits = (bits - 0x3fe6a09e00000000U) >> 52;  // biased by nothing, 12 bits
  const uint64_t m_bits = bits - (k_bits << 52);
  // The exponent as a double: 12 bits two's complement through the magic number.
  const double k =
      double_of(0x4330000000000000U | ((k_bits + 2048U) & 4095U)) - (4503599627370496.0 + 2048.0);
  const double f = double_of(m_bits) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double p = 1.531383769920937332e-01;
  p = p * z + 1.818357216161805012e-01;
  p = p * z + 2.222219843214978396e-01;
  p = p * z + 2.857142874366239149e-01;
  p = p * z + 3.999999999940941908e-01;
  p = p * z + 6.666666666666735130e-01;
  const double half = 0.5 * f * f;
  const double value = k * 0.693147180559945309 + (f - (half - s * (half + p * z)));
  auto result = static_cast<float>(value);
  const float infinity = __builtin_inff();
  result = x == infinity ? x : result;
  result = x == 0.0F ? -infinity : result;
  return x >= 0.0F ? result : __builtin_nanf("");
}

/// Arguments of sin_spec and cos_spec: larger ones need more of pi than it carries.
constexpr float kSinLimit = 1.0e6F;

/// sin(x + quadrants * pi / 2), |x| <= kSinLimit. Coefficients: fdlibm's sinf and cosf.
inline float sin_reduced(float x, uint64_t quadrants) {
  const double wide = static_cast<double>(x);
  const double shifted = wide * 0.63661977236758134308 + kRoundDouble;
  const double k = shifted - kRoundDouble;
  // pi/2 in two parts of which the first has 33 bits: k times it is exact.
  const double r = (wide - k * 1.57079632673412561417) - k * 6.07710050650619224932e-11;
  const uint64_t n = (bits_of(shifted) - bits_of(kRoundDouble)) + quadrants;
  const double z = r * r;
  double sine = 2.718311493989822e-06;
  sine = sine * z + -1.98393348360966e-04;
  sine = sine * z + 8.33332938588946e-03;
  sine = sine * z + -0.16666666641626524;
  sine = r + r * z * sine;
  double cosine = 2.439044879627741e-05;
  cosine = cosine * z + -1.388676377460993e-03;
  cosine = cosine * z + 4.16666233237390e-02;
  cosine = cosine * z + -0.499999997251031;
  cosine = 1.0 + z * cosine;
  const uint64_t odd = 0U - (n & 1U);  // all ones or none
  const uint64_t chosen = (bits_of(cosine) & odd) | (bits_of(sine) & ~odd);
  return static_cast<float>(double_of(chosen ^ ((n & 2U) << 62)));
}
inline float sin_spec(float x) {
  const float result = sin_reduced(x, 0);
  return x == 0.0F ? x : result;
}
inline float cos_spec(float x) {
  return sin_reduced(x, 1);
}

/// 1 - 2 / (e^2x + 1); a short series where that would cancel.
inline float tanh_spec(float x) {
  float a = magnitude(x);
  a = a > 10.0F ? 10.0F : a;
  const double wide = static_cast<double>(a);
  const double large = 1.0 - 2.0 / (exp_double(2.0 * wide) + 1.0);
  const double z = wide * wide;
  const double small =
      wide +
      wide * z * (-0.3333333333333333 + z * (0.13333333333333333 + z * -0.05396825396825397));
  const double chosen = a < 0.0625F ? small : large;
  return with_sign_of(static_cast<float>(chosen), x);
}

/// x P(x^2) up to 1, 1 - e^Q(x) up to 4, then 1.
inline float erf_spec(float x) {
  float a = magnitude(x);
  a = a > 4.0F ? 4.0F : a;
  const double wide = static_cast<double>(a);
  const double z = wide * wide;
  const double z2 = z * z;
  const double z4 = z2 * z2;
  const double s01 = 1.1283791670946952 + -0.3761263888986815 * z;
  const double s23 = 0.1128379131348251 + -0.02686613362438264 * z;
  const double s45 = 0.005223785003222404 + -0.0008542670491628716 * z;
  const double s67 = 0.0001195694597811326 + -1.3911696203194886e-05 * z;
  const double s8 = 1.0595264029689136e-06 * (z4 * z4);
  const double small = wide * (((s01 + s23 * z2) + (s45 + s67 * z2) * z4) + s8);
  const double q01 = 0.0003032129647184689 + -1.130166675488449 * wide;
  const double q23 = -0.6319370937015695 + -0.10997824509650114 * wide;
  const double q45 = 0.026364717345251365 + -0.004740222335335665 * wide;
  const double q67 = 0.0005927695364572809 + -4.559062227952844e-05 * wide;
  const double q8 = 1.614061594457956e-06 * (z2 * z2);
  const double q = ((q01 + q23 * z) + (q45 + q67 * z) * z2) + q8;
  const double large = 1.0 - exp_double(q);
  const double chosen = a < 1.0F ? small : large;
  return with_sign_of(static_cast<float>(chosen), x);
}

}  // namespace
}  // namespace caten::elementary
