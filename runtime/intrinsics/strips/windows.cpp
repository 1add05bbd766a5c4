// Packing of windows: lines of a matrix are places of a window, terms are what it looks at there.
// The matrix of an image's windows exists in packed panels only (see matmul.cpp for their layout).
//
// Lines and terms are each numbered over four axes, the last one fastest. Line l and term t of an
// axis are l * line_stride + t * term_stride elements on. But for the first axis, they are at
// coordinate l * line_step + t * term_step - offset: what is outside of [0, limit) is zero.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "runtime/intrinsics/strips/loops.h"
#include "runtime/intrinsics/strips/panels.h"
#include "runtime/intrinsics/strips/some_lanes.h"

namespace caten::runtime::strips {
namespace {

constexpr int kAxes = 4;
constexpr int kNumbers = 8;  // of an axis but the first, which has lines, terms and their strides
constexpr int kFirst = 4;
/// Where the lines of a panel read is worked out for so many terms at a time, and then holds for
/// all terms of the first axis.
constexpr int64_t kTerms = 32;

struct Axis {
  int64_t lines;
  int64_t terms;
  int64_t line_step;
  int64_t term_step;
  int64_t offset;
  int64_t limit;
  int64_t line_stride;
  int64_t term_stride;
};

/// Lines [begin, end) of a panel that are neighbours on the last axis.
struct Segment {
  int64_t begin;
  int64_t end;
  int64_t place;              // element of the first line for term 0
  int64_t coordinate[kAxes];  // of the first line for term 0
};

/// The floor of a / b, b > 0.
inline int64_t floor_div(int64_t a, int64_t b) {
  if (b == 1) {
    return a;
  }
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

#if defined(__AVX512F__)
using Floats = __m512;

/// Which elements of memory are those of a run, which has lanes [lo, hi) of a vector: of one
/// vector, or of two where every other element is a lane.
struct Masks {
  __mmask16 low;
  __mmask16 high;
};
inline Masks masks_of_neighbours(int32_t lo, int32_t hi) {
  return {static_cast<__mmask16>((1U << hi) - (1U << lo)), 0};
}
inline Masks masks_of_every_other(int32_t lo, int32_t hi) {
  const uint64_t both = ((uint64_t{1} << 2 * hi) - (uint64_t{1} << 2 * lo)) & 0x55555555U;
  return {static_cast<__mmask16>(both), static_cast<__mmask16>(both >> 16)};
}
inline Floats contiguous(const float* from, const Masks& masks) {
  return _mm512_maskz_loadu_ps(masks.low, from);
}
inline Floats every_other(const float* from, const Masks& masks) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return _mm512_permutex2var_ps(_mm512_maskz_loadu_ps(masks.low, from), even,
                                _mm512_maskz_loadu_ps(masks.high, from + 16));
}
inline Floats either(Floats a, Floats b) {
  return _mm512_or_ps(a, b);
}
#elif defined(__AVX2__)
using Floats = __m256;

/// Which elements of memory are those of a run, which has lanes [lo, hi) of a vector: of one
/// vector, or of two where every other element is a lane.
struct Masks {
  __m256i low;
  __m256i high;
};
/// Ones in lanes [lo, hi).
inline __m256i lanes(int32_t lo, int32_t hi) {
  return _mm256_andnot_si256(first_words(lo), first_words(hi));
}
inline Masks masks_of_neighbours(int32_t lo, int32_t hi) {
  return {lanes(lo, hi), _mm256_setzero_si256()};
}
inline Masks masks_of_every_other(int32_t lo, int32_t hi) {
  const __m256i even = _mm256_setr_epi32(-1, 0, -1, 0, -1, 0, -1, 0);
  return {_mm256_and_si256(even, lanes(2 * lo, 2 * hi)),
          _mm256_and_si256(even, lanes(2 * lo - 8, 2 * hi - 8))};
}
inline Floats contiguous(const float* from, const Masks& masks) {
  return _mm256_maskload_ps(from, masks.low);
}
inline Floats every_other(const float* from, const Masks& masks) {
  const __m256 pairs = _mm256_shuffle_ps(_mm256_maskload_ps(from, masks.low),
                                         _mm256_maskload_ps(from + 8, masks.high), 0x88);
  return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(pairs), 0xD8));
}
inline Floats either(Floats a, Floats b) {
  return _mm256_or_ps(a, b);
}
#endif

template <typename T>
class Packer {
 public:
  static constexpr int64_t kLines = kColumns<T>;

  Packer(T* out, const T* image, int64_t start, int64_t depth, const Axis* axes)
      : out_(out), image_(image), start_(start), depth_(depth), axes_(axes) {
    taps_ = 1;
    for (int a = 1; a < kAxes; ++a) {
      taps_ *= axes[a].terms;
    }
  }

