// Copies of arrays with what lies around them, for windows that look beyond the border.
#include <algorithm>

#include "runtime/intrinsics/strips/loops.h"
#include "runtime/intrinsics/strips/panels.h"
#include "runtime/intrinsics/strips/window_vectors.h"

namespace caten::runtime::strips {
namespace {

/// Place p of an axis of the copy is element p - offset of `limit`.
struct Axis {
  int64_t offset;
  int64_t limit;
  bool has(int64_t place) const { return place >= offset && place - offset < limit; }
};

/// The first place from `from` on among phase, phase + phases, …, counted in these.
inline int64_t first_of_phase(int64_t from, int64_t phase, int64_t phases) {
  return from <= phase ? 0 : (from - phase + phases - 1) / phases;
}

template <typename T>
void fill(T* out, T value, int64_t n) {
  using V = Lanes<T, kVectorBytes>;
  const V all = value - V{};
  int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) {
    *reinterpret_cast<V*>(out + i) = all;
  }
  if (i < n) {
    store_some(out + i, all, n - i);
  }
}

template <typename T>
void copy(T* out, const T* from, int64_t n) {
  using V = Lanes<T, kVectorBytes>;
  int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) {
    *reinterpret_cast<V*>(out + i) = *reinterpret_cast<const V*>(from + i);
  }
  if (i < n) {
    store_some(out + i, load_some<V>(from + i, n - i), n - i);
  }
}

/// out[i] = from[i * stride]
template <typename T>
void take(T* out, const T* from, int64_t stride, int64_t n) {
  int64_t i = 0;
#ifdef __AVX2__
  if constexpr (sizeof(T) == sizeof(float)) {
    if (stride == 2) {
      const auto* x = reinterpret_cast<const float*>(from);
      const EveryOther whole(Run{0, 0, kLanes<float>});
      for (; i + kLanes<float> <= n; i += kLanes<float>) {
        *reinterpret_cast<Lanes<T, kVectorBytes>*>(out + i) =
            reinterpret_cast<Lanes<T, kVectorBytes>>(whole.first(x + 2 * i));
      }
      if (i < n) {
        const EveryOther rest(Run{2 * i, 0, static_cast<int32_t>(n - i)});
        store_some(reinterpret_cast<float*>(out + i), rest.first(x), n - i);
      }
      return;
    }
  }
#endif
  for (; i < n; ++i) {
    out[i] = from[i * stride];
  }
}

/// Three axes from place 0 of each on, which is element `start` of the array or would be: planes of
/// lines of places. With more than one phase, a line has places 0, phases, 2 * phases, … first,
/// then 1, phases + 1, … and so on.
template <typename T>
void with_border(void* to, const void* array, const void* border, int64_t start, int64_t phases,
                 int64_t planes, int64_t plane_offset, int64_t plane_limit, int64_t plane_stride,
                 int64_t lines, int64_t line_offset, int64_t line_limit, int64_t line_stride,
                 int64_t places, int64_t place_offset, int64_t place_limit, int64_t place_stride) {
  const Axis plane{plane_offset, plane_limit};
  const Axis row{line_offset, line_limit};
  const int64_t length = (places + phases - 1) / phases;
  const T around = *static_cast<const T*>(border);
  const int64_t behind = std::min(places, place_offset + place_limit);
  for (int64_t phase = 0; phase < phases; ++phase) {
    const int64_t begin = std::min(length, first_of_phase(place_offset, phase, phases));
    const int64_t end = std::clamp(first_of_phase(behind, phase, phases), begin, length);
    const T* inside =
        static_cast<const T*>(array) + (start + (phase + begin * phases) * place_stride);
    T* line = static_cast<T*>(to) + phase * length;
    for (int64_t p = 0; p < planes; ++p) {
      for (int64_t l = 0; l < lines; ++l, line += phases * length) {
        if (!plane.has(p) || !row.has(l)) {
          fill(line, around, length);
          continue;
        }
        const T* from = inside + (p * plane_stride + l * line_stride);
        fill(line, around, begin);
        if (phases * place_stride == 1) {
          copy(line + begin, from, end - begin);
        } else {
          take(line + begin, from, phases * place_stride, end - begin);
        }
        fill(line + end, around, length - end);
      }
    }
  }
}

const Entry kEntries[] = {
    {"ct_with_border_8", address(&with_border<uint8_t>)},
    {"ct_with_border_16", address(&with_border<uint16_t>)},
    {"ct_with_border_32", address(&with_border<uint32_t>)},
    {"ct_with_border_64", address(&with_border<uint64_t>)},
};

}  // namespace

Table CATEN_TABLE(borders)() {
  return {kEntries, sizeof kEntries / sizeof *kEntries};
}

}  // namespace caten::runtime::strips
