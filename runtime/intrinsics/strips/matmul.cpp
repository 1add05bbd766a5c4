// Contractions: c[i][j] += sum over k of a[i][k] * b[k][j] on packed panels.
//
// Packed layouts: A in panels of kRows rows, [panel][k][row]; B in panels of kColumns columns,
// [panel][k][column]; what a last panel lacks is zero. The micro-kernel keeps a tile of kRows x
// kColumns accumulators in registers over a block of k, then adds it to c: every sum runs in at
// least eight partial sums, or in blocks of at most kMinDepth terms. Deterministic: the order
// depends on the sizes only.
#include <type_traits>

#include "runtime/intrinsics/strips/loops.h"

namespace caten::runtime::strips {
namespace {

constexpr int64_t kRows = 6;
/// One step of k reads this many bytes of B: two vectors of the widest set that is built.
constexpr int64_t kPanelBytes = 64;
constexpr int64_t kMinDepth = 32;
constexpr int64_t kMaxDepth = 256;

template <typename T>
constexpr int64_t kColumns = kPanelBytes / static_cast<int64_t>(sizeof(T));

#ifdef __AVX2__
constexpr int64_t kVectorBytes = 32;
#else
constexpr int64_t kVectorBytes = 16;
#endif
template <typename T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes), aligned(sizeof(T))));
};

template <typename T>
struct Accumulator {
  using Vector = typename VectorOf<T>::Type;
  static constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(T));
  static constexpr int64_t kVectors = kColumns<T> / kLanes;
};

/// A tile of `rows` x kColumns: c[row * stride + column] += ..., or = ... if it is `first`; only
/// `columns` of it are stored.
template <typename T, int64_t rows>
__attribute__((noinline)) void tile(const T* a, const T* b, int64_t depth, T* c, int64_t stride,
                                    int64_t columns, bool first) {
  using V = typename Accumulator<T>::Vector;
  constexpr int64_t kVectors = Accumulator<T>::kVectors;
  constexpr int64_t kLanes = Accumulator<T>::kLanes;
  V sum[rows][kVectors] = {};
#pragma GCC unroll 4
  for (int64_t k = 0; k < depth; ++k) {
    V right[kVectors];
#pragma GCC unroll 8
    for (int64_t v = 0; v < kVectors; ++v) {
      right[v] = *reinterpret_cast<const V*>(b + v * kLanes);
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < rows; ++r) {
      const V left = a[r] - V{};
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) {
        sum[r][v] += left * right[v];
      }
    }
    a += kRows;
    b += kColumns<T>;
  }
  if (columns == kColumns<T>) {
    if (first) {
#pragma GCC unroll 8
      for (int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 8
        for (int64_t v = 0; v < kVectors; ++v) {
          *reinterpret_cast<V*>(c + r * stride + v * kLanes) = sum[r][v];
        }
      }
      return;
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) {
        V* place = reinterpret_cast<V*>(c + r * stride + v * kLanes);
        *place += sum[r][v];
      }
    }
    return;
  }
  // Every use of the sums is unrolled, so that they stay in registers.
  T rest[kColumns<T>];
#pragma GCC unroll 8
  for (int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 8
    for (int64_t v = 0; v < kVectors; ++v) {
      *reinterpret_cast<V*>(rest + v * kLanes) = sum[r][v];
    }
    for (int64_t j = 0; j < columns; ++j) {
      c[r * stride + j] = (first ? T(0) : c[r * stride + j]) + rest[j];
    }
  }
}

/// How many terms of a sum one accumulator takes before it is added to c.
inline int64_t depth_of_block(int64_t depth) {
  int64_t block = (depth / 8 + 7) / 8 * 8;
  block = block < kMinDepth ? kMinDepth : block;
  return block > kMaxDepth ? kMaxDepth : block;
}

