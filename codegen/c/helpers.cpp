// The texts of helper functions. In them $T is the C type, $S the suffix of the dtype, $U an
// unsigned type at least as wide as int, $LOW and $HIGH the limits of the type.
#include "codegen/c/helpers.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "codegen/c/elementary_helper.h"
#include "codegen/c/sort_helper.h"
#include "codegen/c/spelling.h"
#include "ir/support/check.h"

namespace caten::c {
namespace {

struct Family {
  std::string_view name;
  std::string_view of_signed;
  std::string_view of_unsigned;
  std::string_view of_float;
};

constexpr Family kFamilies[] = {
    {"floor_div",
     R"($T floor_div_$S($T a, $T b) {
  if (b == 0) {
    return 0;
  }
  if (b == -1) {
    return ($T)(0 - ($U)a);
  }
  const $T q = ($T)(a / b);
  return (a % b != 0 && (a < 0) != (b < 0)) ? ($T)(q - 1) : q;
}
)",
     R"($T floor_div_$S($T a, $T b) {
  return b == 0 ? ($T)0 : ($T)(a / b);
}
)",
     ""},
    {"floor_mod",
     R"($T floor_mod_$S($T a, $T b) {
  if (b == 0 || b == -1) {
    return 0;
  }
  const $T r = ($T)(a % b);
  return (r != 0 && (r < 0) != (b < 0)) ? ($T)(r + b) : r;
}
)",
     R"($T floor_mod_$S($T a, $T b) {
  return b == 0 ? ($T)0 : ($T)(a % b);
}
)",
     R"($T floor_mod_$S($T a, $T b) {
  const $T r = fmod$F(a, b);
  return (r != 0 && (r < 0) != (b < 0)) ? r + b : r;
}
)"},
    {"rem",
     R"($T rem_$S($T a, $T b) {
  return (b == 0 || b == -1) ? ($T)0 : ($T)(a % b);
}
)",
     R"($T rem_$S($T a, $T b) {
  return b == 0 ? ($T)0 : ($T)(a % b);
}
)",
     ""},
};

/// Conversions with fixed names.
struct Fixed {
  std::string_view name;
  std::string_view needs;  // another helper, or ""
  std::string_view text;
};

