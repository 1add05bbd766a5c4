// See matmul_helper.h. Panels are as in runtime/intrinsics/strips/panels.h, padded with zeros, so
// that every tile is a whole one.
#include "codegen/c/matmul_helper.h"

namespace caten::c {
namespace {

constexpr std::string_view kPack =
    R"(/* Panels of $LANES lines of a matrix; what the last one lacks is zero. */
static void $NAME(void *out, const void *from, int64_t lines, int64_t depth, int64_t line_stride,
    int64_t depth_stride) {
  $T *r = out;
  const $T *x = from;
  for (int64_t line = 0; line < lines; line += $LANES) {
    const int64_t count = lines - line < $LANES ? lines - line : $LANES;
    const $T *source = x + line * line_stride;
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t l = 0; l < count; ++l) {
        r[l] = source[l * line_stride + k * depth_stride];
      }
      for (int64_t l = count; l < $LANES; ++l) {
        r[l] = 0;
      }
      r += $LANES;
    }
  }
}

)";

// Windows of an image, as in runtime/intrinsics/strips/windows.cpp.
constexpr std::string_view kWindows =
    R"(/* Panels of $LANES lines of windows. Lines and terms are numbered over four axes; but for the
   first, line l looks at l * line_step + t * term_step - offset for term t, and what is not in 0 to
   limit is zero. */
static void $NAME(void *out, const void *from, int64_t start, int64_t first, int64_t count,
    int64_t depth,
    int64_t lines_0, int64_t terms_0, int64_t line_stride_0, int64_t term_stride_0,
    int64_t lines_1, int64_t terms_1, int64_t line_step_1, int64_t term_step_1, int64_t offset_1,
    int64_t limit_1, int64_t line_stride_1, int64_t term_stride_1,
    int64_t lines_2, int64_t terms_2, int64_t line_step_2, int64_t term_step_2, int64_t offset_2,
    int64_t limit_2, int64_t line_stride_2, int64_t term_stride_2,
    int64_t lines_3, int64_t terms_3, int64_t line_step_3, int64_t term_step_3, int64_t offset_3,
    int64_t limit_3, int64_t line_stride_3, int64_t term_stride_3) {
  const int64_t lines[4] = {lines_0, lines_1, lines_2, lines_3};
  const int64_t line_step[4] = {0, line_step_1, line_step_2, line_step_3};
  const int64_t offset[4] = {0, offset_1, offset_2, offset_3};
  const int64_t line_stride[4] = {line_stride_0, line_stride_1, line_stride_2, line_stride_3};
  const int64_t taps = terms_1 * terms_2 * terms_3;
  const $T *x = from;
  for (int64_t line = 0; line < count; line += $LANES) {
    const int64_t width = count - line < $LANES ? count - line : $LANES;
    $T *panel = ($T *)out + line * depth;
    int64_t place[$LANES];
    int64_t at[4][$LANES];
    for (int64_t l = 0; l < width; ++l) {
      int64_t rest = first + line + l;
      place[l] = start;
      for (int a = 3; a >= 0; --a) {
        const int64_t own = rest % lines[a];
        rest /= lines[a];
        place[l] += own * line_stride[a];
        at[a][l] = own * line_step[a] - offset[a];
      }
    }
    for (int64_t tap = 0; tap < taps; ++tap) {
      const int64_t t1 = tap / (terms_2 * terms_3);
      const int64_t t2 = tap / terms_3 % terms_2;
      const int64_t t3 = tap % terms_3;
      const int64_t moved = t1 * term_stride_1 + t2 * term_stride_2 + t3 * term_stride_3;
      int64_t read[$LANES];
      int whole = width == $LANES;
      for (int64_t l = 0; l < $LANES; ++l) {
        read[l] = -1;
        if (l < width) {
          const int64_t c1 = at[1][l] + t1 * term_step_1;
          const int64_t c2 = at[2][l] + t2 * term_step_2;
          const int64_t c3 = at[3][l] + t3 * term_step_3;
          if (c1 >= 0 && c1 < limit_1 && c2 >= 0 && c2 < limit_2 && c3 >= 0 && c3 < limit_3) {
            read[l] = place[l] + moved;
          }
        }
        whole = whole && read[l] >= 0 && read[l] == read[0] + l;
      }
      for (int64_t t0 = 0; t0 < terms_0; ++t0) {
        $T *r = panel + (t0 * taps + tap) * $LANES;
        const $T *image = x + t0 * term_stride_0;
        if (whole) {
          for (int64_t l = 0; l < $LANES; ++l) {
            r[l] = image[read[0] + l];
          }
          continue;
        }
        for (int64_t l = 0; l < $LANES; ++l) {
          r[l] = read[l] < 0 ? 0 : image[read[l]];
        }
      }
    }
  }
}

)";

