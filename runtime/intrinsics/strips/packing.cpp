// Matrices into packed panels (panels.h).
#include <algorithm>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "runtime/intrinsics/strips/lanes.h"
#include "runtime/intrinsics/strips/loops.h"
#include "runtime/intrinsics/strips/panels.h"

namespace caten::runtime::strips {
namespace {

/// Four elements of four lines that lie `stride` apart as columns: out[k * lanes + line]. Pairs of
/// lines, then pairs of pairs.
template <int64_t lanes, typename T>
inline void turn_four(T* out, const T* x, int64_t stride) {
  using V = Lanes<T, 4 * sizeof(T)>;
  V line[4];
  for (int64_t l = 0; l < 4; ++l) {
    line[l] = *reinterpret_cast<const V*>(x + l * stride);
  }
  const V low01 = __builtin_shufflevector(line[0], line[1], 0, 4, 1, 5);
  const V high01 = __builtin_shufflevector(line[0], line[1], 2, 6, 3, 7);
  const V low23 = __builtin_shufflevector(line[2], line[3], 0, 4, 1, 5);
  const V high23 = __builtin_shufflevector(line[2], line[3], 2, 6, 3, 7);
  const V columns[] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                       __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                       __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                       __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  for (int64_t k = 0; k < 4; ++k) {
    *reinterpret_cast<V*>(out + k * lanes) = columns[k];
  }
}

#ifdef __AVX2__
/// The same for eight floats of each line, in both halves of the vectors.
template <int64_t lanes>
inline void turn_four_by_eight(float* out, const float* x, int64_t stride) {
  const auto pair = [&](int64_t l, bool high) {
    const __m256 even = _mm256_loadu_ps(x + l * stride);
    const __m256 odd = _mm256_loadu_ps(x + (l + 1) * stride);
    return _mm256_castps_pd(high ? _mm256_unpackhi_ps(even, odd) : _mm256_unpacklo_ps(even, odd));
  };
  const auto put = [&](int64_t k, __m256d four) {
    _mm_storeu_ps(out + k * lanes, _mm_castpd_ps(_mm256_castpd256_pd128(four)));
    _mm_storeu_ps(out + (k + 4) * lanes, _mm_castpd_ps(_mm256_extractf128_pd(four, 1)));
  };
  put(0, _mm256_unpacklo_pd(pair(0, false), pair(2, false)));
  put(1, _mm256_unpackhi_pd(pair(0, false), pair(2, false)));
  put(2, _mm256_unpacklo_pd(pair(0, true), pair(2, true)));
  put(3, _mm256_unpackhi_pd(pair(0, true), pair(2, true)));
}
#endif

#if defined(__AVX2__) && !defined(__AVX512F__)
/// The same for all six lines of a panel.
inline void turn_six_by_eight(float* out, const float* x, int64_t stride) {
  const auto line = [&](int64_t l) { return _mm256_loadu_ps(x + l * stride); };
  const auto doubles = [](__m256 v) { return _mm256_castps_pd(v); };
  const __m256d low01 = doubles(_mm256_unpacklo_ps(line(0), line(1)));
  const __m256d high01 = doubles(_mm256_unpackhi_ps(line(0), line(1)));
  const __m256d low23 = doubles(_mm256_unpacklo_ps(line(2), line(3)));
  const __m256d high23 = doubles(_mm256_unpackhi_ps(line(2), line(3)));
  const __m256d low45 = doubles(_mm256_unpacklo_ps(line(4), line(5)));
  const __m256d high45 = doubles(_mm256_unpackhi_ps(line(4), line(5)));
  // In their halves: k of 0, 1 and of 4, 5; then of 2, 3 and of 6, 7.
  const __m256d parts[] = {
      _mm256_unpacklo_pd(low01, low23),          _mm256_shuffle_pd(low45, low01, 0b1010),
      _mm256_unpackhi_pd(low23, low45),          _mm256_unpacklo_pd(high01, high23),
      _mm256_shuffle_pd(high45, high01, 0b1010), _mm256_unpackhi_pd(high23, high45)};
  auto* place = reinterpret_cast<double*>(out);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    _mm256_storeu_pd(place + 4 * i, _mm256_permute2f128_pd(parts[2 * i], parts[2 * i + 1], 0x20));
    _mm256_storeu_pd(place + 12 + 4 * i,
                     _mm256_permute2f128_pd(parts[2 * i], parts[2 * i + 1], 0x31));
  }
}
#endif

/// The first `count` lanes of a panel from lines that are contiguous each; returns from which term
/// on nothing is done yet.
template <typename T, int64_t lanes>
int64_t turn_lines(T* out, const T* x, int64_t count, int64_t depth, int64_t stride) {
  int64_t k = 0;
#ifdef __AVX2__
  if constexpr (sizeof(T) == sizeof(float)) {  // only bits are moved
    auto* to = reinterpret_cast<float*>(out);
    const auto* from = reinterpret_cast<const float*>(x);
#ifndef __AVX512F__
    if (lanes == 6 && count == lanes) {
      for (; k + 8 <= depth; k += 8) {
        turn_six_by_eight(to + k * lanes, from + k, stride);
      }
    }
#endif
    if (count % 4 == 0) {
      for (; k + 8 <= depth; k += 8) {
        for (int64_t line = 0; line < count; line += 4) {
          turn_four_by_eight<lanes>(to + k * lanes + line, from + line * stride + k, stride);
        }
      }
    }
  }
#endif
  for (; k + 4 <= depth; k += 4) {
    int64_t line = 0;
    for (; line + 4 <= count; line += 4) {
      turn_four<lanes>(out + k * lanes + line, x + line * stride + k, stride);
    }
    for (; line < count; ++line) {
      for (int64_t i = 0; i < 4; ++i) {
        out[(k + i) * lanes + line] = x[line * stride + k + i];
      }
    }
  }
  return k;
}

/// All whole panels of lines that are neighbours, several k at a time: memory is read and written
/// in long pieces.
template <typename T, int64_t lanes>
void copy_panels(T* out, const T* x, int64_t lines, int64_t depth, int64_t k_stride) {
  constexpr int64_t kTogether = 8;
  for (int64_t k = 0; k < depth; k += kTogether) {
    const int64_t count = std::min(depth - k, kTogether);
    for (int64_t line = 0; line + lanes <= lines; line += lanes) {
      T* place = out + line * depth + k * lanes;
      const T* source = x + k * k_stride + line;
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t l = 0; l < lanes; ++l) {
          place[i * lanes + l] = source[i * k_stride + l];
        }
      }
    }
  }
}