constexpr Fixed kFixed[] = {
    {"f32_bits", "", R"(uint32_t f32_bits(float x) {
  union { float value; uint32_t bits; } u;
  u.value = x;
  return u.bits;
}
)"},
    {"f64_bits", "", R"(uint64_t f64_bits(double x) {
  union { double value; uint64_t bits; } u;
  u.value = x;
  return u.bits;
}
)"},
    {"u32_to_f32", "", R"(float u32_to_f32(uint32_t x) {
  union { float value; uint32_t bits; } u;
  u.bits = x;
  return u.value;
}
)"},
    {"u64_to_f64", "", R"(double u64_to_f64(uint64_t x) {
  union { double value; uint64_t bits; } u;
  u.bits = x;
  return u.value;
}
)"},
    {"multiply_add_f32", "", R"(float multiply_add_f32(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
)"},
    {"choose_f32", "", R"(float choose_f32(uint32_t condition, float a, float b) { /* no branch */
  const uint32_t mask = 0u - condition;
  return u32_to_f32((f32_bits(a) & mask) | (f32_bits(b) & ~mask));
}
)"},
    {"half_to_float", "", R"(float half_to_float(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 0x1fu;
  const uint32_t fraction = h & 0x3ffu;
  union { float value; uint32_t bits; } u;
  if (exponent == 0x1fu) { /* inf and NaN */
    u.bits = sign | 0x7f800000u | (fraction << 13) | (fraction != 0 ? 0x400000u : 0u);
  } else if (exponent != 0) {
    u.bits = sign | ((exponent + 112u) << 23) | (fraction << 13);
  } else { /* zero and subnormals: fraction * 2^-24 is exact */
    u.value = (float)fraction * 5.9604644775390625e-8f;
    u.bits |= sign;
  }
  return u.value;
}
)"},
    {"float_to_half", "", R"(uint16_t float_to_half(float x) {
  union { float value; uint32_t bits; } u;
  u.value = x;
  const uint32_t sign = (u.bits >> 16) & 0x8000u;
  uint32_t bits = u.bits & 0x7fffffffu;
  if (bits > 0x7f800000u) { /* NaN */
    return (uint16_t)(sign | 0x7e00u | ((bits >> 13) & 0x3ffu));
  }
  if (bits >= 0x477ff000u) { /* rounds to infinity */
    return (uint16_t)(sign | 0x7c00u);
  }
  if (bits < 0x38800000u) { /* subnormal: the addition rounds to even at 2^-24 */
    u.bits = bits;
    u.value += 0.5f;
    return (uint16_t)(sign | (u.bits - 0x3f000000u));
  }
  bits += 0xfffu + ((bits >> 13) & 1u);
  return (uint16_t)(sign | ((bits >> 13) - 0x1c000u));
}
)"},
    {"round_half", "half_to_float float_to_half", R"(float round_half(float x) {
  return half_to_float(float_to_half(x));
}
)"},
    {"bfloat_to_float", "", R"(float bfloat_to_float(uint16_t h) {
  union { float value; uint32_t bits; } u;
  u.bits = (uint32_t)h << 16;
  return u.value;
}
)"},
    {"float_to_bfloat", "", R"(uint16_t float_to_bfloat(float x) {
  union { float value; uint32_t bits; } u;
  u.value = x;
  if ((u.bits & 0x7fffffffu) > 0x7f800000u) { /* NaN */
    return (uint16_t)((u.bits >> 16) | 0x40u);
  }
  return (uint16_t)((u.bits + 0x7fffu + ((u.bits >> 16) & 1u)) >> 16);
}
)"},
    {"round_bfloat", "bfloat_to_float float_to_bfloat", R"(float round_bfloat(float x) {
  return bfloat_to_float(float_to_bfloat(x));
}
)"},
    {"index_div", "", R"(int64_t index_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}
)"},
    {"index_mod", "", R"(int64_t index_mod(int64_t a, int64_t b) {
  const int64_t r = a % b;
  return (r != 0 && (r < 0) != (b < 0)) ? r + b : r;
}
)"},
    {"index_max", "", R"(int64_t index_max(int64_t a, int64_t b) {
  return a > b ? a : b;
}
)"},
    {"index_min", "", R"(int64_t index_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}
)"},
    {"size_add", "", R"(int64_t size_add(int64_t a, int64_t b, int *bad) {
  if ((b > 0 && a > INT64_MAX - b) || (b < 0 && a < INT64_MIN - b)) {
    *bad = 1;
    return 0;
  }
  return a + b;
}
)"},
    {"size_sub", "", R"(int64_t size_sub(int64_t a, int64_t b, int *bad) {
  if ((b < 0 && a > INT64_MAX + b) || (b > 0 && a < INT64_MIN + b)) {
    *bad = 1;
    return 0;
  }
  return a - b;
}
)"},
    {"size_mul", "", R"(int64_t size_mul(int64_t a, int64_t b, int *bad) {
  if (a == 0 || b == 0) {
    return 0;
  }
  const uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
  const uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  if (x > (uint64_t)INT64_MAX / y) {
    *bad = 1;
    return 0;
  }
  return a * b;
}
)"},
    {"size_div", "", R"(int64_t size_div(int64_t a, int64_t b, int *bad) {
  if (b == 0 || (a == INT64_MIN && b == -1)) {
    *bad = 1;
    return 0;
  }
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
)"},
    {"size_mod", "", R"(int64_t size_mod(int64_t a, int64_t b, int *bad) {
  if (b == 0) {
    *bad = 1;
    return 0;
  }
  if (b == -1) {
    return 0;
  }
  return (a % b != 0 && (a < 0) != (b < 0)) ? a % b + b : a % b;
}
)"},
    {"index_clamp", "", R"(int64_t index_clamp(int64_t i, int64_t size) {
  return i < 0 ? 0 : i < size ? i : size - 1;
}
)"},
};

constexpr std::array kSuffixes = {
#define CATEN_DTYPE(name, text, cls, bytes, c_type)                                  \
  DTypeClass::cls == DTypeClass::Bool       ? std::string_view("bool")               \
  : DTypeClass::cls == DTypeClass::Unsigned ? std::string_view(bytes == 1   ? "u8"   \
                                                               : bytes == 2 ? "u16"  \
                                                               : bytes == 4 ? "u32"  \
                                                                            : "u64") \
  : DTypeClass::cls == DTypeClass::Signed                                            \
      ? std::string_view(bytes == 1   ? "i8"                                         \
                         : bytes == 2 ? "i16"                                        \
                         : bytes == 4 ? "i32"                                        \
                                      : "i64")                                       \
      : std::string_view(bytes == 8                         ? "f64"                  \
                         : bytes == 4                       ? "f32"                  \
                         : std::string_view(text)[0] == 'b' ? "bf16"                 \
                                                            : "f16"),
#include "ir/dtypes.def"
#undef CATEN_DTYPE
};

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string instantiate(std::string_view text, DType dtype) {
  std::string out(text);
  out = replace_all(std::move(out), "$T", c_value_type(dtype));
  out = replace_all(std::move(out), "$S", suffix(dtype));
  out = replace_all(std::move(out), "$U", size_of(dtype) == 8 ? "uint64_t" : "uint32_t");
  return replace_all(std::move(out), "$F", dtype == DType::Float64 ? "" : "f");
}