// Once in a file.
constexpr std::string_view kTileShape =
    R"(#if defined(__TINYC__)
#error "TinyCC would ignore vector_size: use gcc or clang, or emit C99"
#endif
/* Products run in tiles of so many rows and two vectors, whose sums fit the registers. */
#if defined(__AVX512F__)
enum { ct_rows = 12, ct_vector_bytes = 64 };
#else
enum { ct_rows = 6, ct_vector_bytes = 32 };
#endif

)";
constexpr std::string_view kColumns =
    R"(enum { $COLUMNS = 2 * ct_vector_bytes / (int)sizeof($T) };

)";

// The sums are named one by one so that they stay in registers, and GCC fuses them with products.
// Lines between $EACH and $END are repeated for every row $R of a tile.
constexpr std::string_view kTile =
    R"(typedef $T $VECTOR __attribute__((vector_size(ct_vector_bytes), aligned(sizeof($T)), may_alias));

/* sums (a tile) = the products of a panel of a and one of b. */
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("fp-contract=fast")))
#endif
static void $TILE(const $T *a, const $T *b, int64_t depth, $VECTOR *sums) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
$EACH
  $VECTOR s$R = {0}, t$R = {0};
$END
  for (int64_t k = 0; k < depth; ++k) {
    const $VECTOR left = *(const $VECTOR *)b;
    const $VECTOR right = *(const $VECTOR *)(b + $COLUMNS / 2);
$EACH
    s$R += a[$R] * left;
    t$R += a[$R] * right;
$END
    a += ct_rows;
    b += $COLUMNS;
  }
$EACH
  sums[2 * $R] = s$R;
  sums[2 * $R + 1] = t$R;
$END
}

)";

constexpr std::string_view kMultiply =
    R"(/* c (rows x columns, stride apart) += panels of a times panels of b. */
static void $NAME(void *to, const void *left, const void *right, int64_t rows, int64_t columns,
    int64_t depth, int64_t stride) {
  $T *c = to;
  const $T *a = left;
  const $T *b = right;
  int64_t block = (depth / 8 + 7) / 8 * 8; /* sums run in at least eight parts */
  block = block < 32 ? 32 : block > 256 ? 256 : block;
  for (int64_t start = 0; start < depth; start += block) {
    const int64_t terms = depth - start < block ? depth - start : block;
    for (int64_t j = 0; j < columns; j += $COLUMNS) {
      const int64_t width = columns - j < $COLUMNS ? columns - j : $COLUMNS;
      for (int64_t i = 0; i < rows; i += ct_rows) {
        const int64_t height = rows - i < ct_rows ? rows - i : ct_rows;
        $VECTOR sums[2 * ct_rows];
        $TILE(a + i * depth + start * ct_rows, b + j * depth + start * $COLUMNS, terms, sums);
        const $T *sum = (const $T *)sums;
        for (int64_t row = 0; row < height; ++row) {
          $T *place = c + (i + row) * stride + j;
          if (width == $COLUMNS) {
            for (int64_t l = 0; l < $COLUMNS; ++l) {
              place[l] += sum[row * $COLUMNS + l];
            }
          } else {
            for (int64_t l = 0; l < width; ++l) {
              place[l] += sum[row * $COLUMNS + l];
            }
          }
        }
      }
    }
  }
}

)";

