// Eight floats and four doubles of AVX2: see vector_floats.h.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace caten::elementary {
namespace {

struct Floats {
  __m256 v;
  Floats(__m256 vector) : v(vector) {}
  Floats(float number) : v(_mm256_set1_ps(number)) {}
};
struct Bits {
  __m256i v;
  Bits() : v(_mm256_setzero_si256()) {}
  Bits(__m256i vector) : v(vector) {}
  Bits(uint32_t number) : v(_mm256_set1_epi32(static_cast<int>(number))) {}
};
struct Mask {
  __m256 v;
};

#define CATEN_FLOATS(op, intrinsic)               \
  inline Floats operator op(Floats a, Floats b) { \
    return intrinsic(a.v, b.v);                   \
  }
CATEN_FLOATS(+, _mm256_add_ps)
CATEN_FLOATS(-, _mm256_sub_ps)
CATEN_FLOATS(*, _mm256_mul_ps)
CATEN_FLOATS(/, _mm256_div_ps)
#undef CATEN_FLOATS
#define CATEN_BITS(op, intrinsic)           \
  inline Bits operator op(Bits a, Bits b) { \
    return intrinsic(a.v, b.v);             \
  }
CATEN_BITS(+, _mm256_add_epi32)
CATEN_BITS(-, _mm256_sub_epi32)
CATEN_BITS(&, _mm256_and_si256)
CATEN_BITS(|, _mm256_or_si256)
CATEN_BITS(^, _mm256_xor_si256)
#undef CATEN_BITS
#define CATEN_COMPARE(op, predicate)             \
  inline Mask operator op(Floats a, Floats b) {  \
    return {_mm256_cmp_ps(a.v, b.v, predicate)}; \
  }
CATEN_COMPARE(<, _CMP_LT_OQ)
CATEN_COMPARE(>, _CMP_GT_OQ)
CATEN_COMPARE(>=, _CMP_GE_OQ)
CATEN_COMPARE(==, _CMP_EQ_OQ)
#undef CATEN_COMPARE

inline Bits bits_of(Floats x) {
  return _mm256_castps_si256(x.v);
}
inline Floats float_of(Bits x) {
  return _mm256_castsi256_ps(x.v);
}
inline Floats in_one_step(Floats a, Floats b, Floats c) {
  return _mm256_fmadd_ps(a.v, b.v, c.v);
}
inline Floats at_most(Floats x, float most) {
  return _mm256_min_ps(_mm256_set1_ps(most), x.v);  // a NaN stays when it is the second
}
inline Floats at_least(Floats x, float least) {
  return _mm256_max_ps(_mm256_set1_ps(least), x.v);
}
inline Floats choose(Mask condition, Floats a, Floats b) {
  return _mm256_blendv_ps(b.v, a.v, condition.v);
}
inline Floats signed_to_float(Bits x) {
  return _mm256_cvtepi32_ps(x.v);
}
inline Bits shift_left(Bits x, int count) {
  return _mm256_slli_epi32(x.v, count);
}
inline Bits shift_right(Bits x, int count) {
  return _mm256_srli_epi32(x.v, count);
}
inline Bits shift_right_signed(Bits x, int count) {
  return _mm256_srai_epi32(x.v, count);
}
inline Mask is_odd(Bits x) {
  return {_mm256_castsi256_ps(_mm256_slli_epi32(x.v, 31))};
}
inline Floats lookup(Bits index, const float (&table)[8]) {
  return _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), index.v);
}

/// Four doubles.
struct Doubles {
  __m256d v;
  Doubles(__m256d vector) : v(vector) {}
  Doubles(double number) : v(_mm256_set1_pd(number)) {}
};
struct Bits64 {
  __m256i v;
  Bits64(__m256i vector) : v(vector) {}
  Bits64(uint64_t number) : v(_mm256_set1_epi64x(static_cast<long long>(number))) {}
};
struct Mask64 {
  __m256d v;
};

#define CATEN_DOUBLES(op, intrinsic)                 \
  inline Doubles operator op(Doubles a, Doubles b) { \
    return intrinsic(a.v, b.v);                      \
  }
