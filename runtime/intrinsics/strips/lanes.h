// Vectors of GCC and clang, the first lanes of one in memory (what lies behind them is neither read
// nor written), fused products.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace caten::runtime::strips {
namespace {

template <typename T, int64_t bytes>
struct LanesOf {
  typedef T Type __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
};
/// As many T as there are in so many bytes, at any address that suits a T.
template <typename T, int64_t bytes>
using Lanes = typename LanesOf<T, bytes>::Type;

#ifdef __AVX2__
/// Ones in the first `words` of eight lanes of four bytes.
inline __m256i first_words(int64_t words) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(words)), lane);
}
#endif

/// a * b + c of vectors of T, rounded once where the instruction set can: compilers contract the
/// expression at some levels of optimisation only.
template <typename T, typename V>
inline V multiply_add(V a, V b, V c) {
#ifdef __AVX512F__
  if constexpr (std::is_same_v<T, float> && sizeof(V) == 64) {
    return _mm512_fmadd_ps(a, b, c);
  }
  if constexpr (std::is_same_v<T, double> && sizeof(V) == 64) {
    return _mm512_fmadd_pd(a, b, c);
  }
#endif
#ifdef __AVX2__
  if constexpr (std::is_same_v<T, float> && sizeof(V) == 32) {
    return _mm256_fmadd_ps(a, b, c);
  }
  if constexpr (std::is_same_v<T, double> && sizeof(V) == 32) {
    return _mm256_fmadd_pd(a, b, c);
  }
#endif
#ifdef __aarch64__
  if constexpr (std::is_same_v<T, float> && sizeof(V) == 16) {
    return reinterpret_cast<V>(vfmaq_f32(reinterpret_cast<float32x4_t>(c),
                                         reinterpret_cast<float32x4_t>(a),
                                         reinterpret_cast<float32x4_t>(b)));
  }
  if constexpr (std::is_same_v<T, double> && sizeof(V) == 16) {
    return reinterpret_cast<V>(vfmaq_f64(reinterpret_cast<float64x2_t>(c),
                                         reinterpret_cast<float64x2_t>(a),
                                         reinterpret_cast<float64x2_t>(b)));
  }
#endif
  return a * b + c;
}

/// The first `count` elements, zero behind them.
template <typename V, typename T>
inline V load_some(const T* from, int64_t count) {
  [[maybe_unused]] const int64_t words = count * static_cast<int64_t>(sizeof(T)) / 4;
#ifdef __AVX512F__
  if constexpr (sizeof(V) == 64 && sizeof(T) % 4 == 0) {
    return reinterpret_cast<V>(
        _mm512_maskz_loadu_epi32(static_cast<__mmask16>((1U << words) - 1), from));
  }
#endif
#ifdef __AVX2__
  if constexpr (sizeof(V) == 32 && sizeof(T) % 4 == 0) {
    return reinterpret_cast<V>(
        _mm256_maskload_epi32(reinterpret_cast<const int*>(from), first_words(words)));
  }
#endif
  V out{};
  std::memcpy(&out, from, static_cast<size_t>(count) * sizeof(T));
  return out;
}

template <typename V, typename T>
inline void store_some(T* to, V value, int64_t count) {
  [[maybe_unused]] const int64_t words = count * static_cast<int64_t>(sizeof(T)) / 4;
#ifdef __AVX512F__
  if constexpr (sizeof(V) == 64 && sizeof(T) % 4 == 0) {
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1U << words) - 1),
                             reinterpret_cast<__m512i>(value));
    return;
  }
#endif
#ifdef __AVX2__
  if constexpr (sizeof(V) == 32 && sizeof(T) % 4 == 0) {
    _mm256_maskstore_epi32(reinterpret_cast<int*>(to), first_words(words),
                           reinterpret_cast<__m256i>(value));
    return;
  }
#endif
  std::memcpy(to, &value, static_cast<size_t>(count) * sizeof(T));
}

}  // namespace
}  // namespace caten::runtime::strips