/// Panels of `lanes` lines of a matrix whose element (line, k) is at line * line_stride +
/// k * k_stride.
template <typename T, int64_t lanes>
void pack(void* to, const void* from, int64_t lines, int64_t depth, int64_t line_stride,
          int64_t k_stride) {
  auto* out = static_cast<T*>(to);
  const auto* x = static_cast<const T*>(from);
  int64_t line = 0;
  if (line_stride == 1) {
    copy_panels<T, lanes>(out, x, lines, depth, k_stride);
    line = lines / lanes * lanes;
  }
  for (; line < lines; line += lanes) {
    const int64_t count = std::min(lines - line, lanes);
    T* panel = out + line * depth;
    const T* source = x + line * line_stride;
    if (count < lanes) {
      std::memset(panel, 0, static_cast<size_t>(depth * lanes) * sizeof(T));
    }
    int64_t k = k_stride == 1 ? turn_lines<T, lanes>(panel, source, count, depth, line_stride) : 0;
    for (; k < depth; ++k) {
      for (int64_t l = 0; l < count; ++l) {
        panel[k * lanes + l] = source[l * line_stride + k * k_stride];
      }
    }
  }
}

#define CATEN_PACKS(s, T)                         \
  {"ct_pack_rows_" #s, address(&pack<T, kRows>)}, \
      {"ct_pack_columns_" #s, address(&pack<T, kColumns<T>>)},

const Entry kEntries[] = {
    // clang-format off
    CATEN_PACKS(f32, float) CATEN_PACKS(f64, double) CATEN_PACKS(i32, uint32_t)
    // clang-format on
};
#undef CATEN_PACKS

}  // namespace

Table CATEN_TABLE(packing)() {
  return {kEntries, sizeof kEntries / sizeof *kEntries};
}

}  // namespace caten::runtime::strips
