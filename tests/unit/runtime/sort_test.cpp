// The sort routine of kernels against std::stable_sort: every dtype, lengths around its limits,
// ties, NaN, strides, and selections of the first positions.
#include "runtime/intrinsics/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "runtime/buffer.h"
#include "tests/support/random_source.h"

namespace caten::runtime {
namespace {

enum class Spread : uint8_t { Few, Bits };

StoragePtr keys_of(DType dtype, int64_t count, Spread spread, testing::RandomSource& random) {
  StoragePtr keys = Storage::allocate(dtype, {count});
  auto* bytes = static_cast<unsigned char*>(keys->data());
  for (size_t i = 0; i < keys->bytes(); ++i) {
    bytes[i] = static_cast<unsigned char>(random.bits());
  }
  if (spread == Spread::Few) {
    for (int64_t i = 0; i < count; ++i) {
      keys->set(i, Scalar::of_int(DType::Int64, random.between(0, 5)));
    }
  }
  normalize_bools(*keys);
  return keys;
}

bool comes_before(const Scalar& a, const Scalar& b, bool descending) {
  if (is_float(a.dtype())) {
    const double x = a.as_double();
    const double y = b.as_double();
    if (std::isnan(x) || std::isnan(y)) {
      return !std::isnan(x);
    }
    return descending ? y < x : x < y;
  }
  if (a.dtype() == DType::UInt64) {
    return descending ? b.as_uint() < a.as_uint() : a.as_uint() < b.as_uint();
  }
  return descending ? b.as_int() < a.as_int() : a.as_int() < b.as_int();
}

void check(DType dtype, int64_t n, int64_t step, int64_t wanted, Spread spread, bool descending,
           testing::RandomSource& random) {
  const StoragePtr keys = keys_of(dtype, n * step, spread, random);
  std::vector<int64_t> expected(static_cast<size_t>(n));
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](int64_t a, int64_t b) {
    const Scalar x = keys->at(a * step);
    const Scalar y = keys->at(b * step);
    // Two NaN are equal.
    if (is_float(dtype) && std::isnan(x.as_double()) && std::isnan(y.as_double())) {
      return false;
    }
    return comes_before(x, y, descending);
  });
  expected.resize(static_cast<size_t>(std::min(wanted, n)));
  std::vector<int64_t> order(static_cast<size_t>(n * 2), -1);
  std::vector<int64_t> work(static_cast<size_t>(2 * n));
  sort_line(order.data(), 2, keys->data(), step, n, wanted, work.data(),
            static_cast<int32_t>(dtype), descending ? 1 : 0);
  std::vector<int64_t> given;
  for (size_t i = 0; i < expected.size(); ++i) {
    given.push_back(order[2 * i]);
  }
  EXPECT_EQ(given, expected) << name(dtype) << " n " << n << " wanted " << wanted;
}

TEST(SortLine, IsStableOnEveryDtype) {
  testing::RandomSource random(5);
  for (int i = 0; i < kDTypeCount; ++i) {
    for (const bool descending : {false, true}) {
      for (const Spread spread : {Spread::Few, Spread::Bits}) {
        for (const int64_t n : {0, 1, 2, 7, 255, 256, 1000}) {
          const auto dtype = static_cast<DType>(i);
          check(dtype, n, 1, n, spread, descending, random);
          check(dtype, n, 3, n, spread, descending, random);
          check(dtype, n, 1, 5, spread, descending, random);
          check(dtype, n, 1, n / 2, spread, descending, random);
        }
      }
    }
  }
}

// Keys that agree in their leading bits, and a range of all 64.
TEST(SortLine, WideKeys) {
  const std::vector<int64_t> keys = {5,  INT64_MIN, INT64_MAX, 4,         INT64_MIN,    6,
                                     -1, 0,         -1,        INT64_MAX, INT64_MIN + 1};
  std::vector<int64_t> order(keys.size());
  std::vector<int64_t> work(2 * keys.size());
  const auto n = static_cast<int64_t>(keys.size());
  sort_line(order.data(), 1, keys.data(), 1, n, n, work.data(), static_cast<int32_t>(DType::Int64),
            0);
  EXPECT_EQ(order, (std::vector<int64_t>{1, 4, 10, 6, 8, 7, 3, 0, 5, 2, 9}));
  sort_line(order.data(), 1, keys.data(), 1, n, n, work.data(), static_cast<int32_t>(DType::Int64),
            1);
  EXPECT_EQ(order, (std::vector<int64_t>{2, 9, 5, 0, 3, 7, 6, 8, 10, 1, 4}));
}

}  // namespace
}  // namespace caten::runtime
