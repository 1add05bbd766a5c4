// Expressions as C text: elements of arrays, guarded loads, conditions, selections.
#include <fmt/core.h>

#include "codegen/c/body_printer.h"
#include "codegen/c/elementary_helper.h"

namespace caten::c {

std::string BodyPrinter::element(loops::ArrayId array, index::ExprId position) {
  const loops::Array& info = kernel_.array(array);
  const std::string& name = arrays_[array.index];
  if (info.is_scalar) {
    return name;
  }
  return fmt::format("{}[{}]", name, index_.print(position));
}

std::string BodyPrinter::op_text(const loops::Let& let) {
  std::vector<std::string> args;
  for (ValueId arg : let.args) {
    args.push_back(text(arg));
  }
  const size_t typed = let.op == air::Op::Where ? 1 : 0;
  const DType from = kernel_.value(let.args[typed]).dtype;
  if (!is_float(from) && air::info(let.op).has(air::kCompare) && args[0] == args[1]) {
    return let.op == air::Op::Le || let.op == air::Op::Eq ? "1" : "0";
  }
  if (const auto helper = elementary_helper_name(let.op);
      style_.openmp && helper && from == DType::Float32) {
    uses_.helpers.insert(*helper);
    return fmt::format("{}({})", *helper, without_parentheses(args[0]));
  }
  return spell(let.op, kernel_.value(let.value).dtype, from, args, style_.dialect, uses_);
}

/// A bool as C writes a condition. Operators bind as in C; `conditions_` has '|' or '&' for the
/// values whose text is of that kind, 'c' for comparisons and negations.
std::string BodyPrinter::condition_text(const loops::Let& let) {
  const auto kind_of = [&](ValueId value) {
    const auto known = conditions_.find(value.index);
    return known == conditions_.end() ? ' ' : known->second;
  };
  if (let.op == air::Op::Not) {
    conditions_[let.value.index] = 'c';
    const std::string& operand = text(let.args[0]);
    return kind_of(let.args[0]) == ' ' ? "!" + operand : "!(" + operand + ")";
  }
  if (let.op == air::Op::And || let.op == air::Op::Or) {
    const char kind = let.op == air::Op::And ? '&' : '|';
    conditions_[let.value.index] = kind;
    const auto operand = [&](ValueId value) {
      const char inner = kind_of(value);
      const bool mixed = (inner == '&' || inner == '|') && inner != kind;
      return mixed ? "(" + text(value) + ")" : text(value);
    };
    return fmt::format("{} {} {}", operand(let.args[0]), kind == '&' ? "&&" : "||",
                       operand(let.args[1]));
  }
  conditions_[let.value.index] = 'c';
  std::string out = op_text(let);
  constexpr std::string_view kCast = "(uint8_t)(";
  if (out.starts_with(kCast) && out.ends_with(")")) {
    out = out.substr(kCast.size(), out.size() - kCast.size() - 1);
  }
  return out;
}

/// An element as it is computed with.
std::string BodyPrinter::element_text(const loops::Load& load) {
  const loops::Array& array = kernel_.array(load.array);
  std::string source = element(load.array, load.index);
  if (!array.widened && !array.is_scalar) {
    source = spell_load(array.dtype, source, style_.dialect, uses_);
  }
  return source;
}

/// The same; 0 where the guard does not hold.
std::string BodyPrinter::load_text(const loops::Load& load) {
  const loops::Array& array = kernel_.array(load.array);
  std::string source = element_text(load);
  if (load.guard.empty()) {
    return source;
  }
  const char* zero = array.dtype == DType::Float64 ? "0.0" : is_float(array.dtype) ? "0.0f" : "0";
  return fmt::format("{} ? {} : {}", index_.print_guard(load.guard), source, zero);
}

std::string BodyPrinter::select_text(const loops::Select& select) {
  std::string expression;
  for (size_t i = 0; i < select.cases.size(); ++i) {
    std::string guard = index_.print_guard(select.cases[i]);
    if (select.cases[i].size() > 1) {
      guard = "(" + guard + ")";
    }
    expression += fmt::format("{} ? {} : ", guard, text(select.args[i]));
  }
  return expression + text(select.args.back());
}

std::string BodyPrinter::store_text(const loops::Store& store) {
  const loops::Array& array = kernel_.array(store.array);
  std::string value = text(store.value);
  if (!array.widened && !array.is_scalar) {
    value = spell_store(array.dtype, value, style_.dialect, uses_);
  }
  return fmt::format("{} = {};", element(store.array, store.index), without_parentheses(value));
}

}  // namespace caten::c
