// See matmul_helper.h. Panels are those of runtime/intrinsics/strips/matmul.cpp: 6 rows, 64 bytes
// of columns, padded with zeros, so that every tile is a whole one.
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

// The sums are named one by one so that they stay in registers.
constexpr std::string_view kMultiply =
    R"(typedef $T $VECTOR __attribute__((vector_size(32), aligned(sizeof($T)), may_alias));

/* sums (6 rows of 2 vectors) = the products of a panel of a and one of b. */
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("fp-contract=fast")))
#endif
static void $TILE(const $T *a, const $T *b, int64_t depth, $VECTOR *sums) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
  $VECTOR s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0};
  $VECTOR t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0}, t4 = {0}, t5 = {0};
  for (int64_t k = 0; k < depth; ++k) {
    const $VECTOR left = *(const $VECTOR *)b;
    const $VECTOR right = *(const $VECTOR *)(b + $COLUMNS / 2);
    s0 += a[0] * left;
    t0 += a[0] * right;
    s1 += a[1] * left;
    t1 += a[1] * right;
    s2 += a[2] * left;
    t2 += a[2] * right;
    s3 += a[3] * left;
    t3 += a[3] * right;
    s4 += a[4] * left;
    t4 += a[4] * right;
    s5 += a[5] * left;
    t5 += a[5] * right;
    a += 6;
    b += $COLUMNS;
  }
  sums[0] = s0;
  sums[1] = t0;
  sums[2] = s1;
  sums[3] = t1;
  sums[4] = s2;
  sums[5] = t2;
  sums[6] = s3;
  sums[7] = t3;
  sums[8] = s4;
  sums[9] = t4;
  sums[10] = s5;
  sums[11] = t5;
}

/* c (rows x columns, stride apart) += panels of a times panels of b. */
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
      for (int64_t i = 0; i < rows; i += 6) {
        const int64_t height = rows - i < 6 ? rows - i : 6;
        $VECTOR sums[12];
        $TILE(a + i * depth + start * 6, b + j * depth + start * $COLUMNS, terms, sums);
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

std::string filled(std::string_view text, std::string_view name, std::string_view suffix,
                   std::string_view type, std::string_view lanes, std::string_view columns) {
  std::string out(text);
  const auto replace = [&](std::string_view what, const std::string& with) {
    for (size_t at = out.find(what); at != std::string::npos; at = out.find(what, at)) {
      out.replace(at, what.size(), with);
      at += with.size();
    }
  };
  replace("$NAME", std::string(name));
  replace("$TILE", "ct_tile_" + std::string(suffix));
  replace("$VECTOR", "ct_vector_" + std::string(suffix));
  replace("$LANES", std::string(lanes));
  replace("$COLUMNS", std::string(columns));
  replace("$T", std::string(type));
  return out;
}

}  // namespace

std::optional<std::string> matmul_helper_text(std::string_view name) {
  const bool rows = name.starts_with("ct_pack_rows_");
  const bool pack = rows || name.starts_with("ct_pack_columns_");
  if (!pack && !name.starts_with("ct_multiply_")) {
    return std::nullopt;
  }
  const std::string_view suffix = name.substr(name.rfind('_') + 1);
  // Integers wrap.
  const std::string_view type = suffix == "f32" ? "float" : suffix == "f64" ? "double" : "uint32_t";
  const std::string_view columns = suffix == "f64" ? "8" : "16";
  return filled(pack ? kPack : kMultiply, name, suffix, type, rows ? "6" : columns, columns);
}

}  // namespace caten::c
