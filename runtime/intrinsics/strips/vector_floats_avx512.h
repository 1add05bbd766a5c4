// Sixteen floats and eight doubles of AVX-512: see vector_floats.h.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace caten::elementary {
namespace {

struct Floats {
  __m512 v;
  Floats(__m512 vector) : v(vector) {}
  Floats(float number) : v(_mm512_set1_ps(number)) {}
};
struct Bits {
  __m512i v;
  Bits() : v(_mm512_setzero_si512()) {}
  Bits(__m512i vector) : v(vector) {}
  Bits(uint32_t number) : v(_mm512_set1_epi32(static_cast<int>(number))) {}
};
struct Mask {
  __mmask16 v;
};

#define CATEN_FLOATS(op, intrinsic)               \
  inline Floats operator op(Floats a, Floats b) { \
    return intrinsic(a.v, b.v);                   \
  }
CATEN_FLOATS(+, _mm512_add_ps)
CATEN_FLOATS(-, _mm512_sub_ps)
CATEN_FLOATS(*, _mm512_mul_ps)
CATEN_FLOATS(/, _mm512_div_ps)
#undef CATEN_FLOATS
#define CATEN_BITS(op, intrinsic)           \
  inline Bits operator op(Bits a, Bits b) { \
    return intrinsic(a.v, b.v);             \
  }
CATEN_BITS(+, _mm512_add_epi32)
CATEN_BITS(-, _mm512_sub_epi32)
CATEN_BITS(&, _mm512_and_si512)
CATEN_BITS(|, _mm512_or_si512)
CATEN_BITS(^, _mm512_xor_si512)
#undef CATEN_BITS
#define CATEN_COMPARE(op, predicate)                  \
  inline Mask operator op(Floats a, Floats b) {       \
    return {_mm512_cmp_ps_mask(a.v, b.v, predicate)}; \
  }
CATEN_COMPARE(<, _CMP_LT_OQ)
CATEN_COMPARE(>, _CMP_GT_OQ)
CATEN_COMPARE(>=, _CMP_GE_OQ)
CATEN_COMPARE(==, _CMP_EQ_OQ)
#undef CATEN_COMPARE

inline Bits bits_of(Floats x) {
  return _mm512_castps_si512(x.v);
}
inline Floats float_of(Bits x) {
  return _mm512_castsi512_ps(x.v);
}
inline Floats in_one_step(Floats a, Floats b, Floats c) {
  return _mm512_fmadd_ps(a.v, b.v, c.v);
}
inline Floats at_most(Floats x, float most) {
  return _mm512_min_ps(_mm512_set1_ps(most), x.v);  // a NaN stays when it is the second
}
inline Floats at_least(Floats x, float least) {
  return _mm512_max_ps(_mm512_set1_ps(least), x.v);
}
inline Floats choose(Mask condition, Floats a, Floats b) {
  return _mm512_mask_blend_ps(condition.v, b.v, a.v);
}
inline Floats signed_to_float(Bits x) {
  return _mm512_cvtepi32_ps(x.v);
}
inline Bits shift_left(Bits x, int count) {
  return _mm512_slli_epi32(x.v, static_cast<unsigned>(count));
}
inline Bits shift_right(Bits x, int count) {
  return _mm512_srli_epi32(x.v, static_cast<unsigned>(count));
}
inline Bits shift_right_signed(Bits x, int count) {
  return _mm512_srai_epi32(x.v, static_cast<unsigned>(count));
}
inline Mask is_odd(Bits x) {
  return {_mm512_test_epi32_mask(x.v, _mm512_set1_epi32(1))};
}
inline Floats lookup(Bits index, const float (&table)[8]) {
  return _mm512_permutexvar_ps(index.v, _mm512_broadcast_f32x8(_mm256_loadu_ps(table)));
}

/// Four doubles.
struct Doubles {
  __m512d v;
  Doubles(__m512d vector) : v(vector) {}
  Doubles(double number) : v(_mm512_set1_pd(number)) {}
};
struct Bits64 {
  __m512i v;
  Bits64(__m512i vector) : v(vector) {}
  Bits64(uint64_t number) : v(_mm512_set1_epi64(static_cast<long long>(number))) {}
};
struct Mask64 {
  __mmask8 v;
};

#define CATEN_DOUBLES(op, intrinsic)                 \
  inline Doubles operator op(Doubles a, Doubles b) { \
    return intrinsic(a.v, b.v);                      \
  }
CATEN_DOUBLES(+, _mm512_add_pd)
CATEN_DOUBLES(-, _mm512_sub_pd)
CATEN_DOUBLES(*, _mm512_mul_pd)
CATEN_DOUBLES(/, _mm512_div_pd)
#undef CATEN_DOUBLES
#define CATEN_BITS64(op, intrinsic)               \
  inline Bits64 operator op(Bits64 a, Bits64 b) { \
    return intrinsic(a.v, b.v);                   \
  }
CATEN_BITS64(+, _mm512_add_epi64)
CATEN_BITS64(-, _mm512_sub_epi64)
CATEN_BITS64(&, _mm512_and_si512)
CATEN_BITS64(|, _mm512_or_si512)
CATEN_BITS64(^, _mm512_xor_si512)
#undef CATEN_BITS64
#define CATEN_COMPARE64(op, predicate)                \
  inline Mask64 operator op(Doubles a, Doubles b) {   \
    return {_mm512_cmp_pd_mask(a.v, b.v, predicate)}; \
  }
CATEN_COMPARE64(<, _CMP_LT_OQ)
CATEN_COMPARE64(>, _CMP_GT_OQ)
CATEN_COMPARE64(>=, _CMP_GE_OQ)
CATEN_COMPARE64(==, _CMP_EQ_OQ)
#undef CATEN_COMPARE64

inline Bits64 bits_of(Doubles x) {
  return _mm512_castpd_si512(x.v);
}
inline Doubles double_of(Bits64 x) {
  return _mm512_castsi512_pd(x.v);
}
inline Doubles in_one_step(Doubles a, Doubles b, Doubles c) {
  return _mm512_fmadd_pd(a.v, b.v, c.v);
}
inline Doubles at_most(Doubles x, double most) {
  return _mm512_min_pd(_mm512_set1_pd(most), x.v);
}
inline Doubles at_least(Doubles x, double least) {
  return _mm512_max_pd(_mm512_set1_pd(least), x.v);
}
inline Doubles choose(Mask64 condition, Doubles a, Doubles b) {
  return _mm512_mask_blend_pd(condition.v, b.v, a.v);
}
inline Bits64 shift_left(Bits64 x, int count) {
  return _mm512_slli_epi64(x.v, static_cast<unsigned>(count));
}
inline Bits64 shift_right(Bits64 x, int count) {
  return _mm512_srli_epi64(x.v, static_cast<unsigned>(count));
}
inline Mask64 is_odd(Bits64 x) {
  return {_mm512_test_epi64_mask(x.v, _mm512_set1_epi64(1))};
}
inline Mask64 operator&(Mask64 a, Mask64 b) {
  return {static_cast<__mmask8>(a.v & b.v)};
}
inline Mask64 operator!(Mask64 mask) {
  return {static_cast<__mmask8>(~mask.v)};
}
inline bool any(Mask64 mask) {
  return mask.v != 0;
}

inline Floats loaded(const float* x) {
  return _mm512_loadu_ps(x);
}
inline Doubles loaded(const double* x) {
  return _mm512_loadu_pd(x);
}
inline void store(float* to, Floats x) {
  _mm512_storeu_ps(to, x.v);
}
inline void store(double* to, Doubles x) {
  _mm512_storeu_pd(to, x.v);
}
inline bool any(Mask mask) {
  return mask.v != 0;
}
inline Mask operator&(Mask a, Mask b) {
  return {static_cast<__mmask16>(a.v & b.v)};
}
inline Mask operator!(Mask mask) {
  return {static_cast<__mmask16>(~mask.v)};
}
inline Doubles first_half(Floats x) {
  return _mm512_cvtps_pd(_mm512_castps512_ps256(x.v));
}
inline Doubles second_half(Floats x) {
  return _mm512_cvtps_pd(_mm512_extractf32x8_ps(x.v, 1));
}
inline Floats narrowed(Doubles first, Doubles second) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(first.v)),
                            _mm512_cvtpd_ps(second.v), 1);
}

}  // namespace
}  // namespace caten::elementary
