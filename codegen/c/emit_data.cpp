// Constant arrays.
#include "codegen/c/emit_data.h"

#include <fmt/core.h>

#include <cmath>

namespace caten::c {
namespace {

constexpr size_t kLineWidth = 100;

/// One initialiser: a constant expression (calls are not).
std::string element_text(const Scalar& value, Uses& uses) {
  if (is_half(value.dtype())) {
    return fmt::format("0x{:04x}", value.bits());
  }
  if (is_float(value.dtype()) && std::isnan(value.as_double())) {
    return value.dtype() == DType::Float64 ? "(double)NAN" : "NAN";
  }
  return without_parentheses(spell_constant(value, DialectKind::C99, uses));
}

}  // namespace

std::string constant_array(const std::string& name, DType dtype, std::span<const std::byte> bytes,
                           Uses& uses) {
  const auto width = static_cast<size_t>(size_of(dtype));
  const size_t count = bytes.size() / width;
  std::string out = fmt::format("static const {} {}[{}] = {{\n", c_storage_type(dtype), name,
                                std::max<size_t>(count, 1));
  std::string line;
  for (size_t i = 0; i < count; ++i) {
    const std::string text = element_text(Scalar::load(dtype, bytes.data() + i * width), uses);
    if (line.size() + text.size() + 2 > kLineWidth) {
      out += "  " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + text + ",";
  }
  if (count == 0) {
    line = "0";
  }
  return out + "  " + line + "\n};\n";
}

}  // namespace caten::c
