// Reductions of strips into one element: *acc = op(*acc, a[0], ..., a[n-1]).
//
// Float sums and products run in 32 lanes that are folded pairwise: element i belongs to lane
// i mod 32, whatever the instruction set. Sums of products may fuse multiply and add (LANGUAGE §5).
#include <type_traits>

#include "runtime/intrinsics/strips/loops.h"

namespace caten::runtime::strips {
namespace {

template <typename T>
constexpr bool kIsFloat = T(0.5) != T(0);
template <typename T, bool wide = (sizeof(T) == 8)>
struct Unsigned {
  using Type = uint32_t;
};
template <typename T>
struct Unsigned<T, true> {
  using Type = uint64_t;
};

struct Sum {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return a + b;
    } else {
      using U = typename Unsigned<T>::Type;
      return T(U(a) + U(b));
    }
  }
};
struct Product {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return a * b;
    } else {
      using U = typename Unsigned<T>::Type;
      return T(U(a) * U(b));
    }
  }
};
struct Max {
  template <typename T>
  static constexpr T of(T a, T b) {
    return a > b ? a : a != a ? a : b;
  }
};
struct Min {
  template <typename T>
  static constexpr T of(T a, T b) {
    return a < b ? a : a != a ? a : b;
  }
};
struct And {
  template <typename T>
  static T of(T a, T b) {
    return T(a & b);
  }
};
struct Or {
  template <typename T>
  static T of(T a, T b) {
    return T(a | b);
  }
};

template <typename T>
constexpr int64_t kLanes = sizeof(T) >= 8 ? 16 : 32;

/// lanes[0] = all lanes, pairwise.
template <typename Op, typename T>
T fold(T* lanes, int64_t count) {
  for (int64_t half = count / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) {
      lanes[i] = Op::of(lanes[i], lanes[i + half]);
    }
  }
  return lanes[0];
}

template <typename Op, typename T>
void reduce(void* acc, const void* a, int64_t n) {
  auto* result = static_cast<T*>(acc);
  const auto* x = static_cast<const T*>(a);
  constexpr int64_t kCount = kLanes<T>;
  T total = *result;
  int64_t i = 0;
  if (n >= kCount) {
    T lanes[kCount];
    for (int64_t l = 0; l < kCount; ++l) {
      lanes[l] = x[l];
    }
    for (i = kCount; i + kCount <= n; i += kCount) {
#pragma GCC unroll 32
      for (int64_t l = 0; l < kCount; ++l) {
        lanes[l] = Op::of(lanes[l], x[i + l]);
      }
    }
    total = Op::of(total, fold<Op>(lanes, kCount));
  }
  if (i < n) {
    T rest = x[i];
    for (++i; i < n; ++i) {
      rest = Op::of(rest, x[i]);
    }
    total = Op::of(total, rest);
  }
  *result = total;
}

#ifdef __AVX2__
constexpr int64_t kVectorBytes = 32;
#else
constexpr int64_t kVectorBytes = 16;
#endif

/// Max or Min of floats: NaNs are noted beside the extremes, so that each costs one instruction.
template <typename Op, typename T>
void extreme(void* acc, const void* a, int64_t n) {
  typedef T Vector __attribute__((vector_size(kVectorBytes), aligned(sizeof(T))));
  constexpr bool kMax = T(1) == Op::of(T(0), T(1));
  constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(T));
  constexpr int64_t kVectors = 4;
  const auto* x = static_cast<const T*>(a);
  T total = *static_cast<T*>(acc);
  int64_t i = 0;
  if (n >= kLanes * kVectors) {
    Vector best[kVectors];
    for (int64_t v = 0; v < kVectors; ++v) {
      best[v] = *reinterpret_cast<const Vector*>(x + v * kLanes);
    }
    auto unordered = best[0] != best[0];
    for (; i + kLanes * kVectors <= n; i += kLanes * kVectors) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) {
        const Vector next = *reinterpret_cast<const Vector*>(x + i + v * kLanes);
        best[v] = (kMax ? next > best[v] : next < best[v]) ? next : best[v];
        unordered |= next != next;
      }
    }
    bool any = false;
    for (int64_t l = 0; l < kLanes; ++l) {
      any |= unordered[l] != 0;
      for (int64_t v = 0; v < kVectors; ++v) {
        total = Op::of(total, best[v][l]);
      }
    }
    total = any ? T(__builtin_nan("")) : total;
  }
  for (; i < n; ++i) {
    total = Op::of(total, x[i]);
  }
  *static_cast<T*>(acc) = total;
}

