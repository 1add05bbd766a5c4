// Strips that only move: by the width of an element in bits.
#include "runtime/intrinsics/strips/loops.h"

namespace caten::runtime::strips {
namespace {

/// out[i] = *value
template <typename T>
void fill(void* out, const void* value, int64_t n) {
  auto* r = static_cast<T*>(out);
  const T v = *static_cast<const T*>(value);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = v;
  }
}

/// out[i] = a[i]
template <typename T>
void copy(void* out, const void* a, int64_t n) {
  auto* r = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(a);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    r[i] = x[i];
  }
}

/// out[i] = a[i * stride]; a negative stride walks down from a.
template <typename T>
void take(void* out, const void* a, int64_t stride, int64_t n) {
  auto* r = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(a);
  if (stride == -1) {
    for (int64_t i = 0; i < n; ++i) {
      r[i] = x[-i];
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    r[i] = x[i * stride];
  }
}

/// out[i * stride] = a[i]
template <typename T>
void put(void* out, const void* a, int64_t stride, int64_t n) {
  auto* r = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(a);
  for (int64_t i = 0; i < n; ++i) {
    r[i * stride] = x[i];
  }
}

/// out[i] = c[i] ? a[i] : b[i]; scalars: bit 0 for c, 1 for a, 2 for b.
template <typename T>
void where(void* out, const void* c, const void* a, const void* b, int64_t n, int32_t scalars) {
  auto* r = static_cast<T*>(out);
  const auto* p = static_cast<const uint8_t*>(c);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  if ((scalars & 1) != 0) {
    const bool first = p[0] != 0;
    const T* chosen = first ? x : y;
    const bool scalar = (scalars & (first ? 2 : 4)) != 0;
    for (int64_t i = 0; i < n; ++i) {
      r[i] = chosen[scalar ? 0 : i];
    }
  } else if (scalars == 0) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const T u = x[i];
      const T v = y[i];
      r[i] = p[i] != 0 ? u : v;
    }
  } else if (scalars == 2) {
    const T u = x[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const T v = y[i];
      r[i] = p[i] != 0 ? u : v;
    }
  } else if (scalars == 4) {
    const T v = y[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const T u = x[i];
      r[i] = p[i] != 0 ? u : v;
    }
  } else {
    const T u = x[0];
    const T v = y[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      r[i] = p[i] != 0 ? u : v;
    }
  }
}

#ifdef __AVX2__
/// An 8 x 8 block of 32-bit elements, turned.
inline void turn_eight(uint32_t* out, int64_t out_stride, const uint32_t* x, int64_t stride) {
  typedef float V __attribute__((vector_size(32), aligned(4)));
  typedef int M __attribute__((vector_size(32)));
  V a[8];
  V b[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    a[i] = *reinterpret_cast<const V*>(x + i * stride);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    b[i] = __builtin_shuffle(a[i], a[i + 1], M{0, 8, 1, 9, 4, 12, 5, 13});
    b[i + 1] = __builtin_shuffle(a[i], a[i + 1], M{2, 10, 3, 11, 6, 14, 7, 15});
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    a[i] = __builtin_shuffle(b[i], b[i + 2], M{0, 1, 8, 9, 4, 5, 12, 13});
    a[i + 1] = __builtin_shuffle(b[i], b[i + 2], M{2, 3, 10, 11, 6, 7, 14, 15});
    a[i + 2] = __builtin_shuffle(b[i + 1], b[i + 3], M{0, 1, 8, 9, 4, 5, 12, 13});
    a[i + 3] = __builtin_shuffle(b[i + 1], b[i + 3], M{2, 3, 10, 11, 6, 7, 14, 15});
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    *reinterpret_cast<V*>(out + i * out_stride) =
        __builtin_shuffle(a[i], a[i + 4], M{0, 1, 2, 3, 8, 9, 10, 11});
    *reinterpret_cast<V*>(out + (i + 4) * out_stride) =
        __builtin_shuffle(a[i], a[i + 4], M{4, 5, 6, 7, 12, 13, 14, 15});
  }
}
#endif

/// out[r * out_stride + c] = a[r + c * stride]
template <typename T>
void turn(void* out, const void* a, int64_t rows, int64_t columns, int64_t out_stride,
          int64_t stride) {
  auto* to = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(a);
  // Squares of a few lines: each is read whole before it leaves the cache.
  constexpr int64_t kSide = 8;
  for (int64_t c = 0; c < columns; c += kSide) {
    const int64_t width = columns - c < kSide ? columns - c : kSide;
    for (int64_t r = 0; r < rows; r += kSide) {
      const int64_t height = rows - r < kSide ? rows - r : kSide;
#ifdef __AVX2__
      if constexpr (sizeof(T) == 4) {
        if (width == kSide && height == kSide) {
          turn_eight(to + r * out_stride + c, out_stride, x + r + c * stride, stride);
          continue;
        }
      }
#endif
      for (int64_t j = c; j < c + width; ++j) {
        for (int64_t i = r; i < r + height; ++i) {
          to[i * out_stride + j] = x[i + j * stride];
        }
      }
    }
  }
}

/// out[i] = start + i * step
void iota(void* out, int64_t start, int64_t step, int64_t n) {
  auto* r = static_cast<int64_t*>(out);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = start + i * step;
  }
}

#define ROWS(width, T)                                                                \
  {"ct_turn_" #width, address(&turn<T>)}, {"ct_fill_" #width, address(&fill<T>)},     \
      {"ct_copy_" #width, address(&copy<T>)}, {"ct_take_" #width, address(&take<T>)}, \
      {"ct_put_" #width, address(&put<T>)}, {"ct_where_" #width, address(&where<T>)},

const Entry kEntries[] = {
    // clang-format off
    ROWS(8, uint8_t) ROWS(16, uint16_t) ROWS(32, uint32_t) ROWS(64, uint64_t)
    // clang-format on
    {"ct_iota_64", address(&iota)},
};

}  // namespace

Table CATEN_TABLE(moves)() {
  return {kEntries, sizeof kEntries / sizeof *kEntries};
}

}  // namespace caten::runtime::strips
