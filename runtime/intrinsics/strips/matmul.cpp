// Contractions: c[i][j] += sum over k of a[i][k] * b[k][j] on packed panels.
//
// Packed layouts: A in panels of kRows rows, [panel][k][row]; B in panels of kColumns columns,
// [panel][k][column]; what a last panel lacks is zero. The micro-kernel keeps a tile of kRows x
// kColumns accumulators in registers over a block of k: every sum runs in at least eight partial
// sums, or in blocks of at most kMinDepth terms. Deterministic: the order depends on the sizes
// only.
#include <type_traits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "runtime/intrinsics/strips/loops.h"

namespace caten::runtime::strips {
namespace {

constexpr int64_t kRows = 6;
/// One step of k reads this many bytes of B: two vectors of the widest set that is built.
constexpr int64_t kPanelBytes = 64;
constexpr int64_t kMinDepth = 32;
constexpr int64_t kMaxDepth = 128;

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
/// `columns` of it are stored. The sums of each `block` terms are added up in memory that stays in
/// the first-level cache.
template <typename T, int64_t rows>
__attribute__((noinline)) void tile(const T* a, const T* b, int64_t depth, int64_t block, T* c,
                                    int64_t stride, int64_t columns, bool first) {
  using V = typename Accumulator<T>::Vector;
  constexpr int64_t kVectors = Accumulator<T>::kVectors;
  constexpr int64_t kLanes = Accumulator<T>::kLanes;
#pragma GCC unroll 8
  for (int64_t r = 0; r < rows; ++r) {
    __builtin_prefetch(c + r * stride, 1);
  }
  V total[rows][kVectors];
  V sum[rows][kVectors];
  for (bool begun = false;; begun = true) {
#pragma GCC unroll 8
    for (int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) {
        sum[r][v] = V{};
      }
    }
    const int64_t terms = depth < block ? depth : block;
#pragma GCC unroll 4
    for (int64_t k = 0; k < terms; ++k) {
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
    depth -= terms;
    if (begun) {
#pragma GCC unroll 8
      for (int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 8
        for (int64_t v = 0; v < kVectors; ++v) {
          sum[r][v] = total[r][v] + sum[r][v];
        }
      }
    }
    if (depth <= 0) {
      break;
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) {
        total[r][v] = sum[r][v];
      }
    }
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

/// Tiles one below the other: c (rows x width) += or = `terms` of packed a and b; panels of a are
/// `depth` long. Meanwhile `next`, if it is anything, as much as of b, comes closer.
template <typename T>
void tiles(const T* a, const T* b, const T* next, int64_t rows, int64_t terms, int64_t block,
           int64_t depth, T* c, int64_t stride, int64_t width, bool first) {
  const int64_t ahead = next == nullptr ? 0 : (terms * kRows + rows - 1) / rows;
  for (int64_t i = 0; i < rows; i += kRows) {
    for (int64_t k = 0; k < ahead; ++k, next += kColumns<T>) {
      __builtin_prefetch(next, 0, 2);
    }
    const T* left = a + i * depth;
    T* place = c + i * stride;
    switch (rows - i < kRows ? rows - i : kRows) {
      case 1:
        tile<T, 1>(left, b, terms, block, place, stride, width, first);
        break;
      case 2:
        tile<T, 2>(left, b, terms, block, place, stride, width, first);
        break;
      case 3:
        tile<T, 3>(left, b, terms, block, place, stride, width, first);
        break;
      case 4:
        tile<T, 4>(left, b, terms, block, place, stride, width, first);
        break;
      case 5:
        tile<T, 5>(left, b, terms, block, place, stride, width, first);
        break;
      default:
        tile<T, kRows>(left, b, terms, block, place, stride, width, first);
        break;
    }
  }
}

/// How many terms of a sum one accumulator takes before it is added to the others.
inline int64_t depth_of_block(int64_t depth) {
  const int64_t block = (depth / 8 + 7) / 8 * 8;
  return block < kMinDepth ? kMinDepth : block > kMaxDepth ? kMaxDepth : block;
}

/// At most so many bytes of a panel of b are multiplied before the next one: they stay in the
/// first-level cache, and that much of kRowsTogether rows of a in the second-level cache.
constexpr int64_t kChunkBytes = 320 * kPanelBytes;
constexpr int64_t kRowsTogether = 32 * kRows;

/// Columns whose sums stay in the second-level cache from chunk to chunk.
constexpr int64_t kColumnsTogether = 256;
/// More of b than this comes from the third-level cache or from memory.
constexpr int64_t kFarBytes = 512 * 1024;

/// Terms that are multiplied before the next panel: chunks of about the same size, in whole blocks.
template <typename T>
int64_t depth_of_chunk(int64_t depth, int64_t block) {
  constexpr int64_t kMost = kChunkBytes / kPanelBytes;
  if (depth <= kMost) {
    return depth;
  }
  const int64_t chunks = (depth + kMost - 1) / kMost;
  const int64_t even = (depth + chunks - 1) / chunks;
  const int64_t up = (even + block - 1) / block * block;
  return up <= kMost ? up : up - block;
}

/// c (rows x columns, `stride` apart) += packed a (rows x depth) times packed b (depth x columns);
/// = where `sets`.
template <typename T, bool sets>
void multiply(void* c_place, const void* a_place, const void* b_place, int64_t all_rows,
              int64_t columns, int64_t depth, int64_t stride) {
  const auto* b = static_cast<const T*>(b_place);
  const int64_t block = depth_of_block(depth);
  const int64_t chunk = depth_of_chunk<T>(depth, block);
  const bool is_far = columns * depth > kFarBytes / static_cast<int64_t>(sizeof(T));
  for (int64_t above = 0; above < all_rows; above += kRowsTogether) {
    const int64_t rows = all_rows - above < kRowsTogether ? all_rows - above : kRowsTogether;
    const T* a = static_cast<const T*>(a_place) + above * depth;
    T* c = static_cast<T*>(c_place) + above * stride;
    for (int64_t left = 0; left < columns; left += kColumnsTogether) {
      const int64_t right = columns - left < kColumnsTogether ? columns : left + kColumnsTogether;
      int64_t start = 0;
      do {
        const int64_t terms = depth - start < chunk ? depth - start : chunk;
        const bool first = sets && start == 0;
        for (int64_t j = left; j < right; j += kColumns<T>) {
          const int64_t width = columns - j < kColumns<T> ? columns - j : kColumns<T>;
          const T* panel = b + j * depth + start * kColumns<T>;
          const T* next = is_far && j + kColumns<T> < right ? panel + depth * kColumns<T> : nullptr;
          tiles(a + start * kRows, panel, next, rows, terms, block, depth, c + j, stride, width,
                first);
        }
        start += terms;
      } while (start < depth);
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

#ifdef __AVX2__
/// The same for eight floats: pairs of lines, then pairs of pairs.
inline void turn_eight(float* out, const float* x, int64_t stride) {
  const auto line = [&](int64_t l) { return _mm256_loadu_ps(x + l * stride); };
  const auto doubles = [](__m256 v) { return _mm256_castps_pd(v); };
  const __m256d low01 = doubles(_mm256_unpacklo_ps(line(0), line(1)));
  const __m256d high01 = doubles(_mm256_unpackhi_ps(line(0), line(1)));
  const __m256d low23 = doubles(_mm256_unpacklo_ps(line(2), line(3)));
  const __m256d high23 = doubles(_mm256_unpackhi_ps(line(2), line(3)));
  const __m256d low45 = doubles(_mm256_unpacklo_ps(line(4), line(5)));
  const __m256d high45 = doubles(_mm256_unpackhi_ps(line(4), line(5)));
  // In their halves: k of 0, 1 and of 4, 5; then of 2, 3 and of 6, 7.
  const __m256d parts[] = {
      _mm256_unpacklo_pd(low01, low23),          _mm256_shuffle_pd(low45, low01, 0b1010),
      _mm256_unpackhi_pd(low23, low45),          _mm256_unpacklo_pd(high01, high23),
      _mm256_shuffle_pd(high45, high01, 0b1010), _mm256_unpackhi_pd(high23, high45)};
  auto* place = reinterpret_cast<double*>(out);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    _mm256_storeu_pd(place + 4 * i, _mm256_permute2f128_pd(parts[2 * i], parts[2 * i + 1], 0x20));
    _mm256_storeu_pd(place + 12 + 4 * i,
                     _mm256_permute2f128_pd(parts[2 * i], parts[2 * i + 1], 0x31));
  }
}
#endif

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
#ifdef __AVX2__
        for (; k_stride == 1 && k + 8 <= depth; k += 8) {
          turn_eight(r + k * lanes, source + k, line_stride);
        }
#endif
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
