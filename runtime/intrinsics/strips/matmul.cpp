// Contractions: c[i][j] += sum over k of a[i][k] * b[k][j] on packed panels (panels.h).
//
// The loops around the micro-kernel are those of Goto and van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication" (2008): a piece of a panel of B stays in the first-level
// cache while tiles one below the other use it, a block of A in the second-level cache.
//
// Every sum runs in at least eight partial sums, or in blocks of at most kMinDepth terms, each
// added up from zero in order of k; c gets one block after the other. The bits depend on the number
// of terms only, not on caches or instruction sets (but for whether products are fused into sums).
#include <algorithm>
#include <array>
#include <utility>

#include "ir/support/cache_sizes.h"
#include "runtime/intrinsics/strips/lanes.h"
#include "runtime/intrinsics/strips/loops.h"
#include "runtime/intrinsics/strips/panels.h"

namespace caten::runtime::strips {
namespace {

constexpr int64_t kMinDepth = 32;
constexpr int64_t kMaxDepth = 128;

/// c = the sums, or c += the sums unless it is the `first` block; of the last vector of a row,
/// `last` elements. Every use of the sums is unrolled, so that they stay in registers.
template <bool first, typename T, typename V, int64_t rows, int64_t vectors>
inline void put(const V (&sum)[rows][vectors], T* c, int64_t stride, int64_t last) {
#pragma GCC unroll 16
  for (int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 8
    for (int64_t v = 0; v < vectors; ++v) {
      T* place = c + r * stride + v * kLanes<T>;
      if (v + 1 < vectors || last == kLanes<T>) {
        V* whole = reinterpret_cast<V*>(place);
        *whole = first ? sum[r][v] : *whole + sum[r][v];
      } else {
        store_some(place, first ? sum[r][v] : load_some<V>(place, last) + sum[r][v], last);
      }
    }
  }
}

/// A tile of `rows` x `vectors`, for `depth` terms in blocks: the sums of the first block are
/// stored if it is the `first` one. Of the last vector `last` elements are stored.
template <typename T, int64_t rows, int64_t vectors>
__attribute__((noinline)) void tile(const T* a, const T* b, int64_t depth, int64_t block, T* c,
                                    int64_t stride, int64_t last, bool first) {
  using V = Lanes<T, kVectorBytes>;
#pragma GCC unroll 16
  for (int64_t r = 0; r < rows; ++r) {
    __builtin_prefetch(c + r * stride, 1);
    __builtin_prefetch(c + r * stride + (vectors - 1) * kLanes<T>, 1);
  }
  do {
    V sum[rows][vectors];
#pragma GCC unroll 16
    for (int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 8
      for (int64_t v = 0; v < vectors; ++v) {
        sum[r][v] = V{};
      }
    }
    const int64_t terms = std::min(depth, block);
    for (int64_t k = 0; k < terms; ++k) {
      V right[vectors];
#pragma GCC unroll 8
      for (int64_t v = 0; v < vectors; ++v) {
        right[v] = *reinterpret_cast<const V*>(b + v * kLanes<T>);
      }
#pragma GCC unroll 16
      for (int64_t r = 0; r < rows; ++r) {
        const V left = a[r] - V{};
#pragma GCC unroll 8
        for (int64_t v = 0; v < vectors; ++v) {
          sum[r][v] = multiply_add<T>(left, right[v], sum[r][v]);
        }
      }
      a += kRows;
      b += kColumns<T>;
    }
    depth -= terms;
    if (first) {
      put<true>(sum, c, stride, last);
    } else {
      put<false>(sum, c, stride, last);
    }
    first = false;
  } while (depth > 0);
}

template <typename T>
using Tile = void (*)(const T*, const T*, int64_t, int64_t, T*, int64_t, int64_t, bool);
template <typename T, size_t... i>
constexpr std::array<Tile<T>, sizeof...(i)> all_tiles(std::index_sequence<i...>) {
  return {&tile<T, int64_t{i} / kVectors + 1, int64_t{i} % kVectors + 1>...};
}
/// The tiles of every size: (rows - 1) * kVectors + vectors - 1.
template <typename T>
constexpr auto kTiles = all_tiles<T>(std::make_index_sequence<kRows * kVectors>());

/// Tiles one below the other: c (rows x width) += or = `terms` of packed a and b; panels of a are
/// `depth` long. Meanwhile `next`, if it is anything, as much as of b, comes closer.
template <typename T>
void tiles(const T* a, const T* b, const T* next, int64_t rows, int64_t terms, int64_t block,
           int64_t depth, T* c, int64_t stride, int64_t width, bool first) {
  constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
  const int64_t lines = terms * kColumns<T> / kLine;
  const int64_t ahead = next == nullptr ? 0 : (lines * kRows + rows - 1) / rows;
  const int64_t vectors = (width + kLanes<T> - 1) / kLanes<T>;
  const int64_t last = width - (vectors - 1) * kLanes<T>;
  for (int64_t i = 0; i < rows; i += kRows) {
    for (int64_t k = 0; k < ahead; ++k, next += kLine) {
      __builtin_prefetch(next, 0, 2);
    }
    const int64_t height = std::min(rows - i, kRows);
    kTiles<T>[static_cast<size_t>((height - 1) * kVectors + vectors - 1)](
        a + i * depth, b, terms, block, c + i * stride, stride, last, first);
  }
}

/// How many terms of a sum are added up before c gets them.
inline int64_t depth_of_block(int64_t depth) {
  return std::clamp((depth / 8 + 7) / 8 * 8, kMinDepth, kMaxDepth);
}

/// Terms that are multiplied before the next panel: chunks of about the same size, in whole blocks;
/// what that is of a panel of b takes five eighths of the first-level cache at most.
inline int64_t depth_of_chunk(int64_t depth, int64_t block) {
  const int64_t most = std::max(cache_sizes().first / 8 * 5 / kPanelBytes, block);
  if (depth <= most) {
    return depth;
  }
  const int64_t chunks = (depth + most - 1) / most;
  const int64_t even = (depth + chunks - 1) / chunks;
  const int64_t up = (even + block - 1) / block * block;
  return up <= most ? up : up - block;
}

/// A chunk of so many rows of a stays in the second-level cache.
constexpr int64_t kRowsTogether = 192;
static_assert(kRowsTogether % kRows == 0);
/// Columns whose sums stay in the second-level cache from chunk to chunk.
constexpr int64_t kColumnsTogether = 256;

/// c (rows x columns, `stride` apart) += packed a (rows x depth) times the first `depth` of the
/// `b_depth` terms of packed b; = where `sets`.
template <typename T, bool sets>
void multiply_part(void* c_place, const void* a_place, const void* b_place, int64_t all_rows,
                   int64_t columns, int64_t depth, int64_t stride, int64_t b_depth) {
  const auto* b = static_cast<const T*>(b_place);
  const int64_t block = depth_of_block(depth);
  const int64_t chunk = depth_of_chunk(depth, block);
  const bool is_far = columns * depth > cache_sizes().second / static_cast<int64_t>(sizeof(T));
  for (int64_t above = 0; above < all_rows; above += kRowsTogether) {
    const int64_t rows = std::min(all_rows - above, kRowsTogether);
    const T* a = static_cast<const T*>(a_place) + above * depth;
    T* c = static_cast<T*>(c_place) + above * stride;
    for (int64_t left = 0; left < columns; left += kColumnsTogether) {
      const int64_t right = std::min(columns, left + kColumnsTogether);
      int64_t start = 0;
      do {
        const int64_t terms = std::min(depth - start, chunk);
        const bool first = sets && start == 0;
        for (int64_t j = left; j < right; j += kColumns<T>) {
          const T* panel = b + j * b_depth + start * kColumns<T>;
          const T* next =
              is_far && j + kColumns<T> < right ? panel + b_depth * kColumns<T> : nullptr;
          tiles(a + start * kRows, panel, next, rows, terms, block, depth, c + j, stride,
                std::min(columns - j, kColumns<T>), first);
        }
        start += terms;
      } while (start < depth);
    }
  }
}

/// With all terms of b.
template <typename T, bool sets>
void multiply(void* c, const void* a, const void* b, int64_t rows, int64_t columns, int64_t depth,
              int64_t stride) {
  multiply_part<T, sets>(c, a, b, rows, columns, depth, stride, depth);
}

#define CATEN_PRODUCTS(s, T)                                       \
  {"ct_multiply_" #s, address(&multiply<T, false>)},               \
      {"ct_product_" #s, address(&multiply<T, true>)},             \
      {"ct_multiply_part_" #s, address(&multiply_part<T, false>)}, \
      {"ct_product_part_" #s, address(&multiply_part<T, true>)},

const Entry kEntries[] = {
    // clang-format off
    CATEN_PRODUCTS(f32, float) CATEN_PRODUCTS(f64, double) CATEN_PRODUCTS(i32, uint32_t)
    // clang-format on
};
#undef CATEN_PRODUCTS

}  // namespace

Table CATEN_TABLE(matmul)() {
  return {kEntries, sizeof kEntries / sizeof *kEntries};
}

}  // namespace caten::runtime::strips
