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

/// out[i] = start + i * step
void iota(void* out, int64_t start, int64_t step, int64_t n) {
  auto* r = static_cast<int64_t*>(out);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = start + i * step;
  }
}

#define ROWS(width, T)                                                              \
  {"ct_fill_" #width, address(&fill<T>)}, {"ct_copy_" #width, address(&copy<T>)},   \
      {"ct_take_" #width, address(&take<T>)}, {"ct_put_" #width, address(&put<T>)}, \
      {"ct_where_" #width, address(&where<T>)},

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