  /// The panel of `count` lines from `first` on.
  void panel(int64_t first, int64_t count) {
    find_segments(first, count);
    for (int64_t tap = 0; tap < taps_; tap += kTerms) {
      const int64_t together = std::min(kTerms, taps_ - tap);
      run_count_ = 0;
      for (int64_t i = 0; i < together; ++i) {
        find_runs(tap + i, i);
      }
      copy(tap, together);
    }
    out_ += kLines * depth_;
  }

 private:
  void find_segments(int64_t first, int64_t count) {
    int64_t line[kAxes];
    int64_t rest = first;
    for (int a = kAxes; a-- > 0;) {
      line[a] = rest % axes_[a].lines;
      rest /= axes_[a].lines;
    }
    segment_count_ = 0;
    const int64_t row = axes_[kAxes - 1].lines;
    for (int64_t begin = 0; begin < count;) {
      Segment& segment = segments_[segment_count_++];
      segment.begin = begin;
      segment.end = std::min(count, begin + row - line[kAxes - 1]);
      segment.place = start_;
      for (int a = 0; a < kAxes; ++a) {
        segment.place += line[a] * axes_[a].line_stride;
        segment.coordinate[a] = line[a] * axes_[a].line_step - axes_[a].offset;
      }
      begin = segment.end;
      line[kAxes - 1] = 0;
      for (int a = kAxes - 1; a-- > 0;) {
        if (++line[a] < axes_[a].lines) {
          break;
        }
        line[a] = 0;
      }
    }
  }

  /// What the lines read for a term of the axes but the first: lines [lo, hi) of a half are at
  /// place + line * stride.
  struct Run {
    int64_t place;
    int32_t lo;
    int32_t hi;
  };
  static constexpr int64_t kHalf = kLines / 2;
  using Vector = Lanes<T, kPanelBytes / 2>;
  struct Half {
    int32_t begin;
    int32_t end;
  };

  void find_runs(int64_t tap, int64_t at) {
    int64_t term[kAxes] = {};
    for (int a = kAxes; a-- > 1;) {
      term[a] = tap % axes_[a].terms;
      tap /= axes_[a].terms;
    }
    int64_t moved = 0;
    for (int a = 1; a < kAxes; ++a) {
      moved += term[a] * axes_[a].term_stride;
    }
    const Axis& last = axes_[kAxes - 1];
    int64_t run = 0;
    int64_t lo[kLines];
    int64_t hi[kLines];
    int64_t place[kLines];
    for (int64_t s = 0; s < segment_count_; ++s) {
      const Segment& segment = segments_[s];
      bool inside = true;
      for (int a = 1; a < kAxes - 1; ++a) {
        const int64_t c = segment.coordinate[a] + term[a] * axes_[a].term_step;
        inside = inside && c >= 0 && c < axes_[a].limit;
      }
      const int64_t c = segment.coordinate[kAxes - 1] + term[kAxes - 1] * last.term_step;
      int64_t begin = segment.begin;
      int64_t end = segment.end;
      if (last.line_step > 0) {  // 0 <= c + i * step < limit
        begin += c < 0 ? -floor_div(c, last.line_step) : 0;
        end = std::min(end, segment.begin - floor_div(c - last.limit, last.line_step));
      } else {
        inside = inside && c >= 0 && c < last.limit;
      }
      if (inside && begin < end) {
        lo[run] = begin;
        hi[run] = end;
        place[run] = segment.place + moved - segment.begin * last.line_stride;
        ++run;
      }
    }
    for (int64_t h = 0; h < 2; ++h) {
      Half& half = halves_[at * 2 + h];
      half.begin = static_cast<int32_t>(run_count_);
      for (int64_t i = 0; i < run; ++i) {
        const int64_t from = std::max(lo[i] - h * kHalf, int64_t{0});
        const int64_t to = std::min(hi[i] - h * kHalf, kHalf);
        if (from < to) {
          runs_[run_count_++] = {place[i] + h * kHalf * last.line_stride,
                                 static_cast<int32_t>(from), static_cast<int32_t>(to)};
        }
      }
      half.end = static_cast<int32_t>(run_count_);
    }
  }

