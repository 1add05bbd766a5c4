// Packing and products of every instruction set against their definition, to the bit: blocks of
// terms as matmul.cpp promises them, edges of every kind, and nothing written beside the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ir/support/isa.h"
#include "runtime/intrinsics/strips/table.h"

namespace caten::runtime {
namespace {

struct Tables {
  strips::Table packing;
  strips::Table matmul;
  bool is_fused;
};

template <typename Function>
Function* find(strips::Table table, const std::string& name) {
  for (size_t i = 0; i < table.count; ++i) {
    if (name == table.entries[i].name) {
      return reinterpret_cast<Function*>(const_cast<void*>(table.entries[i].address));
    }
  }
  return nullptr;
}

using Pack = void(void*, const void*, int64_t, int64_t, int64_t, int64_t);
using Multiply = void(void*, const void*, const void*, int64_t, int64_t, int64_t, int64_t);
using MultiplyPart = void(void*, const void*, const void*, int64_t, int64_t, int64_t, int64_t,
                          int64_t);

/// A matrix whose lines or whose terms are neighbours in memory, or neither of both.
struct Operand {
  int64_t lines;
  int64_t depth;
  int64_t line_stride;
  int64_t depth_stride;
  int64_t size() const { return (lines - 1) * line_stride + depth * depth_stride + 1; }
};
Operand operand(int64_t lines, int64_t depth, int kind) {
  switch (kind) {
    case 0:
      return {lines, depth, 1, lines + 3};
    case 1:
      return {lines, depth, depth + 5, 1};
    default:
      return {lines, depth, 2, 2 * lines + 1};
  }
}

template <typename T>
std::vector<T> numbers(int64_t count, std::mt19937& random) {
  std::vector<T> out(static_cast<size_t>(count));
  for (T& x : out) {
    x = std::is_floating_point_v<T> ? static_cast<T>(static_cast<double>(random()) / 4e9 - 0.4)
                                    : static_cast<T>(random());
  }
  return out;
}

template <typename T>
std::vector<T> packed(Pack* pack, const std::vector<T>& from, const Operand& matrix) {
  // Room for panels of 12 rows and of 128 bytes.
  constexpr int64_t kRoom = 384;
  const int64_t lines = (matrix.lines + kRoom - 1) / kRoom * kRoom;
  std::vector<T> out(static_cast<size_t>(lines * matrix.depth));
  pack(out.data(), from.data(), matrix.lines, matrix.depth, matrix.line_stride,
       matrix.depth_stride);
  return out;
}

template <typename T>
T expected(T start, const T* a, const Operand& left, const T* b, const Operand& right,
           bool is_fused) {
  const int64_t depth = left.depth;
  const int64_t block = std::clamp<int64_t>((depth / 8 + 7) / 8 * 8, 32, 128);
  T total = start;
  for (int64_t first = 0; first < depth; first += block) {
    T sum = 0;
    for (int64_t k = first; k < std::min(depth, first + block); ++k) {
      const T x = a[k * left.depth_stride];
      const T y = b[k * right.depth_stride];
      if constexpr (std::is_floating_point_v<T>) {
        sum = is_fused ? std::fma(x, y, sum) : x * y + sum;
      } else {
        sum = x * y + sum;
      }
    }
    total += sum;
  }
  return total;
}

template <typename T>
void check(const Tables& tables, const std::string& suffix) {
  auto* rows = find<Pack>(tables.packing, "ct_pack_rows_" + suffix);
  auto* columns = find<Pack>(tables.packing, "ct_pack_columns_" + suffix);
  auto* product = find<Multiply>(tables.matmul, "ct_product_" + suffix);
  auto* multiply = find<Multiply>(tables.matmul, "ct_multiply_" + suffix);
  auto* product_part = find<MultiplyPart>(tables.matmul, "ct_product_part_" + suffix);
  auto* multiply_part = find<MultiplyPart>(tables.matmul, "ct_multiply_part_" + suffix);
  ASSERT_TRUE(rows != nullptr && columns != nullptr && product != nullptr && multiply != nullptr);
  ASSERT_TRUE(product_part != nullptr && multiply_part != nullptr);
  std::mt19937 random(11);
  constexpr int kSmall = 100;
  for (int round = 0; round < kSmall + 2; ++round) {
    // All heights and widths of a tile; then more than what is done together in each direction.
    const bool is_small = round < kSmall;
    const auto below = [&](uint64_t most) { return static_cast<int64_t>(random() % most); };
    const int64_t m = is_small ? round % 25 + 1 : 193 + below(8);
    const int64_t n = is_small ? below(70) + 1 : 257 + below(20);
    const int64_t k = is_small ? below(90) + 1 : 330 + below(20);
    const Operand left = operand(m, k, static_cast<int>(random() % 3));
    // The right one may have more terms than are multiplied.
    const int64_t more = round % 3 == 0 ? static_cast<int64_t>(random() % 40) : 0;
    const Operand right = operand(n, k + more, static_cast<int>(random() % 3));
    const std::vector<T> a = numbers<T>(left.size(), random);
    const std::vector<T> b = numbers<T>(right.size(), random);
    const std::vector<T> a_panels = packed(rows, a, left);
    const std::vector<T> b_panels = packed(columns, b, right);
    const int64_t stride = n + 3;
    const std::vector<T> before = numbers<T>(m * stride, random);
    for (const bool sets : {false, true}) {
      std::vector<T> c = before;
      if (more > 0) {
        (sets ? product_part : multiply_part)(c.data(), a_panels.data(), b_panels.data(), m, n, k,
                                              stride, k + more);
      } else {
        (sets ? product : multiply)(c.data(), a_panels.data(), b_panels.data(), m, n, k, stride);
      }
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < stride; ++j) {
          const auto at = static_cast<size_t>(i * stride + j);
          const T want =
              j >= n ? before[at]
                     : expected(sets ? T(0) : before[at], a.data() + i * left.line_stride, left,
                                b.data() + j * right.line_stride, right, tables.is_fused);
          ASSERT_EQ(c[at], want) << suffix << " " << m << "x" << n << "x" << k << " at " << i
                                 << ", " << j;
        }
      }
    }
  }
}

void check_all(const Tables& tables) {
  check<float>(tables, "f32");
  check<double>(tables, "f64");
  check<uint32_t>(tables, "i32");
}

#ifdef __x86_64__
TEST(Products, Baseline) {
  check_all({strips::packing_baseline(), strips::matmul_baseline(), false});
}

TEST(Products, Avx2) {
  if (machine_isa() < Isa::Avx2) {
    GTEST_SKIP() << "no AVX2 here";
  }
  check_all({strips::packing_avx2(), strips::matmul_avx2(), true});
}

TEST(Products, Avx512) {
  if (machine_isa() < Isa::Avx512) {
    GTEST_SKIP() << "no AVX-512 here";
  }
  check_all({strips::packing_avx512(), strips::matmul_avx512(), true});
}
#else
TEST(Products, Baseline) {
  check_all({strips::packing_baseline(), strips::matmul_baseline(), true});
}
#endif

}  // namespace
}  // namespace caten::runtime