/// Tiles one below the other: c (rows x width) += or = `terms` of packed a and b; panels of a are
/// `depth` long.
template <typename T>
void tiles(const T* a, const T* b, int64_t rows, int64_t terms, int64_t depth, T* c, int64_t stride,
           int64_t width, bool first) {
  for (int64_t i = 0; i < rows; i += kRows) {
    const T* left = a + i * depth;
    T* place = c + i * stride;
    switch (rows - i < kRows ? rows - i : kRows) {
      case 1:
        tile<T, 1>(left, b, terms, place, stride, width, first);
        break;
      case 2:
        tile<T, 2>(left, b, terms, place, stride, width, first);
        break;
      case 3:
        tile<T, 3>(left, b, terms, place, stride, width, first);
        break;
      case 4:
        tile<T, 4>(left, b, terms, place, stride, width, first);
        break;
      case 5:
        tile<T, 5>(left, b, terms, place, stride, width, first);
        break;
      default:
        tile<T, kRows>(left, b, terms, place, stride, width, first);
        break;
    }
  }
}

/// Rows whose sums are collected in the first-level cache before they are added to c.
constexpr int64_t kCollected = 16 * kRows;
/// At most so many terms of a sum are added up before the next panel of b: that much of the rows of
/// a stays in the second-level cache.
constexpr int64_t kChunk = 384;

/// Chunks of about the same size, in whole blocks.
inline int64_t depth_of_chunk(int64_t depth, int64_t block) {
  const int64_t chunks = (depth + kChunk - 1) / kChunk;
  const int64_t even = chunks > 0 ? (depth + chunks - 1) / chunks : 1;
  return (even + block - 1) / block * block;
}

/// c (rows x columns, `stride` apart) += packed a (rows x depth) times packed b (depth x columns);
/// = where `sets`.
template <typename T, bool sets>
void multiply(void* c_place, const void* a_place, const void* b_place, int64_t all_rows,
              int64_t columns, int64_t depth, int64_t stride) {
  const auto* b = static_cast<const T*>(b_place);
  const int64_t block = depth_of_block(depth);
  const int64_t chunk = depth_of_chunk(depth, block);
  for (int64_t above = 0; above < all_rows; above += kCollected) {
    const int64_t rows = all_rows - above < kCollected ? all_rows - above : kCollected;
    const T* a = static_cast<const T*>(a_place) + above * depth;
    T* c = static_cast<T*>(c_place) + above * stride;
    for (int64_t i = 0; sets && depth <= 0 && i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        c[i * stride + j] = T(0);
      }
    }
    for (int64_t start = 0; start < depth; start += chunk) {
      const int64_t end = depth - start < chunk ? depth : start + chunk;
      const bool first = sets && start == 0;
      for (int64_t j = 0; j < columns; j += kColumns<T>) {
        const int64_t width = columns - j < kColumns<T> ? columns - j : kColumns<T>;
        if (end - start <= block) {
          tiles(a + start * kRows, b + j * depth + start * kColumns<T>, rows, end - start, depth,
                c + j, stride, width, first);
          continue;
        }
        // Rows of c may lie so that few of them fit the cache at once: the blocks of k add to rows
        // that lie together.
        T sums[kCollected * kColumns<T>];
        for (int64_t k = start; k < end; k += block) {
          const int64_t terms = end - k < block ? end - k : block;
          tiles(a + k * kRows, b + j * depth + k * kColumns<T>, rows, terms, depth, sums,
                kColumns<T>, kColumns<T>, k == start);
        }
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t l = 0; l < width; ++l) {
            c[i * stride + j + l] =
                (first ? T(0) : c[i * stride + j + l]) + sums[i * kColumns<T> + l];
          }
        }
      }
    }
  }
}

/// Four floats of six lines that lie `stride` apart as four columns: out[k * 6 + line].
inline void turn(float* out, const float* x, int64_t stride) {
  typedef float V __attribute__((vector_size(16), aligned(4)));
  typedef float Pair __attribute__((vector_size(8), aligned(4)));
  typedef int Mask __attribute__((vector_size(16)));
  const auto line = [&](int64_t l) { return *reinterpret_cast<const V*>(x + l * stride); };
  const V low01 = __builtin_shuffle(line(0), line(1), Mask{0, 4, 1, 5});
  const V high01 = __builtin_shuffle(line(0), line(1), Mask{2, 6, 3, 7});
  const V low23 = __builtin_shuffle(line(2), line(3), Mask{0, 4, 1, 5});
  const V high23 = __builtin_shuffle(line(2), line(3), Mask{2, 6, 3, 7});
  const V low45 = __builtin_shuffle(line(4), line(5), Mask{0, 4, 1, 5});
  const V high45 = __builtin_shuffle(line(4), line(5), Mask{2, 6, 3, 7});
  const auto put = [&](int64_t k, V four, V pairs, bool upper) {
    *reinterpret_cast<V*>(out + k * 6) = four;
    *reinterpret_cast<Pair*>(out + k * 6 + 4) =
        upper ? Pair{pairs[2], pairs[3]} : Pair{pairs[0], pairs[1]};
  };
  put(0, __builtin_shuffle(low01, low23, Mask{0, 1, 4, 5}), low45, false);
  put(1, __builtin_shuffle(low01, low23, Mask{2, 3, 6, 7}), low45, true);
  put(2, __builtin_shuffle(high01, high23, Mask{0, 1, 4, 5}), high45, false);
  put(3, __builtin_shuffle(high01, high23, Mask{2, 3, 6, 7}), high45, true);
}

