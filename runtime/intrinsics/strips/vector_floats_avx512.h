// What AVX-512 has of its own for vector_floats.h: sixteen floats or eight doubles, masks in mask
// registers.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define CATEN_MM(name) _mm512_##name

namespace caten::elementary {
namespace {

using FloatVector = __m512;
using DoubleVector = __m512d;
using IntVector = __m512i;
using FloatMask = __mmask16;
using DoubleMask = __mmask8;

template <int predicate>
FloatMask compare(FloatVector a, FloatVector b) {
  return _mm512_cmp_ps_mask(a, b, predicate);
}
template <int predicate>
DoubleMask compare(DoubleVector a, DoubleVector b) {
  return _mm512_cmp_pd_mask(a, b, predicate);
}
inline FloatVector blend(FloatMask mask, FloatVector a, FloatVector b) {
  return _mm512_mask_blend_ps(mask, b, a);
}
inline DoubleVector blend(DoubleMask mask, DoubleVector a, DoubleVector b) {
  return _mm512_mask_blend_pd(mask, b, a);
}
template <typename M>
M both(M a, M b) {
  return static_cast<M>(a & b);
}
template <typename M>
M opposite(M mask) {
  return static_cast<M>(~mask);
}
template <typename M>
bool is_set(M mask) {
  return mask != 0;
}
inline FloatMask odd_32(IntVector x) {
  return _mm512_test_epi32_mask(x, _mm512_set1_epi32(1));
}
inline DoubleMask odd_64(IntVector x) {
  return _mm512_test_epi64_mask(x, _mm512_set1_epi64(1));
}
inline IntVector every_64(uint64_t number) {
  return _mm512_set1_epi64(static_cast<long long>(number));
}
inline FloatVector chosen_of_eight(IntVector index, const float* table) {
  return _mm512_permutexvar_ps(index, _mm512_broadcast_f32x8(_mm256_loadu_ps(table)));
}
inline DoubleVector lower(FloatVector x) {
  return _mm512_cvtps_pd(_mm512_castps512_ps256(x));
}
inline DoubleVector upper(FloatVector x) {
  return _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
}
inline FloatVector joined(DoubleVector lower, DoubleVector upper) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(lower)), _mm512_cvtpd_ps(upper),
                            1);
}

}  // namespace
}  // namespace caten::elementary