std::string power_of_two(int exponent, bool wide) {
  return fmt::format("{}.0{}", static_cast<uint64_t>(1) << exponent, wide ? "" : "f");
}

/// float -> integer: truncates, saturates, NaN gives 0.
std::string saturating_cast(DType from, DType to, DialectKind dialect) {
  const bool wide = from == DType::Float64;
  const int bits = size_of(to) * 8;
  Uses none;
  const bool is_negative = is_signed(to);
  const Scalar low = is_negative ? Scalar::of_double(to, -1e30) : Scalar::of_int(to, 0);
  const Scalar high = Scalar::of_double(to, 1e30);
  // 2^64 does not fit in an int64 exponent count: written out.
  const std::string above =
      is_negative  ? power_of_two(bits - 1, wide)
      : bits == 64 ? std::string(wide ? "18446744073709551616.0" : "18446744073709551616.0f")
                   : power_of_two(bits, wide);
  const std::string below =
      is_negative ? "-" + power_of_two(bits - 1, wide) : std::string(wide ? "0.0" : "0.0f");
  return fmt::format(
      "{0} {1}_to_{2}({3} x) {{\n"
      "  if (x >= {4}) {{\n    return {5};\n  }}\n"
      "  if (x > {6}) {{\n    return ({0})x;\n  }}\n"
      "  return x <= {6} ? {7} : 0; /* NaN gives 0 */\n}}\n",
      c_value_type(to), suffix(from), suffix(to), wide ? "double" : "float", above,
      spell_constant(high, dialect, none), below, spell_constant(low, dialect, none));
}

std::string text_of(const std::string& name, DialectKind dialect, Uses& uses) {
  for (const Fixed& fixed : kFixed) {
    if (fixed.name == name) {
      return std::string(fixed.text);
    }
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto to = static_cast<DType>(i);
    for (DType from : {DType::Float32, DType::Float64}) {
      if (is_int(to) && name == fmt::format("{}_to_{}", suffix(from), suffix(to))) {
        return saturating_cast(from, to, dialect);
      }
    }
    for (const Family& family : kFamilies) {
      if (name == fmt::format("{}_{}", family.name, suffix(to))) {
        if (is_float(to)) {
          uses.functions.insert(to == DType::Float64 ? "fmod" : "fmodf");
        }
        return instantiate(is_float(to)    ? family.of_float
                           : is_signed(to) ? family.of_signed
                                           : family.of_unsigned,
                           to);
      }
    }
  }
  for (const auto text_of : {sort_helper_text, elementary_helper_text}) {
    if (std::optional<std::string> text = text_of(name)) {
      return *text;
    }
  }
  CATEN_UNREACHABLE("no helper `{}`", name);
}

}  // namespace

std::string_view suffix(DType dtype) {
  return kSuffixes[static_cast<size_t>(dtype)];
}

std::string helper_text(Uses& uses, DialectKind dialect) {
  // Helpers that others need come first.
  for (const Fixed& fixed : kFixed) {
    if (!fixed.needs.empty() && uses.helpers.contains(std::string(fixed.name))) {
      const size_t space = fixed.needs.find(' ');
      uses.helpers.insert(std::string(fixed.needs.substr(0, space)));
      uses.helpers.insert(std::string(fixed.needs.substr(space + 1)));
    }
  }
  const std::set<std::string> wanted = uses.helpers;
  if (std::any_of(wanted.begin(), wanted.end(), is_elementary_helper)) {
    uses.helpers.insert({"choose_f32", "f32_bits", "multiply_add_f32", "u32_to_f32"});
  }
  std::vector<std::string> order(uses.helpers.begin(), uses.helpers.end());
  std::stable_partition(order.begin(), order.end(), [](const std::string& name) {
    return !name.starts_with("round_") && !name.starts_with("choose_") &&
           !is_elementary_helper(name);
  });
  std::string out;
  for (const std::string& name : order) {
    out += dialect == DialectKind::C99 ? "static inline " : "static ";
    out += text_of(name, dialect, uses);
    out += '\n';
  }
  return out;
}

bool needs_math_header(const Uses& uses) {
  return std::any_of(uses.functions.begin(), uses.functions.end(),
                     [](const std::string& name) { return !name.starts_with("mem"); });
}

}  // namespace caten::c
