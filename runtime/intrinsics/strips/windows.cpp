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
#include "runtime/intrinsics/strips/window_vectors.h"

namespace caten::runtime::strips {
namespace {

constexpr int kAxes = 4;
constexpr int kNumbers = 8;  // of an axis but the first, which has lines, terms and their strides
constexpr int kFirst = 4;
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
  if ((b & (b - 1)) == 0) {
    return a >> __builtin_ctzll(static_cast<uint64_t>(b));
  }
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

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
    int64_t term[kAxes] = {};
    for (int64_t tap = 0; tap < taps_; ++tap) {
      find_runs(term);
      copy(tap);
      for (int a = kAxes; a-- > 1;) {
        if (++term[a] < axes_[a].terms) {
          break;
        }
        term[a] = 0;
      }
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

  /// What the lines of a half read for a term of the axes but the first.
  static constexpr int64_t kHalf = kLines / 2;
  using Vector = Lanes<T, kPanelBytes / 2>;
  void find_runs(const int64_t (&term)[kAxes]) {
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
      int32_t count = 0;
      for (int64_t i = 0; i < run; ++i) {
        const int64_t from = std::max(lo[i] - h * kHalf, int64_t{0});
        const int64_t to = std::min(hi[i] - h * kHalf, kHalf);
        if (from < to) {
          runs_[h][count++] = {place[i] + h * kHalf * last.line_stride, static_cast<int32_t>(from),
                               static_cast<int32_t>(to)};
        }
      }
      run_count_[h] = count;
    }
  }

  void copy(int64_t tap) const {
    const int64_t stride = axes_[kAxes - 1].line_stride;
    for (int64_t h = 0; h < 2; ++h) {
      T* out = out_ + tap * kLines + h * kHalf;
      const Run* runs = runs_[h];
      const int32_t count = run_count_[h];
#ifdef __AVX2__
      if (sizeof(T) == sizeof(float) && count > 0 && (stride == 1 || stride == 2)) {
        if (stride == 1) {
          copy_vectors<Neighbours>(out, runs, count);
        } else {
          copy_vectors<EveryOther>(out, runs, count);
        }
        continue;
      }
#endif
      copy_elements(out, runs, count, stride);
    }
  }

  /// Half a panel for all terms of the first axis.
  void copy_elements(T* out, const Run* runs, int32_t count, int64_t stride) const {
    const T* image = image_;
    for (int64_t c = 0; c < axes_[0].terms; ++c, image += axes_[0].term_stride) {
      for (int64_t l = 0; l < kHalf; ++l) {
        out[l] = T(0);
      }
      for (int32_t i = 0; i < count; ++i) {
        for (int64_t l = runs[i].lo; l < runs[i].hi; ++l) {
          out[l] = image[runs[i].place + l * stride];
        }
      }
      out += taps_ * kLines;
    }
  }

#ifdef __AVX2__
  template <typename Reader>
  void copy_vectors(T* out, const Run* runs, int32_t count) const {
    switch (count) {  // the loops of one and two runs have them in registers
      case 1:
        return copy_runs<1, Reader>(out, runs, 1);
      case 2:
        return copy_runs<2, Reader>(out, runs, 2);
      default:
        return copy_runs<kHalf, Reader>(out, runs, count);
    }
  }

  template <int64_t most, typename Reader>
  void copy_runs(T* out, const Run* runs, int32_t some) const {
    const int32_t count = most > 2 ? some : most;
    Reader readers[most];
    for (int32_t i = 0; i < count; ++i) {
      readers[i] = Reader(runs[i]);
    }
    const auto* image = reinterpret_cast<const float*>(image_);
    for (int64_t c = 0; c < axes_[0].terms; ++c, image += axes_[0].term_stride) {
      auto all = readers[0].first(image);
      for (int32_t i = 1; i < count; ++i) {
        all = readers[i].then(all, image);
      }
      *reinterpret_cast<Vector*>(out) = reinterpret_cast<Vector>(all);
      out += taps_ * kLines;
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
  Run runs_[2][kHalf];  // of the term at hand
  int32_t run_count_[2];
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