/// Panels of `lanes` lines of a matrix whose element (line, k) is at line * line_stride +
/// k * k_stride.
template <typename T, int64_t lanes>
void pack(void* out, const void* from, int64_t lines, int64_t depth, int64_t line_stride,
          int64_t k_stride) {
  auto* r = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(from);
  int64_t line = 0;
  if (line_stride == 1) {
    // Several k at a time for all panels: memory is read and written in long pieces.
    constexpr int64_t kTogether = 8;
    const int64_t full = lines / lanes * lanes;
    for (int64_t k = 0; k < depth; k += kTogether) {
      const int64_t count = depth - k < kTogether ? depth - k : kTogether;
      for (line = 0; line < full; line += lanes) {
        T* place = r + line * depth + k * lanes;
        const T* source = x + k * k_stride + line;
        for (int64_t i = 0; i < count; ++i) {
          for (int64_t l = 0; l < lanes; ++l) {
            place[i * lanes + l] = source[i * k_stride + l];
          }
        }
      }
    }
    line = full;
    r += full * depth;
  }
  for (; line < lines; line += lanes) {
    const int64_t count = lines - line < lanes ? lines - line : lanes;
    const T* source = x + line * line_stride;
    if (count == lanes) {
      int64_t k = 0;
      if constexpr (std::is_same_v<T, float> && lanes == kRows) {
        for (; k_stride == 1 && k + 4 <= depth; k += 4) {
          turn(r + k * lanes, source + k, line_stride);
        }
      }
      for (; k < depth; ++k) {
        for (int64_t l = 0; l < lanes; ++l) {
          r[k * lanes + l] = source[l * line_stride + k * k_stride];
        }
      }
    } else {
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t l = 0; l < lanes; ++l) {
          r[k * lanes + l] = l < count ? source[l * line_stride + k * k_stride] : T(0);
        }
      }
    }
    r += depth * lanes;
  }
}

/// One line of k into its panels: element (first + i, k) = a[i] for i < n; `lines` in all.
template <typename T, int64_t lanes>
void pack_line(void* out, const void* a, int64_t n, int64_t first, int64_t k, int64_t depth,
               int64_t lines) {
  auto* r = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(a);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t line = first + i;
    r[line / lanes * lanes * depth + k * lanes + line % lanes] = x[i];
  }
  if (first + n == lines) {  // the rest of the last panel
    for (int64_t line = lines; line % lanes != 0; ++line) {
      r[line / lanes * lanes * depth + k * lanes + line % lanes] = T(0);
    }
  }
}

#define ROWS(s, T)                                             \
  {"ct_multiply_" #s, address(&multiply<T, false>)},           \
      {"ct_product_" #s, address(&multiply<T, true>)},         \
      {"ct_pack_rows_" #s, address(&pack<T, kRows>)},          \
      {"ct_pack_columns_" #s, address(&pack<T, kColumns<T>>)}, \
      {"ct_pack_row_line_" #s, address(&pack_line<T, kRows>)}, \
      {"ct_pack_column_line_" #s, address(&pack_line<T, kColumns<T>>)},

const Entry kEntries[] = {
    // clang-format off
    ROWS(f32, float) ROWS(f64, double) ROWS(i32, uint32_t)
    // clang-format on
};

}  // namespace

Table CATEN_TABLE(matmul)() {
  return {kEntries, sizeof kEntries / sizeof *kEntries};
}

}  // namespace caten::runtime::strips
