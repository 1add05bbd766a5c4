// What AVX2 has of its own for vector_floats.h: eight floats or four doubles, masks in vectors.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define CATEN_MM(name) _mm256_##name

namespace caten::elementary {
namespace {

using FloatVector = __m256;
using DoubleVector = __m256d;
using IntVector = __m256i;
using FloatMask = __m256;
using DoubleMask = __m256d;

template <int predicate>
FloatMask compare(FloatVector a, FloatVector b) {
  return _mm256_cmp_ps(a, b, predicate);
}
template <int predicate>
DoubleMask compare(DoubleVector a, DoubleVector b) {
  return _mm256_cmp_pd(a, b, predicate);
}
inline FloatVector blend(FloatMask mask, FloatVector a, FloatVector b) {
  return _mm256_blendv_ps(b, a, mask);
}
inline DoubleVector blend(DoubleMask mask, DoubleVector a, DoubleVector b) {
  return _mm256_blendv_pd(b, a, mask);
}
inline FloatMask both(FloatMask a, FloatMask b) {
  return _mm256_and_ps(a, b);
}
inline DoubleMask both(DoubleMask a, DoubleMask b) {
  return _mm256_and_pd(a, b);
}
inline FloatMask opposite(FloatMask mask) {
  return _mm256_xor_ps(mask, _mm256_castsi256_ps(_mm256_set1_epi32(-1)));
}
inline DoubleMask opposite(DoubleMask mask) {
  return _mm256_xor_pd(mask, _mm256_castsi256_pd(_mm256_set1_epi32(-1)));
}
inline bool is_set(FloatMask mask) {
  return _mm256_movemask_ps(mask) != 0;
}
inline bool is_set(DoubleMask mask) {
  return _mm256_movemask_pd(mask) != 0;
}
inline FloatMask odd_32(IntVector x) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(x, 31));
}
inline DoubleMask odd_64(IntVector x) {
  return _mm256_castsi256_pd(_mm256_slli_epi64(x, 63));
}
inline IntVector every_64(uint64_t number) {
  return _mm256_set1_epi64x(static_cast<long long>(number));
}
inline FloatVector chosen_of_eight(IntVector index, const float* table) {
  return _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), index);
}
inline DoubleVector lower(FloatVector x) {
  return _mm256_cvtps_pd(_mm256_castps256_ps128(x));
}
inline DoubleVector upper(FloatVector x) {
  return _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
}
inline FloatVector joined(DoubleVector lower, DoubleVector upper) {
  return _mm256_set_m128(_mm256_cvtpd_ps(upper), _mm256_cvtpd_ps(lower));
}

}  // namespace
}  // namespace caten::elementary
