// A stable merge sort of positions, bottom up: n log n comparisons and no recursion.
#include "codegen/c/sort_helper.h"

#include <fmt/core.h>

#include "codegen/c/helpers.h"
#include "codegen/c/spelling.h"

namespace caten::c {
namespace {

constexpr std::string_view kText =
    R"(void {name}(int64_t *order, int64_t order_step, const {type} *keys,
    int64_t keys_step, int64_t n, int64_t *work) {{
  int64_t *from = work;
  int64_t *to = work + n;
  for (int64_t i = 0; i < n; ++i) {{
    from[i] = i;
  }}
  for (int64_t width = 1; width < n; width *= 2) {{
    for (int64_t begin = 0; begin < n; begin += 2 * width) {{
      const int64_t middle = begin + width < n ? begin + width : n;
      const int64_t end = middle + width < n ? middle + width : n;
      int64_t i = begin;
      int64_t j = middle;
      for (int64_t k = begin; k < end; ++k) {{
        int right = j < end;
        if (right && i < middle) {{ /* the right one only when it comes strictly before */
          const {value} a = {left_key};
          const {value} b = {right_key};
          right = {before};
        }}
        to[k] = right ? from[j] : from[i];
        i += !right;
        j += right;
      }}
    }}
    int64_t *const swap = from;
    from = to;
    to = swap;
  }}
  for (int64_t i = 0; i < n; ++i) {{
    order[i * order_step] = from[i];
  }}
}}
)";

std::string key(DType dtype, std::string_view at) {
  const std::string element = fmt::format("keys[from[{}] * keys_step]", at);
  return dtype == DType::Float16    ? fmt::format("half_to_float({})", element)
         : dtype == DType::BFloat16 ? fmt::format("bfloat_to_float({})", element)
                                    : element;
}

}  // namespace

std::string sort_helper_name(DType dtype, bool descending) {
  return fmt::format("sort_{}_{}", suffix(dtype), descending ? "down" : "up");
}

std::optional<std::string> sort_helper_text(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    for (const bool descending : {false, true}) {
      if (name == sort_helper_name(dtype, descending)) {
        const std::string less = descending ? "a < b" : "b < a";
        return fmt::format(
            kText, fmt::arg("name", name), fmt::arg("type", c_storage_type(dtype)),
            fmt::arg("value", c_value_type(dtype)), fmt::arg("left_key", key(dtype, "i")),
            fmt::arg("right_key", key(dtype, "j")),
            fmt::arg("before", is_float(dtype) ? less + " || (a != a && b == b)" : less));
      }
    }
  }
  return std::nullopt;
}

}  // namespace caten::c
