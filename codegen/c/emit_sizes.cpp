// Postfix size expressions as C.
#include "codegen/c/emit_sizes.h"

#include <fmt/core.h>

#include "ir/support/check.h"

namespace caten::c {
namespace {

using runtime::SizeExpr;

/// An operand and how tightly its text binds: 2 a primary, 1 a product, 0 a sum.
struct Part {
  std::string text;
  int binding = 2;
  bool natural = false;   // no less than 0
  bool positive = false;  // a constant above 0
};

std::string inside(const Part& part, int binding) {
  return part.binding >= binding ? part.text : "(" + part.text + ")";
}

/// Numbers go last and are multiplied out; a quotient stays left.
Part product(const Part& a, const Part& b) {
  if (a.text == "1") {
    return b;
  }
  if (b.text == "1") {
    return a;
  }
  const bool swapped = a.positive && !b.positive;
  const Part& left = swapped ? b : a;
  const Part& right = swapped ? a : b;
  return {inside(left, 1) + " * " + inside(right, 2), 1, a.natural && b.natural};
}

Part combine(SizeExpr::Op op, const Part& a, const Part& b, Uses& uses) {
  const auto helper = [&](const char* name) {
    uses.helpers.insert(name);
    return Part{fmt::format("{}({}, {})", name, a.text, b.text), 2};
  };
  switch (op) {
    case SizeExpr::Op::Add:
      return {inside(a, 0) + " + " + inside(b, 0), 0, a.natural && b.natural};
    case SizeExpr::Op::Sub:
      return {inside(a, 0) + " - " + inside(b, 1), 0};
    case SizeExpr::Op::Mul:
      return product(a, b);
    case SizeExpr::Op::FloorDiv:
      if (a.natural && b.positive) {  // C rounds towards 0
        return {inside(a, 1) + " / " + inside(b, 2), 1, true};
      }
      return helper("index_div");
    case SizeExpr::Op::Mod:
      return helper("index_mod");
    case SizeExpr::Op::Max:
      return helper("index_max");
    case SizeExpr::Op::Min:
      return helper("index_min");
    case SizeExpr::Op::Const:
    case SizeExpr::Op::Symbol:
      break;
  }
  CATEN_UNREACHABLE("size operator");
}

Part combine_checked(SizeExpr::Op op, const Part& a, const Part& b, Uses& uses) {
  const auto helper = [&](const char* name) {
    uses.helpers.insert(name);
    return Part{fmt::format("{}({}, {}, &bad)", name, a.text, b.text), 2};
  };
  switch (op) {
    case SizeExpr::Op::Add:
      return helper("size_add");
    case SizeExpr::Op::Sub:
      return helper("size_sub");
    case SizeExpr::Op::Mul:
      return helper("size_mul");
    case SizeExpr::Op::FloorDiv:
      return helper("size_div");
    case SizeExpr::Op::Mod:
      return helper("size_mod");
    case SizeExpr::Op::Max:
    case SizeExpr::Op::Min:
      return combine(op, a, b, uses);
    case SizeExpr::Op::Const:
    case SizeExpr::Op::Symbol:
      break;
  }
  CATEN_UNREACHABLE("size operator");
}

template <typename Combine>
std::string print(const SizeExpr& expr, std::span<const std::string> symbols, Uses& uses,
                  Combine combine_parts) {
  std::vector<Part> stack;
  for (const SizeExpr::Item& item : expr.items) {
    if (item.op == SizeExpr::Op::Const) {
      const std::string text = spell_int64(item.value, DialectKind::C99);
      stack.push_back({text, item.value < 0 ? 0 : 2, item.value >= 0, item.value > 0});
    } else if (item.op == SizeExpr::Op::Symbol) {
      stack.push_back({symbols[static_cast<size_t>(item.value)], 2, true});
    } else {
      CATEN_CHECK(stack.size() >= 2, "malformed size expression");
      const Part b = stack.back();
      stack.pop_back();
      stack.back() = combine_parts(item.op, stack.back(), b, uses);
    }
  }
  CATEN_CHECK(stack.size() == 1, "malformed size expression");
  return stack.back().text;
}

}  // namespace

std::string size_text(const SizeExpr& expr, std::span<const std::string> symbols, Uses& uses) {
  return print(expr, symbols, uses, combine);
}

std::string checked_size_text(const SizeExpr& expr, std::span<const std::string> symbols,
                              Uses& uses) {
  return print(expr, symbols, uses, combine_checked);
}

SizeExpr buffer_bytes(const runtime::Buffer& buffer) {
  SizeExpr out = SizeExpr::number(size_of(buffer.dtype));
  for (const SizeExpr& size : buffer.shape) {
    out.items.insert(out.items.end(), size.items.begin(), size.items.end());
    out.items.push_back({SizeExpr::Op::Mul, 0});
  }
  return out;
}

bool is_constant(const SizeExpr& expr) {
  for (const SizeExpr::Item& item : expr.items) {
    if (item.op == SizeExpr::Op::Symbol) {
      return false;
    }
  }
  return true;
}

}  // namespace caten::c
