// Size expressions (overflow-checked evaluation, text) and the listing of a program.
#include "runtime/program.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "ir/support/check.h"

namespace caten::runtime {
namespace {

// Row order is SizeExpr::Op order.
constexpr std::array<std::string_view, 9> kOpTexts = {"",          "",    "+",   "-",  "*",
                                                      "floor-div", "mod", "max", "min"};

std::optional<int64_t> apply(SizeExpr::Op op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
    case SizeExpr::Op::Add:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case SizeExpr::Op::Sub:
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case SizeExpr::Op::Mul:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case SizeExpr::Op::FloorDiv:
      if (b == 0 || (a == INT64_MIN && b == -1)) {
        return std::nullopt;
      }
      return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
    case SizeExpr::Op::Mod:
      if (b == 0) {
        return std::nullopt;
      }
      if (b == -1) {
        return 0;
      }
      return a % b + ((a % b != 0 && (a < 0) != (b < 0)) ? b : 0);
    case SizeExpr::Op::Max:
      return std::max(a, b);
    case SizeExpr::Op::Min:
      return std::min(a, b);
    case SizeExpr::Op::Const:
    case SizeExpr::Op::Symbol:
      break;
  }
  CATEN_UNREACHABLE("a leaf of a size expression is not an operation");
}

std::string_view kind_text(BufferKind kind) {
  switch (kind) {
    case BufferKind::Input:
      return "input";
    case BufferKind::Output:
      return "output";
    case BufferKind::Param:
      return "param";
    case BufferKind::Temporary:
      return "temporary";
  }
  CATEN_UNREACHABLE("buffer kind {}", static_cast<int>(kind));
}

std::string shape_text(const std::vector<SizeExpr>& shape, std::span<const std::string> symbols) {
  std::string text = "(";
  for (const SizeExpr& size : shape) {
    text += (text.size() > 1 ? " " : "") + size.to_string(symbols);
  }
  return text + ")";
}

}  // namespace

std::optional<int64_t> SizeExpr::evaluate(std::span<const int64_t> sizes) const {
  // Nearly every size is one number or one symbol.
  if (items.size() == 1) {
    const Item& item = items.front();
    return item.op == Op::Const ? item.value : sizes[static_cast<size_t>(item.value)];
  }
  constexpr size_t kInline = 16;
  std::array<int64_t, kInline> inline_stack{};
  std::vector<int64_t> large_stack;
  int64_t* stack = inline_stack.data();
  if (items.size() > kInline) {
    large_stack.resize(items.size());
    stack = large_stack.data();
  }
  size_t depth = 0;
  for (const Item& item : items) {
    if (item.op == Op::Const) {
      stack[depth++] = item.value;
      continue;
    }
    if (item.op == Op::Symbol) {
      stack[depth++] = sizes[static_cast<size_t>(item.value)];
      continue;
    }
    CATEN_CHECK(depth >= 2, "malformed size expression");
    std::optional<int64_t> result = apply(item.op, stack[depth - 2], stack[depth - 1]);
    if (!result) {
      return std::nullopt;
    }
    stack[--depth - 1] = *result;
  }
  CATEN_CHECK(depth == 1, "malformed size expression");
  return stack[0];
}

std::string SizeExpr::to_string(std::span<const std::string> symbols) const {
  std::vector<std::string> stack;
  for (const Item& item : items) {
    if (item.op == Op::Const) {
      stack.push_back(std::to_string(item.value));
    } else if (item.op == Op::Symbol) {
      stack.push_back(symbols[static_cast<size_t>(item.value)]);
    } else {
      CATEN_CHECK(stack.size() >= 2, "malformed size expression");
      std::string right = std::move(stack.back());
      stack.pop_back();
      stack.back() =
          fmt::format("({} {} {})", kOpTexts[static_cast<size_t>(item.op)], stack.back(), right);
    }
  }
  CATEN_CHECK(stack.size() == 1, "malformed size expression");
  return stack.front();
}

std::string print(const Program& program) {
  std::string text = fmt::format("program {}", program.name);
  for (const std::string& symbol : program.symbols) {
    text += fmt::format(" {}", symbol);
  }
  text += '\n';
  for (const EntryCheck& check : program.checks) {
    text += fmt::format("  check     {} = {}\n", check.left.to_string(program.symbols),
                        check.right.to_string(program.symbols));
  }
  text += fmt::format("  arena     {} bytes\n", program.arena_bytes.to_string(program.symbols));
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& buffer = program.buffers[i];
    text += fmt::format("  {:<9} %{} = {} {}", kind_text(buffer.kind), i, name(buffer.dtype),
                        shape_text(buffer.shape, program.symbols));
    if (!buffer.name.empty()) {
      text += " " + buffer.name;
    }
    if (buffer.kind == BufferKind::Temporary) {
      text += " at " + buffer.arena_offset.to_string(program.symbols);
    }
    if (buffer.kind == BufferKind::Param) {
      text += fmt::format(" storage {}{}", buffer.storage, buffer.written ? " written" : "");
    }
    text += '\n';
  }
  for (const Call& call : program.calls) {
    text += fmt::format("  call      {}(", program.kernels[static_cast<size_t>(call.kernel)].name);
    for (size_t i = 0; i < call.buffers.size(); ++i) {
      text += fmt::format("{}%{}", i == 0 ? "" : ", ", call.buffers[i]);
    }
    text += ")\n";
  }
  text += "  return   ";
  for (int output : program.outputs) {
    text += fmt::format(" %{}", output);
  }
  return text + "\n";
}

}  // namespace caten::runtime