  void copy(int64_t tap, int64_t together) {
    const Axis& channel = axes_[0];
    const int64_t stride = axes_[kAxes - 1].line_stride;
#ifdef __AVX2__
    find_masks(stride);
#endif
    for (int64_t i = 0; i < together; ++i) {
      whole_[i] = stride == 1 && is_whole(i);
    }
    for (int64_t c = 0; c < channel.terms; ++c) {
      const T* image = image_ + c * channel.term_stride;
      T* out = out_ + (c * taps_ + tap) * kLines;
      for (int64_t i = 0; i < together; ++i, out += kLines) {
        const Half* halves = halves_ + 2 * i;
        if (whole_[i]) {
          const T* from = image + runs_[halves[0].begin].place;
          *reinterpret_cast<Vector*>(out) = *reinterpret_cast<const Vector*>(from);
          *reinterpret_cast<Vector*>(out + kHalf) = *reinterpret_cast<const Vector*>(from + kHalf);
          continue;
        }
        half(out, image, halves[0], stride);
        half(out + kHalf, image, halves[1], stride);
      }
    }
  }

  /// All lines are neighbours and inside.
  bool is_whole(int64_t i) const {
    const Half* halves = halves_ + 2 * i;
    const Run* runs = runs_ + halves[0].begin;
    return segment_count_ == 1 && halves[0].end == halves[0].begin + 1 &&
           halves[1].end == halves[1].begin + 1 && runs[0].lo == 0 && runs[0].hi == kHalf &&
           runs[1].lo == 0 && runs[1].hi == kHalf;
  }

  void half(T* out, const T* image, Half which, int64_t stride) const {
#ifdef __AVX2__
    if constexpr (sizeof(T) == sizeof(float)) {
      if (stride == 1 || stride == 2) {
        const auto* from = reinterpret_cast<const float*>(image);
        Floats all{};
        for (int32_t i = which.begin; i < which.end; ++i) {
          const Floats next = stride == 1 ? contiguous(from + runs_[i].place, masks_[i])
                                          : every_other(from + runs_[i].place, masks_[i]);
          all = i == which.begin ? next : either(all, next);
        }
        *reinterpret_cast<Vector*>(out) = reinterpret_cast<Vector>(all);
        return;
      }
    }
#endif
    for (int64_t l = 0; l < kHalf; ++l) {
      out[l] = T(0);
    }
    for (int32_t i = which.begin; i < which.end; ++i) {
      const Run& run = runs_[i];
      for (int64_t l = run.lo; l < run.hi; ++l) {
        out[l] = image[run.place + l * stride];
      }
    }
  }

#ifdef __AVX2__
  void find_masks(int64_t stride) {
    if (sizeof(T) != sizeof(float) || (stride != 1 && stride != 2)) {
      return;
    }
    for (int64_t i = 0; i < run_count_; ++i) {
      masks_[i] = stride == 1 ? masks_of_neighbours(runs_[i].lo, runs_[i].hi)
                              : masks_of_every_other(runs_[i].lo, runs_[i].hi);
    }
  }
#endif

  T* out_;
  const T* image_;
  int64_t start_;
  int64_t depth_;
  const Axis* axes_;
  int64_t taps_;
  Segment segments_[kLines];
  int64_t segment_count_ = 0;
  Half halves_[2 * kTerms];
  bool whole_[kTerms];
  Run runs_[kTerms * kLines];
#ifdef __AVX2__
  Masks masks_[kTerms * kLines];
#endif
  int64_t run_count_ = 0;
};

/// As many numbers as the axes have.
template <size_t>
using Number = int64_t;

template <typename T, typename Indices>
struct Windows;
template <typename T, size_t... i>
struct Windows<T, std::index_sequence<i...>> {
  /// Panels of `count` lines from `first` on, `depth` terms each; places count from `start`, which
  /// may be outside of the image.
  static void pack(void* out, const void* image, int64_t start, int64_t first, int64_t count,
                   int64_t depth, Number<i>... numbers) {
    if (count <= 0 || depth <= 0) {
      return;
    }
    const int64_t all[] = {numbers...};
    Axis axes[kAxes] = {{all[0], all[1], 0, 0, 0, 1, all[2], all[3]}};
    for (int a = 1; a < kAxes; ++a) {
      const int64_t* n = all + kFirst + (a - 1) * kNumbers;
      axes[a] = {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]};
    }
    Packer<T> packer(static_cast<T*>(out), static_cast<const T*>(image), start, depth, axes);
    constexpr int64_t kLines = Packer<T>::kLines;
    for (int64_t line = 0; line < count; line += kLines) {
      packer.panel(first + line, std::min(kLines, count - line));
    }
  }
};
template <typename T>
constexpr auto* kPack =
    &Windows<T, std::make_index_sequence<kFirst + (kAxes - 1) * kNumbers>>::pack;

const Entry kEntries[] = {
    {"ct_pack_windows_f32", address(kPack<float>)},
    {"ct_pack_windows_f64", address(kPack<double>)},
    {"ct_pack_windows_i32", address(kPack<uint32_t>)},
};

}  // namespace

Table CATEN_TABLE(windows)() {
  return {kEntries, sizeof kEntries / sizeof *kEntries};
}

}  // namespace caten::runtime::strips