constexpr std::string_view kNonfinite =
    R"(/* *out = whether one of them is infinite or NaN. */
static void $NAME(void *out, const void *from, int64_t count) {
  const $T *x = from;
  int found = 0;
  for (int64_t i = 0; i < count; ++i) {
    found |= !(x[i] - x[i] == 0);
  }
  *(int64_t *)out = found;
}

)";

void replace(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
}

/// The text with its repeated lines, those of the larger tile where that is used.
std::string for_rows(std::string_view text) {
  constexpr std::string_view kEach = "$EACH\n";
  constexpr std::string_view kEnd = "$END\n";
  std::string out;
  for (size_t at = text.find(kEach); at != std::string_view::npos; at = text.find(kEach)) {
    const size_t end = text.find(kEnd, at);
    out += text.substr(0, at);
    for (int row = 0; row < 12; ++row) {
      std::string lines(text.substr(at + kEach.size(), end - at - kEach.size()));
      replace(lines, "$R", std::to_string(row));
      out += (row == 6 ? "#if defined(__AVX512F__)\n" : "") + lines;
    }
    out += "#endif\n";
    text.remove_prefix(end + kEnd.size());
  }
  return out += text;
}

std::string filled(std::string out, std::string_view name, std::string_view suffix,
                   std::string_view type, std::string_view lanes, std::string_view columns) {
  replace(out, "$NAME", name);
  replace(out, "$TILE", "ct_tile_" + std::string(suffix));
  replace(out, "$VECTOR", "ct_vector_" + std::string(suffix));
  replace(out, "$LANES", lanes);
  replace(out, "$COLUMNS", columns);
  replace(out, "$T", type);
  return out;
}

}  // namespace

std::optional<std::string> matmul_helper_text(std::string_view name, std::set<std::string>& tiles) {
  const bool rows = name.starts_with("ct_pack_rows_");
  const bool windows = name.starts_with("ct_pack_windows_");
  const bool pack = rows || name.starts_with("ct_pack_columns_");
  const bool product = name.starts_with("ct_product_");
  const bool nonfinite = name.starts_with("ct_nonfinite_");
  if (!pack && !windows && !nonfinite && !product && !name.starts_with("ct_multiply_")) {
    return std::nullopt;
  }
  const std::string_view suffix = name.substr(name.rfind('_') + 1);
  // Integers wrap.
  const std::string_view type = suffix == "f32" ? "float" : suffix == "f64" ? "double" : "uint32_t";
  std::string text;
  if (!nonfinite && tiles.emplace("shape").second) {
    text += kTileShape;
  }
  if (!nonfinite && tiles.insert("columns of " + std::string(suffix)).second) {
    text += kColumns;
  }
  if (!pack && !windows && !nonfinite && tiles.emplace(suffix).second) {
    text += for_rows(kTile);
  }
  text += pack ? kPack : windows ? kWindows : nonfinite ? kNonfinite : kMultiply;
  if (name.find("_part_") != std::string_view::npos) {  // panels of b have more terms
    replace(text, "int64_t depth, int64_t stride)",
            "int64_t depth, int64_t stride, int64_t b_depth)");
    replace(text, "b + j * depth", "b + j * b_depth");
  }
  if (product) {  // the first block is stored
    replace(text, "c (rows x columns, stride apart) +=", "c (rows x columns, stride apart) =");
    replace(text, "start < depth;", "start == 0 || start < depth;");
    replace(text, "place[l] += sum", "place[l] = (start == 0 ? 0 : place[l]) + sum");
  }
  const std::string columns = "ct_columns_" + std::string(suffix);
  return filled(text, name, suffix, type, rows ? "ct_rows" : columns, columns);
}

}  // namespace caten::c
