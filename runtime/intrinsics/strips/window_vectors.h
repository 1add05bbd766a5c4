// What lines of windows read as vectors of floats: lines [lo, hi) of a vector are at place + line *
// stride of an image, for a stride of one or two. Nothing else is touched: it may be outside.
#pragma once

#include <cstdint>

#include "runtime/intrinsics/strips/lanes.h"

namespace caten::runtime::strips {
namespace {

struct Run {
  int64_t place;
  int32_t lo;
  int32_t hi;
};

#if defined(__AVX512F__)

class Neighbours {
 public:
  Neighbours() = default;
  explicit Neighbours(const Run& run)
      : place_(run.place), mask_(static_cast<__mmask16>((1U << run.hi) - (1U << run.lo))) {}
  /// The run's lines, zero in the other lanes.
  __m512 first(const float* image) const { return _mm512_maskz_loadu_ps(mask_, image + place_); }
  /// The run's lines, and those of other runs.
  __m512 then(__m512 others, const float* image) const {
    return _mm512_mask_loadu_ps(others, mask_, image + place_);
  }

 private:
  int64_t place_;
  __mmask16 mask_;
};

class EveryOther {
 public:
  EveryOther() = default;
  explicit EveryOther(const Run& run) : place_(run.place) {
    const uint64_t lines =
        ((uint64_t{1} << 2 * run.hi) - (uint64_t{1} << 2 * run.lo)) & 0x55555555U;
    low_ = static_cast<__mmask16>(lines);
    high_ = static_cast<__mmask16>(lines >> 16);
  }
  __m512 first(const float* image) const {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(_mm512_maskz_loadu_ps(low_, image + place_), even,
                                  _mm512_maskz_loadu_ps(high_, image + place_ + 16));
  }
  __m512 then(__m512 others, const float* image) const {
    return _mm512_or_ps(others, first(image));
  }

 private:
  int64_t place_;
  __mmask16 low_;
  __mmask16 high_;
};

#elif defined(__AVX2__)

/// Ones in lanes [lo, hi).
inline __m256i lanes(int32_t lo, int32_t hi) {
  return _mm256_andnot_si256(first_words(lo), first_words(hi));
}

class Neighbours {
 public:
  Neighbours() = default;
  explicit Neighbours(const Run& run) : place_(run.place), mask_(lanes(run.lo, run.hi)) {}
  /// The run's lines, zero in the other lanes.
  __m256 first(const float* image) const { return _mm256_maskload_ps(image + place_, mask_); }
  /// The run's lines, and those of other runs.
  __m256 then(__m256 others, const float* image) const {
    return _mm256_or_ps(others, first(image));
  }

 private:
  int64_t place_;
  __m256i mask_;
};

class EveryOther {
 public:
  EveryOther() = default;
  explicit EveryOther(const Run& run) : place_(run.place) {
    const __m256i even = _mm256_setr_epi32(-1, 0, -1, 0, -1, 0, -1, 0);
    low_ = _mm256_and_si256(even, lanes(2 * run.lo, 2 * run.hi));
    high_ = _mm256_and_si256(even, lanes(2 * run.lo - 8, 2 * run.hi - 8));
  }
  __m256 first(const float* image) const {
    const __m256 pairs = _mm256_shuffle_ps(_mm256_maskload_ps(image + place_, low_),
                                           _mm256_maskload_ps(image + place_ + 8, high_), 0x88);
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(pairs), 0xD8));
  }
  __m256 then(__m256 others, const float* image) const {
    return _mm256_or_ps(others, first(image));
  }

 private:
  int64_t place_;
  __m256i low_;
  __m256i high_;
};

#endif

}  // namespace
}  // namespace caten::runtime::strips
