// Loops over strips: each takes the scalar operation as a type with a static `of`.
#pragma once

#include <cstdint>

#include "runtime/intrinsics/strips/table.h"

namespace caten::runtime::strips {
namespace {

template <typename F>
const void* address(F* function) {
  return reinterpret_cast<const void*>(function);
}

/// out[i] = Op(a[i])
template <typename Op, typename R, typename T>
void unary(void* out, const void* a, int64_t n) {
  auto* r = static_cast<R*>(out);
  const auto* x = static_cast<const T*>(a);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    r[i] = Op::of(x[i]);
  }
}

/// out[i] = Op(a[i], b[i])
template <typename Op, typename R, typename T>
void binary(void* out, const void* a, const void* b, int64_t n, int32_t scalars) {
  auto* r = static_cast<R*>(out);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  if (scalars == 0) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      r[i] = Op::of(x[i], y[i]);
    }
  } else if (scalars == 1) {
    const T s = x[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      r[i] = Op::of(s, y[i]);
    }
  } else if (scalars == 2) {
    const T s = y[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      r[i] = Op::of(x[i], s);
    }
  } else {
    const R s = Op::of(x[0], y[0]);
    for (int64_t i = 0; i < n; ++i) {
      r[i] = s;
    }
  }
}

}  // namespace
}  // namespace caten::runtime::strips