template <typename T>
inline T multiply_add(T a, T b, T c) {
#ifdef __FMA__
  if constexpr (sizeof(T) == 8) {
    return __builtin_fma(a, b, c);
  } else {
    return __builtin_fmaf(a, b, c);
  }
#else
  return a * b + c;
#endif
}

/// *acc += sum of a[i] * b[i]
template <typename T>
void dot(void* acc, const void* a, const void* b, int64_t n) {
  auto* result = static_cast<T*>(acc);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  constexpr int64_t kCount = kLanes<T>;
  T total = *result;
  int64_t i = 0;
  if (n >= kCount) {
    T lanes[kCount];
    for (int64_t l = 0; l < kCount; ++l) {
      lanes[l] = x[l] * y[l];
    }
    for (i = kCount; i + kCount <= n; i += kCount) {
#pragma GCC unroll 32
      for (int64_t l = 0; l < kCount; ++l) {
        lanes[l] = multiply_add(x[i + l], y[i + l], lanes[l]);
      }
    }
    total += fold<Sum>(lanes, kCount);
  }
  if (i < n) {
    T rest = x[i] * y[i];
    for (++i; i < n; ++i) {
      rest = multiply_add(x[i], y[i], rest);
    }
    total += rest;
  }
  *result = total;
}

/// *out = whether one of them is inf or NaN.
template <typename T>
void nonfinite(void* out, const void* a, int64_t n) {
  const auto* x = static_cast<const T*>(a);
  using Flag = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  Flag found = 0;
  for (int64_t i = 0; i < n; ++i) {
    found |= Flag(!(x[i] - x[i] == 0));
  }
  *static_cast<int64_t*>(out) = found;
}

#define ROW(op, Op, s, T) {"ct_reduce_" #op "_" #s, address(&reduce<Op, T>)},
#define SUM_ROWS(s, T) ROW(add, Sum, s, T) ROW(mul, Product, s, T)
#define FLOAT_ROWS(s, T)                                          \
  SUM_ROWS(s, T){"ct_reduce_max_" #s, address(&extreme<Max, T>)}, \
      {"ct_reduce_min_" #s, address(&extreme<Min, T>)},
#define INT_ROWS(s, T) \
  SUM_ROWS(s, T)       \
  ROW(max, Max, s, T) ROW(min, Min, s, T) ROW(and, And, s, T) ROW(or, Or, s, T)

const Entry kEntries[] = {
    // clang-format off
    FLOAT_ROWS(f32, float) FLOAT_ROWS(f64, double)
    INT_ROWS(i8, int8_t) INT_ROWS(i16, int16_t) INT_ROWS(i32, int32_t) INT_ROWS(i64, int64_t)
    INT_ROWS(u8, uint8_t) INT_ROWS(u16, uint16_t) INT_ROWS(u32, uint32_t) INT_ROWS(u64, uint64_t)
    // clang-format on
    {"ct_nonfinite_f32", address(&nonfinite<float>)},
    {"ct_nonfinite_f64", address(&nonfinite<double>)},
    {"ct_dot_f32", address(&dot<float>)},
    {"ct_dot_f64", address(&dot<double>)},
};

}  // namespace

Table CATEN_TABLE(reductions)() {
  return {kEntries, sizeof kEntries / sizeof *kEntries};
}

}  // namespace caten::runtime::strips