CATEN_DOUBLES(+, _mm256_add_pd)
CATEN_DOUBLES(-, _mm256_sub_pd)
CATEN_DOUBLES(*, _mm256_mul_pd)
CATEN_DOUBLES(/, _mm256_div_pd)
#undef CATEN_DOUBLES
#define CATEN_BITS64(op, intrinsic)               \
  inline Bits64 operator op(Bits64 a, Bits64 b) { \
    return intrinsic(a.v, b.v);                   \
  }
CATEN_BITS64(+, _mm256_add_epi64)
CATEN_BITS64(-, _mm256_sub_epi64)
CATEN_BITS64(&, _mm256_and_si256)
CATEN_BITS64(|, _mm256_or_si256)
CATEN_BITS64(^, _mm256_xor_si256)
#undef CATEN_BITS64
#define CATEN_COMPARE64(op, predicate)              \
  inline Mask64 operator op(Doubles a, Doubles b) { \
    return {_mm256_cmp_pd(a.v, b.v, predicate)};    \
  }
CATEN_COMPARE64(<, _CMP_LT_OQ)
CATEN_COMPARE64(>, _CMP_GT_OQ)
CATEN_COMPARE64(>=, _CMP_GE_OQ)
CATEN_COMPARE64(==, _CMP_EQ_OQ)
#undef CATEN_COMPARE64

inline Bits64 bits_of(Doubles x) {
  return _mm256_castpd_si256(x.v);
}
inline Doubles double_of(Bits64 x) {
  return _mm256_castsi256_pd(x.v);
}
inline Doubles in_one_step(Doubles a, Doubles b, Doubles c) {
  return _mm256_fmadd_pd(a.v, b.v, c.v);
}
inline Doubles at_most(Doubles x, double most) {
  return _mm256_min_pd(_mm256_set1_pd(most), x.v);
}
inline Doubles at_least(Doubles x, double least) {
  return _mm256_max_pd(_mm256_set1_pd(least), x.v);
}
inline Doubles choose(Mask64 condition, Doubles a, Doubles b) {
  return _mm256_blendv_pd(b.v, a.v, condition.v);
}
inline Bits64 shift_left(Bits64 x, int count) {
  return _mm256_slli_epi64(x.v, count);
}
inline Bits64 shift_right(Bits64 x, int count) {
  return _mm256_srli_epi64(x.v, count);
}
inline Mask64 is_odd(Bits64 x) {
  return {_mm256_castsi256_pd(_mm256_slli_epi64(x.v, 63))};
}
inline Mask64 operator&(Mask64 a, Mask64 b) {
  return {_mm256_and_pd(a.v, b.v)};
}
inline Mask64 operator!(Mask64 mask) {
  return {_mm256_xor_pd(mask.v, _mm256_castsi256_pd(_mm256_set1_epi32(-1)))};
}
inline bool any(Mask64 mask) {
  return _mm256_movemask_pd(mask.v) != 0;
}

inline Floats loaded(const float* x) {
  return _mm256_loadu_ps(x);
}
inline Doubles loaded(const double* x) {
  return _mm256_loadu_pd(x);
}
inline void store(float* to, Floats x) {
  _mm256_storeu_ps(to, x.v);
}
inline void store(double* to, Doubles x) {
  _mm256_storeu_pd(to, x.v);
}
inline bool any(Mask mask) {
  return _mm256_movemask_ps(mask.v) != 0;
}
inline Mask operator&(Mask a, Mask b) {
  return {_mm256_and_ps(a.v, b.v)};
}
inline Mask operator!(Mask mask) {
  return {_mm256_xor_ps(mask.v, _mm256_castsi256_ps(_mm256_set1_epi32(-1)))};
}
inline Doubles first_half(Floats x) {
  return _mm256_cvtps_pd(_mm256_castps256_ps128(x.v));
}
inline Doubles second_half(Floats x) {
  return _mm256_cvtps_pd(_mm256_extractf128_ps(x.v, 1));
}
inline Floats narrowed(Doubles first, Doubles second) {
  return _mm256_set_m128(_mm256_cvtpd_ps(second.v), _mm256_cvtpd_ps(first.v));
}

}  // namespace
}  // namespace caten::elementary
